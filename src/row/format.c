/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the form of every value in a row. Takes no memory. */
#include "row/format.h"

#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>
#include <time.h>

#include "base/clock.h"
#include "base/plain.h"
#include "row/anon.h"
#include "row/anon_ip.h"
#include "row/anon_key.h"

const char format_digits[201] = "0001020304050607080910111213141516171819"
				"2021222324252627282930313233343536373839"
				"4041424344454647484950515253545556575859"
				"6061626364656667686970717273747576777879"
				"8081828384858687888990919293949596979899";

const uint64_t format_powers[20] = { 1ULL,
				     10ULL,
				     100ULL,
				     1000ULL,
				     10000ULL,
				     100000ULL,
				     1000000ULL,
				     10000000ULL,
				     100000000ULL,
				     1000000000ULL,
				     10000000000ULL,
				     100000000000ULL,
				     1000000000000ULL,
				     10000000000000ULL,
				     100000000000000ULL,
				     1000000000000000ULL,
				     10000000000000000ULL,
				     100000000000000000ULL,
				     1000000000000000000ULL,
				     10000000000000000000ULL };

/* ---- time ---- */

static uint64_t clock_offset; /* real - monotonic */

static uint64_t wall_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

/* The tightest of a few readings: real time between two monotonic ones. */
bool format_clock_update(struct format_clock *pair)
{
	uint64_t best = UINT64_MAX, old = clock_offset, offset = old, moved;

	for (int i = 0; i < 5; i++) {
		uint64_t before = mono_ns();
		uint64_t real = wall_ns();
		uint64_t after = mono_ns();

		if (after - before >= best)
			continue;
		best = after - before;
		pair->mono_ns = before + best / 2;
		pair->real_ns = real;
		offset = real - pair->mono_ns;
	}
	clock_offset = offset;
	moved = offset > old ? offset - old : old - offset;
	/* the first reading is no move */
	return old && moved > 1000000;
}

uint64_t format_real_ns(uint64_t mono_ns)
{
	if (!clock_offset) {
		struct format_clock pair;

		format_clock_update(&pair);
	}
	return mono_ns + clock_offset;
}

/*
 * Rows come in time order, so the text of the last second serves nearly all:
 * localtime_r runs once a second, not once a row. Two, for the edge.
 */
char *put_time(char *p, uint64_t mono_ns)
{
	static struct {
		time_t second;
		char text[20];
	} cache[2];
	uint64_t real = format_real_ns(mono_ns);
	time_t second = real / NS_PER_S;
	uint32_t us = real % NS_PER_S / 1000;
	int slot = second & 1;

	if (cache[slot].second != second || !cache[slot].text[0]) {
		struct tm tm;

		localtime_r(&second, &tm);
		strftime(cache[slot].text, sizeof(cache[slot].text), "%Y-%m-%d %H:%M:%S", &tm);
		cache[slot].second = second;
	}
	p = put_bytes(p, cache[slot].text, 19);
	*p++ = '.';
	p = put_bytes(p, format_digits + us / 10000 * 2, 2);
	p = put_bytes(p, format_digits + us / 100 % 100 * 2, 2);
	return put_bytes(p, format_digits + us % 100 * 2, 2);
}

char *put_ms_opt(char *p, uint64_t ns)
{
	uint32_t rest = ns % 1000000;

	if (ns == FORMAT_UNKNOWN)
		return p;
	p = put_u(p, ns / 1000000);
	*p++ = '.';
	p = put_bytes(p, format_digits + rest / 10000 * 2, 2);
	p = put_bytes(p, format_digits + rest / 100 % 100 * 2, 2);
	return put_bytes(p, format_digits + rest % 100 * 2, 2);
}

/* ---- errno ---- */

#define E(name) [name] = #name
/* By the names of the headers: some architectures have other numbers for them. */
static const char *const errno_names[] = {
	E(EPERM),
	E(ENOENT),
	E(ESRCH),
	E(EINTR),
	E(EIO),
	E(ENXIO),
	E(E2BIG),
	E(ENOEXEC),
	E(EBADF),
	E(ECHILD),
	E(EAGAIN),
	E(ENOMEM),
	E(EACCES),
	E(EFAULT),
	E(ENOTBLK),
	E(EBUSY),
	E(EEXIST),
	E(EXDEV),
	E(ENODEV),
	E(ENOTDIR),
	E(EISDIR),
	E(EINVAL),
	E(ENFILE),
	E(EMFILE),
	E(ENOTTY),
	E(ETXTBSY),
	E(EFBIG),
	E(ENOSPC),
	E(ESPIPE),
	E(EROFS),
	E(EMLINK),
	E(EPIPE),
	E(EDOM),
	E(ERANGE),
	E(EDEADLK),
	E(ENAMETOOLONG),
	E(ENOLCK),
	E(ENOSYS),
	E(ENOTEMPTY),
	E(ELOOP),
	E(ENOMSG),
	E(EIDRM),
	E(ECHRNG),
	E(EL2NSYNC),
	E(EL3HLT),
	E(EL3RST),
	E(ELNRNG),
	E(EUNATCH),
	E(ENOCSI),
	E(EL2HLT),
	E(EBADE),
	E(EBADR),
	E(EXFULL),
	E(ENOANO),
	E(EBADRQC),
	E(EBADSLT),
	E(EBFONT),
	E(ENOSTR),
	E(ENODATA),
	E(ETIME),
	E(ENOSR),
	E(ENONET),
	E(ENOPKG),
	E(EREMOTE),
	E(ENOLINK),
	E(EADV),
	E(ESRMNT),
	E(ECOMM),
	E(EPROTO),
	E(EMULTIHOP),
	E(EDOTDOT),
	E(EBADMSG),
	E(EOVERFLOW),
	E(ENOTUNIQ),
	E(EBADFD),
	E(EREMCHG),
	E(ELIBACC),
	E(ELIBBAD),
	E(ELIBSCN),
	E(ELIBMAX),
	E(ELIBEXEC),
	E(EILSEQ),
	E(ERESTART),
	E(ESTRPIPE),
	E(EUSERS),
	E(ENOTSOCK),
	E(EDESTADDRREQ),
	E(EMSGSIZE),
	E(EPROTOTYPE),
	E(ENOPROTOOPT),
	E(EPROTONOSUPPORT),
	E(ESOCKTNOSUPPORT),
	E(EOPNOTSUPP),
	E(EPFNOSUPPORT),
	E(EAFNOSUPPORT),
	E(EADDRINUSE),
	E(EADDRNOTAVAIL),
	E(ENETDOWN),
	E(ENETUNREACH),
	E(ENETRESET),
	E(ECONNABORTED),
	E(ECONNRESET),
	E(ENOBUFS),
	E(EISCONN),
	E(ENOTCONN),
	E(ESHUTDOWN),
	E(ETOOMANYREFS),
	E(ETIMEDOUT),
	E(ECONNREFUSED),
	E(EHOSTDOWN),
	E(EHOSTUNREACH),
	E(EALREADY),
	E(EINPROGRESS),
	E(ESTALE),
	E(EUCLEAN),
	E(ENOTNAM),
	E(ENAVAIL),
	E(EISNAM),
	E(EREMOTEIO),
	E(EDQUOT),
	E(ENOMEDIUM),
	E(EMEDIUMTYPE),
	E(ECANCELED),
	E(ENOKEY),
	E(EKEYEXPIRED),
	E(EKEYREVOKED),
	E(EKEYREJECTED),
	E(EOWNERDEAD),
	E(ENOTRECOVERABLE),
	E(ERFKILL),
	E(EHWPOISON),
	/* the kernel's own (include/linux/errno.h), which no C library names */
	[512] = "ERESTARTSYS",
	[513] = "ERESTARTNOINTR",
	[514] = "ERESTARTNOHAND",
	[516] = "ERESTART_RESTARTBLOCK",
	[517] = "EPROBE_DEFER",
	[524] = "ENOTSUPP",
	[529] = "EIOCBQUEUED",
};
#undef E

char *put_err(char *p, int error)
{
	unsigned n = error < 0 ? -(unsigned)error : 0;

	if (!error)
		return p;
	if (n < sizeof(errno_names) / sizeof(errno_names[0]) && errno_names[n])
		return put_word(p, errno_names[n]);
	return p + sprintf(p, "ERRNO(%lld)", -(long long)error);
}

/* ---- addresses ---- */

static char *put_ip4(char *p, const unsigned char addr[4])
{
	for (int i = 0; i < 4; i++) {
		p = put_u(p, addr[i]);
		*p++ = '.';
	}
	return p - 1;
}

static char *put_group(char *p, uint16_t v)
{
	static const char digits[] = "0123456789abcdef";

	if (v > 0xfff)
		*p++ = digits[v >> 12];
	if (v > 0xff)
		*p++ = digits[v >> 8 & 15];
	if (v > 0xf)
		*p++ = digits[v >> 4 & 15];
	*p++ = digits[v & 15];
	return p;
}

struct span {
	unsigned start;
	unsigned len;
};

/* The first of the longest runs of ones. */
static struct span longest_run(unsigned bits)
{
	struct span span = { 0, 0 };

	for (; bits; bits &= bits >> 1) { /* where a run of one more starts */
		span.start = __builtin_ctz(bits);
		span.len++;
	}
	return span;
}

/* The longest run of two or more zero groups becomes "::" (RFC 5952). */
static char *put_ip6(char *p, const unsigned char addr[16])
{
	uint16_t group[8];
	unsigned zero = 0;
	struct span gap;

	for (unsigned i = 0; i < 8; i++) {
		group[i] = addr[2 * i] << 8 | addr[2 * i + 1];
		zero |= (unsigned)!group[i] << i;
	}
	gap = longest_run(zero);
	if (gap.len < 2)
		gap = (struct span){ 8, 0 };
	/* ::ffff:1.2.3.4 and, of old, ::1.2.3.4 */
	if (!gap.start && (gap.len == 6 || (gap.len == 5 && group[5] == 0xffff)))
		return put_ip4(put_word(p, gap.len == 6 ? "::" : "::ffff:"), addr + 12);
	for (unsigned i = 0; i < 8; i++) {
		if (i == gap.start) {
			*p++ = ':';
			i += gap.len - 1;
			if (i == 7)
				*p++ = ':';
			continue;
		}
		if (i)
			*p++ = ':';
		p = put_group(p, group[i]);
	}
	return p;
}

char *put_ip(char *p, int family, const unsigned char *addr)
{
	unsigned char other[16];

	if (anon_ip_on() && (family == AF_INET || family == AF_INET6)) {
		anon_ip(family, addr, other);
		addr = other;
	}
	if (family == AF_INET)
		return put_ip4(p, addr);
	return family == AF_INET6 ? put_ip6(p, addr) : p;
}

/* ---- texts ---- */

char *put_comm(char *p, const char comm[16])
{
	size_t len = strnlen(comm, 16);
	bool escaped;

	if (len && anon_comm_on()) {
		anon_token(p, comm, len);
		return p + ANON_TOKEN;
	}
	for (size_t i = 0; i < len; i++) {
		unsigned char c = comm[i];

		/* from 0x7f on it may be UTF-8 or not: format_quote() looks at it */
		if (c < ' ' || c >= 0x7f || c == ',' || c == '"')
			return p + format_quote(p, comm, len, &escaped);
	}
	return put_bytes(p, comm, len);
}

static bool is_control(unsigned char c)
{
	return (c < ' ' && c != '\t') || c == 0x7f;
}

/* Whether the text needs escapes (1) or quotes (2). */
static int text_needs(const unsigned char *s, size_t len)
{
	int needs = 0;
	size_t n;

	for (size_t i = 0; i < len; i += n) {
		n = utf8_length(s + i, len - i);
		if (!n || is_control(s[i])) {
			needs |= 1;
			n = n ? n : 1;
		} else if (s[i] == ',' || s[i] == '"') {
			needs |= 2;
		}
	}
	return needs;
}

size_t format_quote(char *out, const char *text, size_t len, bool *escaped)
{
	const unsigned char *s = (const unsigned char *)text;
	int needs = text_needs(s, len);
	char *p = out;
	size_t n;

	*escaped = needs & 1;
	if (!needs) {
		memcpy(out, text, len);
		return len;
	}
	if (needs & 2)
		*p++ = '"';
	for (size_t i = 0; i < len; i += n) {
		n = utf8_length(s + i, len - i);
		if (!n || is_control(s[i])) {
			p = plain_put_byte(p, s[i]);
			n = n ? n : 1;
			continue;
		}
		if (s[i] == '"' || (s[i] == '\\' && *escaped))
			*p++ = s[i];
		p = put_bytes(p, text + i, n);
	}
	if (needs & 2)
		*p++ = '"';
	return p - out;
}
