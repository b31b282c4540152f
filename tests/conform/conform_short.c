/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conform_short PORT N: N short TCP connections on loopback, of four clients
 * at a time with a server each, in turns over IPv4 and IPv6. The bytes that go
 * each way follow from the port that the client was given, so that every row
 * can be held against its own ports, whoever reads it. Of one connection:
 *   client: socket, connect, send of port % 997 + 1, shutdown, recv, close
 *   server: accept4, recv, send of port % 499 + 1, close
 * Prints the bytes that went to the servers, and those that came back.
 */
#include <pthread.h>
#include <unistd.h>

#include "conform/conform_net.h"

enum { CLIENTS = 4, MOST = 1024 };

struct talk {
	pthread_t client, server;
	unsigned port;
	int listeners[2];
	unsigned long n;
	unsigned long to_server, to_client;
};

static const int families[2] = { AF_INET, AF_INET6 };
static char bytes[MOST];

static void *serve(void *arg)
{
	struct talk *t = arg;

	for (unsigned long i = 0; i < t->n; i++) {
		char in[MOST];
		union address from;
		socklen_t len = sizeof(from);
		int fd = accept4(t->listeners[i % 2], &from.any, &len, SOCK_CLOEXEC);
		unsigned port;
		long n;

		must(fd >= 0, "accept4");
		port = ntohs(i % 2 ? from.v6.sin6_port : from.v4.sin_port);
		/* to the end: the client has shut down */
		n = recv(fd, in, sizeof(in), MSG_WAITALL);
		must(n == port % 997 + 1, "recv");
		t->to_server += n;
		n = port % 499 + 1;
		must(send(fd, bytes, n, MSG_NOSIGNAL) == n, "send");
		must(close(fd) == 0, "close");
	}
	return NULL;
}

static void *ask(void *arg)
{
	struct talk *t = arg;

	for (unsigned long i = 0; i < t->n; i++) {
		char in[MOST];
		union address to;
		socklen_t len = loopback(&to, families[i % 2], t->port);
		int fd = socket(families[i % 2], SOCK_STREAM | SOCK_CLOEXEC, 0);
		unsigned port;
		long n;

		must(fd >= 0, "socket");
		must(connect(fd, &to.any, len) == 0, "connect");
		port = port_of(fd);
		n = port % 997 + 1;
		must(send(fd, bytes, n, MSG_NOSIGNAL) == n, "send");
		must(shutdown(fd, SHUT_WR) == 0, "shutdown");
		n = recv(fd, in, sizeof(in), MSG_WAITALL);
		must(n == port % 499 + 1, "recv");
		t->to_client += n;
		must(close(fd) == 0, "close");
	}
	return NULL;
}

static int make_listener(int family, unsigned port)
{
	union address a;
	socklen_t len = loopback(&a, family, port);
	int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0), yes = 1;

	must(fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) == 0, "socket");
	must(bind(fd, &a.any, len) == 0 && listen(fd, 16) == 0, "listen");
	return fd;
}

int main(int argc, char **argv)
{
	struct talk talks[CLIENTS] = { 0 };
	unsigned long n, to_server = 0, to_client = 0;

	if (argc != 3) {
		fprintf(stderr, "usage: conform_short PORT N\n");
		return 2;
	}
	n = strtoul(argv[2], NULL, 10);
	for (unsigned i = 0; i < CLIENTS; i++) {
		struct talk *t = &talks[i];

		t->port = strtoul(argv[1], NULL, 10) + i;
		t->n = n / CLIENTS + (i < n % CLIENTS);
		for (int f = 0; f < 2; f++)
			t->listeners[f] = make_listener(families[f], t->port);
		must(!pthread_create(&t->server, NULL, serve, t) &&
			     !pthread_create(&t->client, NULL, ask, t),
		     "thread");
	}
	for (unsigned i = 0; i < CLIENTS; i++) {
		pthread_join(talks[i].client, NULL);
		pthread_join(talks[i].server, NULL);
		to_server += talks[i].to_server;
		to_client += talks[i].to_client;
	}
	printf("%lu %lu\n", to_server, to_client);
	return 0;
}
