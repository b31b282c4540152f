/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sockets: bound and connected ones with distinctive addresses of this machine
 * alone (127.0.0.0/8). Nothing is sent over any network.
 */
#include "compat/learn/learn_net.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "compat/learn/learn_fds.h"
#include "compat/learn/learn_fits.h"

enum {
	FILE_SIZE = 320,
	SOCKET_SIZE = 128,
	SOCK_SIZE = 1536,
	COMMON_SIZE = 136, /* of sock_common and what lies beside it, at most */
	PROTO_SIZE = 768,
	INODE_DISTANCE = 1024
};

/* States as the kernel numbers them for every protocol (TCP_ESTABLISHED …) */
enum { STATE_CONNECTED = 1, STATE_CLOSED = 7, STATE_LISTENS = 10 };

struct subject {
	int fd;
	uint16_t family, type;
	uint64_t file, inode;
	struct learn_object socket, sock;
};

/* The inode of a socket lies behind it, in one piece of memory. */
static void learn_socket_place(struct learn *learn, const struct subject *s)
{
	struct learn_object file;
	uint32_t fits[FILE_SIZE / 8];
	unsigned n = 0;

	if (!learn_read(learn, &file, s->file, FILE_SIZE))
		return;
	for (uint32_t at = 0; at < FILE_SIZE; at += 8) {
		uint64_t pointer = learn_word(&file, at);

		if (pointer < s->inode && s->inode - pointer < INODE_DISTANCE)
			fits[n++] = at;
	}
	learn_fits(learn, LAYOUT_file_private_data, fits, n);
}

static bool has_family(const struct learn_object *sock, uint16_t family)
{
	for (size_t at = 0; at < COMMON_SIZE && at + 2 <= sock->size; at += 2)
		if (!memcmp(sock->bytes + at, &family, 2))
			return true;
	return false;
}

static int32_t find_word(const struct learn_object *object, uint64_t word)
{
	for (size_t at = 0; at + 8 <= object->size; at += 8)
		if (learn_word(object, at) == word)
			return (int32_t)at;
	return -1;
}

/* socket and sock lead to each other. */
static void learn_sock_place(struct learn *learn, const struct subject *s)
{
	struct learn_object sock;
	uint32_t fits[SOCKET_SIZE / 8];
	unsigned n = 0;

	for (uint32_t at = 0; at < SOCKET_SIZE; at += 8) {
		uint64_t pointer = learn_lead(learn, LAYOUT_socket_sk, &s->socket, at);

		if (pointer && learn_read(learn, &sock, pointer, SOCK_SIZE) &&
		    has_family(&sock, s->family) && find_word(&sock, s->socket.at) >= 0)
			fits[n++] = at;
	}
	learn_fits(learn, LAYOUT_socket_sk, fits, n);
}

static bool read_sock(struct learn *learn, struct subject *s)
{
	uint64_t sk = learn_follow(learn, LAYOUT_socket_sk, s->socket.at);

	return sk && learn_read(learn, &s->sock, sk, SOCK_SIZE);
}

static bool open_subject(struct learn *learn, struct subject *s)
{
	s->file = s->fd < 0 ? 0 : learn_file(learn, s->fd);
	s->inode = learn_follow(learn, LAYOUT_file_f_inode, s->file);
	if (!s->inode)
		return false;
	learn_socket_place(learn, s);
	if (!learn_read(learn, &s->socket, learn_follow(learn, LAYOUT_file_private_data, s->file),
			SOCKET_SIZE))
		return false;
	learn_value(learn, LAYOUT_socket_type, &s->socket, 0, SOCKET_SIZE, &s->type, 2);
	learn_sock_place(learn, s);
	if (!read_sock(learn, s))
		return false;
	learn_value(learn, LAYOUT_sock_common_skc_family, &s->sock, 0, COMMON_SIZE, &s->family, 2);
	learn_value(learn, LAYOUT_sock_sk_socket, &s->sock, 0, SOCK_SIZE, &s->socket.at, 8);
	return true;
}

static void learn_state(struct learn *learn, const struct subject *s, uint8_t state)
{
	learn_value(learn, LAYOUT_sock_common_skc_state, &s->sock, 0, COMMON_SIZE, &state, 1);
}

/* How the protocol calls itself, in a structure of the kernel or of a module. */
static void learn_protocol(struct learn *learn, const struct subject *s, const char *name)
{
	uint32_t fits[COMMON_SIZE / 8], names[LEARN_MAX_FITS];
	struct learn_object proto;
	size_t size = strlen(name) + 1;
	unsigned n = 0, n_names = 0;

	for (uint32_t at = 0; at < COMMON_SIZE; at += 8) {
		uint64_t pointer = learn_word(&s->sock, at);

		if ((int64_t)pointer >= -4096 || pointer % 8 ||
		    !learn_may_be(learn, LAYOUT_sock_common_skc_prot, at) ||
		    !learn_read(learn, &proto, pointer, PROTO_SIZE))
			continue;
		n_names = 0;
		for (uint32_t k = 0; k + size <= proto.size && n_names < LEARN_MAX_FITS; k += 8)
			if (!memcmp(proto.bytes + k, name, size))
				names[n_names++] = k;
		if (!n_names)
			continue;
		fits[n++] = at;
		learn_fits(learn, LAYOUT_proto_name, names, n_names);
	}
	learn_fits(learn, LAYOUT_sock_common_skc_prot, fits, n);
}

/* ---- of the internet ---- */

static void learn_ports(struct learn *learn, const struct subject *s, uint16_t local,
			uint16_t remote)
{
	uint16_t network = htons(local);

	learn_value(learn, LAYOUT_sock_common_skc_num, &s->sock, 0, COMMON_SIZE, &local, 2);
	learn_value(learn, LAYOUT_inet_sock_inet_sport, &s->sock, COMMON_SIZE, SOCK_SIZE, &network,
		    2);
	network = htons(remote);
	if (remote)
		learn_value(learn, LAYOUT_sock_common_skc_dport, &s->sock, 0, COMMON_SIZE, &network,
			    2);
}

/* 127.x.y.z, different for every object and both ends. */
static uint32_t address_of(unsigned round, unsigned i, unsigned end)
{
	return htonl(0x7f000000 | (0x21 + round * 0x10 + i) << 16 | (0x87 + i * 8 + end) << 8 |
		     (0x15 + round + end * 0x40));
}

static int bound(int type, uint32_t address, uint16_t *port)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_addr.s_addr = address };
	socklen_t size = sizeof(in);
	int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -1;
	if (bind(fd, (struct sockaddr *)&in, size) ||
	    getsockname(fd, (struct sockaddr *)&in, &size)) {
		close(fd);
		return -1;
	}
	*port = ntohs(in.sin_port);
	return fd;
}

/* A UDP socket is connected without a packet. */
static void learn_udp(struct learn *learn, unsigned round, unsigned i)
{
	uint32_t local = address_of(round, i, 0), remote = address_of(round, i, 1);
	struct sockaddr_in peer = { .sin_family = AF_INET, .sin_addr.s_addr = remote };
	uint16_t port = 0, far = (uint16_t)(0x1d37 + 0x111 * (round * 3 + i));
	struct subject s = { .family = AF_INET, .type = SOCK_DGRAM };

	s.fd = bound(SOCK_DGRAM, local, &port);
	peer.sin_port = htons(far);
	if (s.fd < 0)
		return;
	if (!connect(s.fd, (struct sockaddr *)&peer, sizeof(peer)) && open_subject(learn, &s)) {
		learn_value(learn, LAYOUT_sock_common_skc_rcv_saddr, &s.sock, 0, COMMON_SIZE,
			    &local, 4);
		learn_value(learn, LAYOUT_sock_common_skc_daddr, &s.sock, 0, COMMON_SIZE, &remote,
			    4);
		learn_ports(learn, &s, port, far);
		learn_state(learn, &s, STATE_CONNECTED);
		learn_protocol(learn, &s, "UDP");
	}
	close(s.fd);
}

static void learn_tcp(struct learn *learn, unsigned round, bool listens)
{
	struct subject s = { .family = AF_INET, .type = SOCK_STREAM };
	uint32_t local = address_of(round, 5 + listens, 0);
	uint16_t port = 0;

	s.fd = bound(SOCK_STREAM, local, &port);
	if (s.fd < 0)
		return;
	if ((!listens || !listen(s.fd, 1)) && open_subject(learn, &s)) {
		learn_value(learn, LAYOUT_sock_common_skc_rcv_saddr, &s.sock, 0, COMMON_SIZE,
			    &local, 4);
		learn_ports(learn, &s, port, 0);
		learn_state(learn, &s, listens ? STATE_LISTENS : STATE_CLOSED);
		learn_protocol(learn, &s, "TCP");
	}
	close(s.fd);
}

/* Addresses of version 4 in the form of version 6, which 127.0.0.0/8 has for both ends, too. */
static void mapped(struct sockaddr_in6 *in6, uint32_t address, uint16_t port)
{
	memset(in6, 0, sizeof(*in6));
	in6->sin6_family = AF_INET6;
	in6->sin6_port = htons(port);
	in6->sin6_addr.s6_addr[10] = in6->sin6_addr.s6_addr[11] = 0xff;
	memcpy(in6->sin6_addr.s6_addr + 12, &address, 4);
}

static void learn_udp6(struct learn *learn, unsigned round)
{
	struct subject s = { .family = AF_INET6, .type = SOCK_DGRAM };
	struct sockaddr_in6 local, remote;
	int off = 0;

	s.fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (s.fd < 0)
		return;
	mapped(&local, address_of(round, 3, 0), 0);
	mapped(&remote, address_of(round, 3, 1), (uint16_t)(0x2d41 + 0x111 * round));
	setsockopt(s.fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
	if (!bind(s.fd, (struct sockaddr *)&local, sizeof(local)) &&
	    !connect(s.fd, (struct sockaddr *)&remote, sizeof(remote)) && open_subject(learn, &s)) {
		learn_value(learn, LAYOUT_sock_common_skc_v6_rcv_saddr, &s.sock, 0, COMMON_SIZE,
			    &local.sin6_addr, 16);
		learn_value(learn, LAYOUT_sock_common_skc_v6_daddr, &s.sock, 0, COMMON_SIZE,
			    &remote.sin6_addr, 16);
		learn_protocol(learn, &s, "UDPv6");
	}
	close(s.fd);
}

/* ---- of this machine ---- */

/* Its other end was closed with bytes unread: an error that is kept until somebody asks. */
static void learn_error(struct learn *learn, int type)
{
	struct subject s = { .family = AF_UNIX, .type = (uint16_t)type };
	struct learn_object after;
	uint32_t fits[LEARN_MAX_FITS], reset = 104; /* ECONNRESET */
	socklen_t size = sizeof(int);
	unsigned n = 0;
	int pair[2], error;

	if (socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, pair))
		return;
	s.fd = pair[0];
	if (send(s.fd, "x", 1, 0) == 1 && !close(pair[1]) && open_subject(learn, &s) &&
	    !getsockopt(s.fd, SOL_SOCKET, SO_ERROR, &error, &size) && error == (int)reset &&
	    learn_read(learn, &after, s.sock.at, SOCK_SIZE)) {
		for (uint32_t at = 0; at + 4 <= after.size && n < LEARN_MAX_FITS; at += 4) {
			uint32_t was, is;

			memcpy(&was, s.sock.bytes + at, 4);
			memcpy(&is, after.bytes + at, 4);
			if (was == reset && !is)
				fits[n++] = at;
		}
		learn_fits(learn, LAYOUT_sock_sk_err, fits, n);
	}
	close(s.fd);
}

void learn_sockets(struct learn *learn, unsigned round)
{
	for (unsigned i = 0; i < 3; i++)
		learn_udp(learn, round, i);
	learn_tcp(learn, round, false);
	learn_tcp(learn, round, true);
	learn_udp6(learn, round);
	learn_error(learn, SOCK_STREAM);
	learn_error(learn, SOCK_SEQPACKET);
}
