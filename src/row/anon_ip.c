/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns addresses without addresses: two of them share as many leading bits
 * afterwards as before (the scheme of Crypto-PAn, with HMAC-SHA-256 as its
 * random function), so that networks stay networks. Loopback and "any" stay
 * what they are: they tell nothing, and everything is compared with them.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

#include "row/anon_ip.h"

#include "row/anon_hash.h"

enum { SLOTS = 1024, IP4 = 4, IP6 = 16, MAPPED_BITS = 96 };

struct slot {
	unsigned char len; /* 0: empty */
	unsigned char in[IP6];
	unsigned char out[IP6];
};

static struct slot slots[SLOTS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void anon_ip_forget(void)
{
	explicit_bzero(slots, sizeof(slots));
}

/* What stays as it is; nothing else can become one of them, because the bits on their way stay as well. */
static const struct fixed {
	unsigned char len;
	unsigned char bits;
	unsigned char addr[IP6];
} fixed[] = {
	{ IP4, 32, { 0 } },
	{ IP4, 8, { 127 } },
	{ IP6, 128, { 0 } },
	{ IP6, 128, { [15] = 1 } },
	{ IP6, MAPPED_BITS, { [10] = 0xff, [11] = 0xff } },
};

static bool bit_of(const unsigned char *addr, unsigned i)
{
	return addr[i / 8] >> (7 - i % 8) & 1;
}

static bool same_bits(const unsigned char *a, const unsigned char *b, unsigned n)
{
	if (memcmp(a, b, n / 8))
		return false;
	return !(n % 8) || !((a[n / 8] ^ b[n / 8]) >> (8 - n % 8));
}

/* Whether the bit behind these n leads to, or away from, an address that stays. */
static bool is_fixed(const unsigned char *in, unsigned len, unsigned n)
{
	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
		if (fixed[i].len == len && n < fixed[i].bits && same_bits(in, fixed[i].addr, n))
			return true;
	return false;
}

/*
 * The random function of the bits in front of a bit: one hash for each byte, of
 * those before it, has a bit for every way to a bit of this byte.
 */
static void hash_before(const unsigned char *in, unsigned len, unsigned byte,
			char hex[SHA256_HEX_SIZE])
{
	/*
	 * zeros behind what is hashed: the number of bytes in front keeps it apart from an
	 * address of zeros
	 */
	unsigned char text[2 + IP6] = { (unsigned char)len, (unsigned char)byte };

	memcpy(text + 2, in, byte);
	anon_hash(text, sizeof(text), hex);
}

/*
 * The bits of this byte before `bit` are a way through a tree of eight levels; each of its
 * 255 nodes has a bit of its own among the 256 of the hash.
 */
static bool flips(const char hex[SHA256_HEX_SIZE], unsigned char byte, unsigned bit)
{
	unsigned way = 1u << bit | (bit ? byte >> (8 - bit) : 0); /* 1 … 255 */
	char digit = hex[way / 4];

	return (digit <= '9' ? digit - '0' : digit - 'a' + 10) >> way % 4 & 1;
}

static void hide(const unsigned char *in, unsigned len, unsigned char *out)
{
	char hex[SHA256_HEX_SIZE];

	memset(out, 0, len);
	for (unsigned i = 0; i < len * 8; i++) {
		bool bit = bit_of(in, i);

		if (i % 8 == 0)
			hash_before(in, len, i / 8, hex);
		bit ^= !is_fixed(in, len, i) && flips(hex, in[i / 8], i % 8);
		out[i / 8] |= (unsigned char)(bit << (7 - i % 8));
	}
}

/* Below 127/8 all stays, as below ::ffff:0:0/96 the mapped address is one of version 4. */
static void hide_any(const unsigned char *in, unsigned len, unsigned char *out)
{
	static const unsigned char mapped[IP6] = { [10] = 0xff, [11] = 0xff };

	if (len == IP4 && in[0] == 127) {
		memcpy(out, in, len);
	} else if (len == IP6 && same_bits(in, mapped, MAPPED_BITS)) {
		memcpy(out, in, MAPPED_BITS / 8);
		hide_any(in + MAPPED_BITS / 8, IP4, out + MAPPED_BITS / 8);
	} else {
		hide(in, len, out);
	}
}

static struct slot *slot_of(const unsigned char *in, unsigned len)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (unsigned i = 0; i < len; i++)
		hash = (hash ^ in[i]) * 0x100000001b3u;
	return &slots[(hash ^ hash >> 32) % SLOTS];
}

/* As in anon.c: nobody waits for the lock. */
static bool recall(const struct slot *slot, const unsigned char *in, unsigned len,
		   unsigned char *out)
{
	bool known;

	if (pthread_mutex_trylock(&lock))
		return false;
	known = slot->len == len && !memcmp(slot->in, in, len);
	if (known)
		memcpy(out, slot->out, len);
	pthread_mutex_unlock(&lock);
	return known;
}

static void keep(struct slot *slot, const unsigned char *in, unsigned len, const unsigned char *out)
{
	if (pthread_mutex_trylock(&lock))
		return;
	slot->len = (unsigned char)len;
	memcpy(slot->in, in, len);
	memcpy(slot->out, out, len);
	pthread_mutex_unlock(&lock);
}

void anon_ip(int family, const unsigned char *in, unsigned char *out)
{
	unsigned len = family == AF_INET ? IP4 : family == AF_INET6 ? IP6 : 0;
	struct slot *slot;

	if (!len)
		return;
	slot = slot_of(in, len);
	if (recall(slot, in, len, out))
		return;
	hide_any(in, len, out);
	keep(slot, in, len, out);
}
