/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conform_net PORT: network calls on loopback, and for each the row that it
 * must leave, one a line: the stream, then the columns that its name stands for
 * in tests/live/net.sh, between tabs. Three ports from PORT on are used. Knows
 * nothing of tracing; waits a little at its end, so that it can be asked about.
 */
#include <netinet/tcp.h>
#include <poll.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include "conform/conform_net.h"

static unsigned base_port;

/* ---- TCP ---- */

static void talk(int from, int to, const struct link *out, const struct link *in)
{
	char text[64] = "0123456789";
	struct iovec iov[2] = { { text, 3 }, { text + 3, 4 } };
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 2 };

	nw(out, true, send(from, text, 5, MSG_NOSIGNAL), 5, "MSG_NOSIGNAL");
	nw(in, false, recv(to, text, 64, MSG_PEEK), 64, "MSG_PEEK");
	nw(in, false, recv(to, text, 64, 0), 64, "");
	nw(in, false, recv(to, text, 64, MSG_DONTWAIT) < 0 ? -errno : 0, 64, "MSG_DONTWAIT");
	nw(out, true, write(from, text, 9), 9, "");
	nw(in, false, read(to, text, 33), 33, "");
	nw(out, true, writev(from, iov, 2), 7, "");
	nw(in, false, readv(to, iov, 2), 7, "");
	nw(out, true, sendmsg(from, &msg, MSG_MORE), 7, "MSG_MORE");
	nw(out, true, send(from, text, 1, 0), 1, "");
	nw(in, false, recvmsg(to, &msg, MSG_WAITALL), 7, "MSG_WAITALL");
	nw(in, false, recv(to, text, 64, 0), 64, "");
}

static void tcp(int family, unsigned port)
{
	struct link listening = { family, "TCP", port, 0 }, none = { family, "TCP", 0, 0 }, out, in;
	union address a, from;
	socklen_t len = loopback(&a, family, port), n = sizeof(from);
	int listener, one, other, yes = 1;
	char byte;

	listener = socket(family, SOCK_STREAM, 0);
	conn("SOCKET_CREATE", &none, "SOCK_STREAM", listener, listener);
	must(setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) == 0,
	     "SO_REUSEADDR");
	row("nw_sockopt\tSET\t%d\tSOL_SOCKET\tSO_REUSEADDR\t1\t0\t4\t", listener);
	must(bind(listener, &a.any, len) == 0, "bind");
	conn("BIND", &listening, "SOCK_STREAM", listener, 0);
	must(listen(listener, 7) == 0, "listen");
	conn("LISTEN", &listening, "SOCK_STREAM", listener, 0);
	one = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	conn("SOCKET_CREATE", &none, "SOCK_STREAM", one, one);
	must(connect(one, &a.any, len) == 0, "connect");
	out = (struct link){ family, "TCP", port_of(one), port };
	in = (struct link){ family, "TCP", port, out.local };
	conn("CONNECT", &out, "SOCK_STREAM", one, 0);
	other = accept(listener, &from.any, &n);
	must(other >= 0, "accept");
	conn("ACCEPT", &in, "SOCK_STREAM", other, other);
	talk(one, other, &out, &in);
	talk(other, one, &in, &out);
	must(shutdown(one, SHUT_WR) == 0, "shutdown");
	conn("SHUTDOWN", &out, "SOCK_STREAM", one, 0);
	nw(&in, false, recv(other, &byte, 1, 0), 1, "");
	nw(&out, true, send(one, "x", 1, MSG_NOSIGNAL) < 0 ? -errno : 0, 1, "MSG_NOSIGNAL");
	close(other);
	close(one);
	close(listener);
	/* nobody listens any more */
	one = socket(family, SOCK_STREAM, 0);
	conn("SOCKET_CREATE", &none, "SOCK_STREAM", one, one);
	must(connect(one, &a.any, len) < 0, "connect to nobody");
	row("refused");
	close(one);
}

/* ---- UDP ---- */

static void udp(int family, unsigned port)
{
	struct link bound = { family, "UDP", port, 0 }, none = { family, "UDP", 0, 0 }, out, in;
	union address a, from;
	socklen_t len = loopback(&a, family, port), n = sizeof(from);
	char text[64] = "datagram";
	int server = socket(family, SOCK_DGRAM, 0), client;

	conn("SOCKET_CREATE", &none, "SOCK_DGRAM", server, server);
	must(bind(server, &a.any, len) == 0, "bind");
	conn("BIND", &bound, "SOCK_DGRAM", server, 0);
	client = socket(family, SOCK_DGRAM, 0);
	conn("SOCKET_CREATE", &none, "SOCK_DGRAM", client, client);
	must(connect(client, &a.any, len) == 0, "connect");
	out = (struct link){ family, "UDP", port_of(client), port };
	in = (struct link){ family, "UDP", port, out.local };
	conn("CONNECT", &out, "SOCK_DGRAM", client, 0);
	nw(&out, true, send(client, text, 8, 0), 8, "");
	nw(&in, false, recvfrom(server, text, 64, 0, &from.any, &n), 64, "");
	nw(&in, true, sendto(server, text, 6, 0, &from.any, n), 6, "");
	nw(&out, false, read(client, text, 64), 64, "");
	/* open to the end: without kernel headers /proc is asked for the port that was chosen */
}

/* ---- Unix sockets, epoll and options ---- */

static void unix_sockets(const char *path)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int server = socket(AF_UNIX, SOCK_STREAM, 0), client = socket(AF_UNIX, SOCK_SEQPACKET, 0);
	socklen_t len;

	row("nw_conn\tSOCKET_CREATE\tAF_UNIX\tSOCK_STREAM\t\t\t\t\t\t%d\t\t\t%d\t", server, server);
	row("nw_conn\tSOCKET_CREATE\tAF_UNIX\tSOCK_SEQPACKET\t\t\t\t\t\t%d\t\t\t%d\t", client,
	    client);
	snprintf(a.sun_path, sizeof(a.sun_path), "%s", path);
	must(bind(server, (struct sockaddr *)&a, sizeof(a)) == 0, "bind");
	row("nw_conn\tBIND\tAF_UNIX\tSOCK_STREAM\t\t%s\t\t\t\t%d\t\t\t0\t", path, server);
	unlink(path);
	memcpy(a.sun_path, "\0iotracer-conform", 17);
	len = offsetof(struct sockaddr_un, sun_path) + 17;
	must(bind(client, (struct sockaddr *)&a, len) == 0, "bind");
	row("nw_conn\tBIND\tAF_UNIX\tSOCK_SEQPACKET\t\t@iotracer-conform\t\t\t\t%d\t\t\t0\t",
	    client);
	close(client);
	close(server);
}

/* event epoll target operation mask max ready timeout nfds return */
static void waiting(void)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET }, events[3];
	struct timeval tv = { 0, 2000 };
	struct timespec ts = { 0, 1500000 };
	struct pollfd fds;
	fd_set set;
	int pair[2], epoll = epoll_create1(0);

	row("nw_epoll\tEPOLL_CREATE\t%d\t\t\t\t\t0\t\t\t%d", epoll, epoll);
	must(pipe(pair) == 0, "pipe");
	must(epoll_ctl(epoll, EPOLL_CTL_ADD, pair[0], &event) == 0, "epoll_ctl");
	row("nw_epoll\tEPOLL_CTL\t%d\t%d\tEPOLL_CTL_ADD\tEPOLLIN|EPOLLET\t\t0\t\t\t0", epoll,
	    pair[0]);
	row("nw_epoll\tEPOLL_WAIT\t%d\t\t\t\t3\t%d\t0\t\t0", epoll,
	    epoll_wait(epoll, events, 3, 0));
	must(write(pair[1], "x", 1) == 1, "write");
	row("nw_epoll\tEPOLL_WAIT\t%d\t\t\t\t3\t%d\t-1\t\t1", epoll,
	    epoll_wait(epoll, events, 3, -1));
	fds = (struct pollfd){ .fd = pair[0], .events = POLLIN };
	row("nw_epoll\tPOLL\t\t\t\t\t\t%d\t10\t1\t1", poll(&fds, 1, 10));
	fds.fd = pair[1];
	row("nw_epoll\tPOLL\t\t\t\t\t\t%d\t1.500000\t1\t0", ppoll(&fds, 1, &ts, NULL));
	FD_ZERO(&set);
	FD_SET(pair[0], &set);
	row("nw_epoll\tSELECT\t\t\t\t\t\t%d\t2\t%d\t1", select(pair[0] + 1, &set, NULL, NULL, &tv),
	    pair[0] + 1);
	close(pair[0]);
	close(pair[1]);
	close(epoll);
}

static void options(void)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0), value = 1, bad;
	struct linger linger = { 1, 5 };
	struct timeval tv = { 1, 500000 };
	socklen_t len = sizeof(value);

	row("nw_conn\tSOCKET_CREATE\tAF_INET\tSOCK_STREAM\t4\t\t\t\t\t%d\t\t\t%d\tTCP", fd, fd);
	must(setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &value, sizeof(value)) == 0, "TCP_NODELAY");
	row("nw_sockopt\tSET\t%d\tIPPROTO_TCP\tTCP_NODELAY\t1\t0\t4\t", fd);
	must(setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger)) == 0, "SO_LINGER");
	row("nw_sockopt\tSET\t%d\tSOL_SOCKET\tSO_LINGER\t1\t0\t8\t1,5", fd);
	must(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv)) == 0, "SO_RCVTIMEO");
	row("nw_sockopt\tSET\t%d\tSOL_SOCKET\tSO_RCVTIMEO\t1\t0\t16\t1.500000", fd);
	must(getsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &value, &len) == 0, "TCP_NODELAY");
	row("nw_sockopt\tGET\t%d\tIPPROTO_TCP\tTCP_NODELAY\t%d\t0\t4\t", fd, value);
	/* of levels that are shown when they are asked for */
	must(setsockopt(fd, IPPROTO_IP, IP_TTL, &value, sizeof(value)) == 0, "IP_TTL");
	row("other\tSET\t%d\tIPPROTO_IP\tIP_TTL\t1\t0\t4\t", fd);
	bad = getsockopt(fd, 4711, 5, &value, &len) < 0 ? -errno : 0;
	row("other\tGET\t%d\tLEVEL(4711)\tOPT(4711,5)\t\t%d\t4\t", fd, bad);
	bad = setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &value, 1);
	row("nw_sockopt\tSET\t%d\tIPPROTO_TCP\tTCP_NODELAY\t\t%d\t1\t", fd, bad < 0 ? -errno : 0);
	close(fd);
}

int main(int argc, char **argv)
{
	if (argc != 3) {
		fprintf(stderr, "usage: conform_net PORT NAME\n");
		return 2;
	}
	base_port = strtoul(argv[1], NULL, 10);
	tcp(AF_INET, base_port);
	tcp(AF_INET6, base_port + 1);
	udp(AF_INET, base_port + 2);
	udp(AF_INET6, base_port + 2);
	unix_sockets(argv[2]);
	waiting();
	options();
	fflush(stdout);
	usleep(700000);
	return 0;
}
