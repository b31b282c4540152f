/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Traffic that the kernel has to repeat or to throw away, for tests that count
 * what becomes of it:
 *
 *   drops serve PORT N              takes N connections, one after the other, and all they send
 *   drops send ADDRESS PORT BYTES   one connection; ends when the other end has everything
 *   drops udp ADDRESS PORT N BYTES [SOURCE-PORT]
 *   drops options ADDRESS PORT N SOURCE-PORT
 *                                   UDP (IPv6) behind a header of options
 *   drops badsum ADDRESS PORT N     UDP (IPv4) with checksums that are wrong
 *   drops badping ADDRESS N         the same of ICMP, an echo request
 *   drops frame DEVICE N            frames of a protocol that nobody knows
 *
 * Prints nothing but errors; exit status 1 for these.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <netinet/udp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define UNKNOWN_PROTOCOL 0x88b5 /* for local experiments (IEEE 802) */

static void __attribute__((noreturn)) die(const char *what)
{
	fprintf(stderr, "drops: %s: %s\n", what, strerror(errno));
	exit(1);
}

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

static socklen_t address_of(union address *a, const char *text, int port)
{
	memset(a, 0, sizeof(*a));
	if (inet_pton(AF_INET, text, &a->v4.sin_addr) == 1) {
		a->v4.sin_family = AF_INET;
		a->v4.sin_port = htons(port);
		return sizeof(a->v4);
	}
	if (inet_pton(AF_INET6, text, &a->v6.sin6_addr) != 1) {
		errno = EINVAL;
		die(text);
	}
	a->v6.sin6_family = AF_INET6;
	a->v6.sin6_port = htons(port);
	return sizeof(a->v6);
}

static int new_socket(int family, int type, int protocol)
{
	int fd = socket(family, type, protocol);

	if (fd < 0)
		die("socket");
	return fd;
}

static void serve(int port, int n)
{
	static char buf[65536];
	union address a;
	socklen_t len = address_of(&a, "::", port);
	int fd = new_socket(AF_INET6, SOCK_STREAM, 0), one = 1, peer;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, &a.any, len) || listen(fd, 8))
		die("listen");
	while (n-- > 0) {
		peer = accept(fd, NULL, NULL);
		if (peer < 0)
			die("accept");
		while (read(peer, buf, sizeof(buf)) > 0)
			;
		close(peer);
	}
}

static void send_all(const char *to, int port, long bytes)
{
	static char buf[8192];
	union address a;
	socklen_t len = address_of(&a, to, port);
	int fd = new_socket(a.any.sa_family, SOCK_STREAM, 0);

	if (connect(fd, &a.any, len))
		die("connect");
	while (bytes > 0) {
		ssize_t n = write(fd, buf, bytes < (long)sizeof(buf) ? (size_t)bytes : sizeof(buf));

		if (n < 0)
			die("write");
		bytes -= n;
	}
	shutdown(fd, SHUT_WR);
	if (read(fd, buf, 1) != 0)
		die("the other end's end");
}

static void udp(const char *to, int port, int n, int bytes, int from)
{
	static char buf[65536];
	union address a, mine;
	socklen_t len = address_of(&a, to, port);
	int fd = new_socket(a.any.sa_family, SOCK_DGRAM, 0);

	address_of(&mine, a.any.sa_family == AF_INET ? "0.0.0.0" : "::", from);
	if (from && bind(fd, &mine.any, len))
		die("bind");
	while (n-- > 0)
		if (sendto(fd, buf, bytes, 0, &a.any, len) < 0)
			die("sendto");
}

static void options(const char *to, int port, int n, int from)
{
	/* next header (the kernel's), no more than these 8 bytes, 4 bytes that mean nothing */
	static const unsigned char padding[8] = { 0, 0, 1, 4 };
	union address a, mine;
	socklen_t len = address_of(&a, to, port);
	int fd = new_socket(AF_INET6, SOCK_DGRAM, 0);

	address_of(&mine, "::", from);
	if (bind(fd, &mine.any, len) ||
	    setsockopt(fd, IPPROTO_IPV6, IPV6_DSTOPTS, padding, sizeof(padding)))
		die("IPV6_DSTOPTS");
	while (n-- > 0)
		if (sendto(fd, "data", 4, 0, &a.any, len) < 0)
			die("sendto");
}

static void bad_pings(const char *to, int n)
{
	struct {
		unsigned char type, code;
		unsigned short check, id, seq;
		char data[32];
	} packet = { 8, 0, 1, 2, 3, "" };
	union address a;
	socklen_t len = address_of(&a, to, 0);
	int fd = new_socket(AF_INET, SOCK_RAW, IPPROTO_ICMP);

	while (n-- > 0)
		if (sendto(fd, &packet, sizeof(packet), 0, &a.any, len) < 0)
			die("sendto");
}

static void bad_sums(const char *to, int port, int n)
{
	struct {
		struct udphdr head;
		char data[32];
	} packet = {
		.head = { .source = htons(port),
			  .dest = htons(port),
			  .len = htons(sizeof(packet)) },
	};
	union address a;
	socklen_t len = address_of(&a, to, 0);
	int fd = new_socket(AF_INET, SOCK_RAW, IPPROTO_UDP);

	/* 0 would be none; that it is right by chance, the receiver's own count shows */
	for (packet.head.check = htons(1); n > 0; n--) {
		memset(packet.data, n, sizeof(packet.data));
		if (sendto(fd, &packet, sizeof(packet), 0, &a.any, len) < 0)
			die("sendto");
	}
}

static void frames(const char *device, int n)
{
	struct sockaddr_ll to = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(UNKNOWN_PROTOCOL),
		.sll_halen = ETH_ALEN,
		.sll_ifindex = (int)if_nametoindex(device),
		.sll_addr = { 255, 255, 255, 255, 255, 255 },
	};
	int fd = new_socket(AF_PACKET, SOCK_DGRAM, 0);
	char data[60] = "";

	while (n-- > 0)
		if (sendto(fd, data, sizeof(data), 0, (struct sockaddr *)&to, sizeof(to)) < 0)
			die("sendto");
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "serve") && argc == 4)
		serve(atoi(argv[2]), atoi(argv[3]));
	else if (!strcmp(what, "send") && argc == 5)
		send_all(argv[2], atoi(argv[3]), atol(argv[4]));
	else if (!strcmp(what, "udp") && argc >= 6)
		udp(argv[2], atoi(argv[3]), atoi(argv[4]), atoi(argv[5]),
		    argc > 6 ? atoi(argv[6]) : 0);
	else if (!strcmp(what, "badsum") && argc == 5)
		bad_sums(argv[2], atoi(argv[3]), atoi(argv[4]));
	else if (!strcmp(what, "options") && argc == 6)
		options(argv[2], atoi(argv[3]), atoi(argv[4]), atoi(argv[5]));
	else if (!strcmp(what, "badping") && argc == 4)
		bad_pings(argv[2], atoi(argv[3]));
	else if (!strcmp(what, "frame") && argc == 4)
		frames(argv[2], atoi(argv[3]));
	else
		return 2;
	return 0;
}
