/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conform_sockets PORT: sockets in less usual ways (many messages in one call,
 * sendfile and splice, descriptors that others inherit or are sent, programs
 * that are killed while they wait, connections that come to nothing), and for
 * each call the row that it must leave, as conform_net prints them. Eight ports
 * from PORT on are used. Knows nothing of tracing; waits where /proc may be asked.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "conform/conform_net.h"

/* linux/errno.h: what the kernel's functions return when a signal ends them */
enum { RESTARTSYS = 512, RESTARTNOHAND = 514, RESTART_RESTARTBLOCK = 516 };

/* poll() of the C library is ppoll where the machine has no other. */
#ifdef SYS_poll
enum { POLL_ENDED = -RESTART_RESTARTBLOCK };
#else
enum { POLL_ENDED = -RESTARTNOHAND };
#endif

static unsigned base_port;

/* ---- sockets ---- */

static int make(int family, int type)
{
	struct link none = { family, type == SOCK_DGRAM ? "UDP" : "TCP", 0, 0 };
	int fd = socket(family, type, 0);

	conn("SOCKET_CREATE", &none, type == SOCK_DGRAM ? "SOCK_DGRAM" : "SOCK_STREAM", fd, fd);
	return fd;
}

static int make_bound(int family, int type, unsigned port)
{
	const char *name = type == SOCK_DGRAM ? "UDP" : "TCP";
	struct link bound = { family, name, port, 0 };
	union address a;
	socklen_t len = loopback(&a, family, port);
	int fd = make(family, type), yes = 1;

	must(setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) == 0, "SO_REUSEADDR");
	row("nw_sockopt\tSET\t%d\tSOL_SOCKET\tSO_REUSEADDR\t1\t0\t4\t", fd);
	must(bind(fd, &a.any, len) == 0, "bind");
	conn("BIND", &bound, type == SOCK_DGRAM ? "SOCK_DGRAM" : "SOCK_STREAM", fd, 0);
	return fd;
}

static int make_listener(int family, unsigned port)
{
	struct link bound = { family, "TCP", port, 0 };
	int fd = make_bound(family, SOCK_STREAM, port);

	must(listen(fd, 7) == 0, "listen");
	conn("LISTEN", &bound, "SOCK_STREAM", fd, 0);
	return fd;
}

struct pair {
	int one, other;
	struct link out, in; /* as one sees it, and the other */
};

/* accept(fd, NULL): nobody asks for the peer's address. */
static struct pair make_pair(int family, int listener, unsigned port)
{
	union address a;
	socklen_t len = loopback(&a, family, port);
	struct pair p = { .one = make(family, SOCK_STREAM) };

	must(connect(p.one, &a.any, len) == 0, "connect");
	p.out = (struct link){ family, "TCP", port_of(p.one), port };
	p.in = (struct link){ family, "TCP", port, p.out.local };
	conn("CONNECT", &p.out, "SOCK_STREAM", p.one, 0);
	p.other = accept(listener, NULL, NULL);
	must(p.other >= 0, "accept");
	conn("ACCEPT", &p.in, "SOCK_STREAM", p.other, p.other);
	usleep(300000);
	return p;
}

static void sends(const struct pair *p, const char *text, size_t n)
{
	nw(&p->out, true, send(p->one, text, n, 0), n, "");
}

static void receives(const struct pair *p, size_t n)
{
	char text[4096];

	nw(&p->in, false, recv(p->other, text, n, MSG_WAITALL), n, "MSG_WAITALL");
}

/* ---- many messages in one call ---- */

enum { MANY = 70 };

/* Message i: two pieces, of i % 7 + 1 bytes and of 2; to be received: of 32 and 2. */
static void messages(struct mmsghdr *msgs, struct iovec (*iovs)[2], int n, bool receive)
{
	static char bytes[MANY][64];
	static union address from[MANY];

	memset(msgs, 0, n * sizeof(*msgs));
	for (int i = 0; i < n; i++) {
		iovs[i][0] = (struct iovec){ bytes[i], receive ? 32 : (size_t)i % 7 + 1 };
		iovs[i][1] = (struct iovec){ bytes[i] + 32, 2 };
		msgs[i].msg_hdr.msg_iov = iovs[i];
		msgs[i].msg_hdr.msg_iovlen = 2;
		if (receive) {
			msgs[i].msg_hdr.msg_name = &from[i];
			msgs[i].msg_hdr.msg_namelen = sizeof(from[i]);
		}
	}
}

static void many(int family, unsigned port)
{
	int server = make_bound(family, SOCK_DGRAM, port),
	    client = make_bound(family, SOCK_DGRAM, port + 1);
	struct link out = { family, "UDP", port + 1, port }, in = { family, "UDP", port, port + 1 };
	static const int counts[] = { 1, 3, MANY };
	struct iovec iovs[MANY][2];
	struct mmsghdr msgs[MANY];
	union address a;
	socklen_t len = loopback(&a, family, port);

	must(connect(client, &a.any, len) == 0, "connect");
	conn("CONNECT", &out, "SOCK_DGRAM", client, 0);
	for (size_t k = 0; k < sizeof(counts) / sizeof(counts[0]); k++) {
		int n = counts[k];

		messages(msgs, iovs, n, false);
		must(sendmmsg(client, msgs, n, MSG_NOSIGNAL) == n, "sendmmsg");
		for (int i = 0; i < n; i++)
			nw(&out, true, i % 7 + 3, i % 7 + 3, "MSG_NOSIGNAL");
		messages(msgs, iovs, n, true);
		must(recvmmsg(server, msgs, n, 0, NULL) == n, "recvmmsg");
		for (int i = 0; i < n; i++)
			nw(&in, false, msgs[i].msg_len, 34, "");
	}
	/* from a socket that is not connected */
	messages(msgs, iovs, 2, false);
	for (int i = 0; i < 2; i++) {
		msgs[i].msg_hdr.msg_name = &a;
		msgs[i].msg_hdr.msg_namelen = loopback(&a, family, port + 1 + i);
		must(sendmmsg(server, msgs + i, 1, 0) == 1, "sendmmsg");
		in.remote = port + 1 + i;
		nw(&in, true, i + 3, i + 3, "");
	}
	messages(msgs, iovs, 2, true);
	nw(&out, false, recvmmsg(client, msgs, 1, 0, NULL) == 1 ? 3 : -errno, 34, "");
	/* no message is no row, an empty one is */
	nw(&out, true, sendmmsg(client, msgs, 0, 0) + send(client, "", 0, 0), 0, "");
	in.remote = port + 1;
	nw(&in, false, recvmmsg(server, msgs, 1, 0, NULL) == 1 ? 0 : -errno, 34, "");
	in.remote = 0;
	nw(&in, false, recvmmsg(server, msgs, 2, MSG_DONTWAIT, NULL) < 0 ? -errno : 0, 34,
	   "MSG_DONTWAIT");
	close(client);
	close(server);
}

/* ---- files to sockets ---- */

static void files(const struct pair *p)
{
	char bytes[4096] = "";
	int file = memfd_create("file", 0), pipes[2];

	must(write(file, bytes, 3000) == 3000 && pipe(pipes) == 0, "memfd_create");
	must(lseek(file, 0, SEEK_SET) == 0, "lseek");
	nw(&p->out, true, sendfile(p->one, file, NULL, 3000), 3000, "");
	receives(p, 3000);
	must(write(pipes[1], bytes, 2000) == 2000, "write");
	nw(&p->out, true, splice(pipes[0], NULL, p->one, NULL, 2000, 0), 2000, "");
	nw(&p->in, false, splice(p->other, NULL, pipes[1], NULL, 4096, 0), 4096, "");
	close(file);
	close(pipes[0]);
	close(pipes[1]);
}

/* ---- sockets of others ---- */

static void send_fd(int to, int fd)
{
	char control[CMSG_SPACE(sizeof(fd))] = "", byte = 0;
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = control,
			      .msg_controllen = sizeof(control) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	must(sendmsg(to, &msg, 0) == 1, "sendmsg");
}

static int receive_fd(int from)
{
	char control[CMSG_SPACE(sizeof(int))] = "", byte;
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = control,
			      .msg_controllen = sizeof(control) };
	int fd;

	must(recvmsg(from, &msg, 0) == 1 && CMSG_FIRSTHDR(&msg), "recvmsg");
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(fd));
	return fd;
}

/* A child that was there before the connection is sent its descriptor, and writes; another one inherits it. */
static void others(int family, int listener, unsigned port)
{
	int unix_pair[2], status;
	struct pair p;
	pid_t child;
	char byte;

	must(socketpair(AF_UNIX, SOCK_STREAM, 0, unix_pair) == 0, "socketpair");
	child = fork();
	if (!child) {
		int fd = receive_fd(unix_pair[1]);

		/* what the number meant to the sender, it need not mean here */
		if (send(fd, "abcde", 5, 0) != 5 || send(fd, "abc", 3, 0) != 3 ||
		    write(unix_pair[1], "", 1) != 1)
			_exit(1);
		_exit(read(unix_pair[1], &byte, 1) != 1);
	}
	p = make_pair(family, listener, port);
	send_fd(unix_pair[0], p.one);
	must(read(unix_pair[0], &byte, 1) == 1, "read");
	nw(&p.out, true, 5, 5, "");
	nw(&p.out, true, 3, 3, "");
	receives(&p, 8);
	usleep(300000);
	must(write(unix_pair[0], "", 1) == 1 && waitpid(child, &status, 0) == child && !status,
	     "child");
	child = fork();
	if (!child)
		_exit(send(p.one, "abcd", 4, 0) != 4);
	must(waitpid(child, &status, 0) == child && !status, "child");
	nw(&p.out, true, 4, 4, "");
	receives(&p, 4);
	close(p.one);
	close(p.other);
	close(unix_pair[0]);
	close(unix_pair[1]);
}

/* ---- killed while waiting ---- */

enum waiting { IN_RECV, IN_ACCEPT, IN_EPOLL, IN_POLL, N_WAITING };

static void wait_for_ever(enum waiting where, const struct pair *p, int listener, int epoll)
{
	struct epoll_event event;
	struct pollfd fds = { .fd = p->other, .events = POLLIN };
	char byte;

	if (where == IN_RECV)
		recv(p->other, &byte, 1, 0);
	else if (where == IN_ACCEPT)
		accept(listener, NULL, NULL);
	else if (where == IN_EPOLL)
		epoll_wait(epoll, &event, 1, -1);
	else
		poll(&fds, 1, -1);
	_exit(1);
}

/* It has nothing to wait for but in that call. */
static void until_it_waits(pid_t child)
{
	char name[64], line[256];
	const char *state = NULL;
	FILE *stat;

	snprintf(name, sizeof(name), "/proc/%d/stat", child);
	while (!state || state[2] != 'S') {
		usleep(20000);
		stat = fopen(name, "r");
		must(stat && fgets(line, sizeof(line), stat), name);
		fclose(stat);
		state = strchr(line, ')');
	}
}

static void killed(int family, int listener, unsigned port)
{
	struct link listening = { family, "TCP", port, 0 };
	struct pair p = make_pair(family, listener, port);
	struct epoll_event event = { .events = EPOLLIN };
	int epoll = epoll_create1(0), status;

	row("nw_epoll\tEPOLL_CREATE\t%d\t\t\t\t\t0\t\t\t%d", epoll, epoll);
	must(epoll_ctl(epoll, EPOLL_CTL_ADD, p.other, &event) == 0, "epoll_ctl");
	row("nw_epoll\tEPOLL_CTL\t%d\t%d\tEPOLL_CTL_ADD\tEPOLLIN\t\t0\t\t\t0", epoll, p.other);
	for (enum waiting where = IN_RECV; where < N_WAITING; where++) {
		pid_t child = fork();

		if (!child)
			wait_for_ever(where, &p, listener, epoll);
		until_it_waits(child);
		must(kill(child, SIGKILL) == 0 && waitpid(child, &status, 0) == child &&
			     WIFSIGNALED(status),
		     "kill");
		if (where == IN_RECV)
			nw(&p.in, false, -RESTARTSYS, 1, "");
		else if (where == IN_ACCEPT)
			conn("ACCEPT", &listening, "SOCK_STREAM", listener, -RESTARTSYS);
		else if (where == IN_EPOLL)
			row("nw_epoll\tEPOLL_WAIT\t%d\t\t\t\t1\t%d\t-1\t\t%d", epoll, -EINTR,
			    -EINTR);
		else
			row("nw_epoll\tPOLL\t\t\t\t\t\t%d\t-1\t1\t%d", POLL_ENDED, POLL_ENDED);
	}
	close(epoll);
	close(p.one);
	close(p.other);
}

/* ---- connections that come to nothing ---- */

/*
 * In these rows the local end is not compared (tests/live/net.sh): one that was
 * given up has a port for a moment, of which only the kernel knows.
 */
static void nothing(int family, unsigned port)
{
	struct link nobody = { family, "TCP", 0, port };
	union address a;
	socklen_t len = loopback(&a, family, port);
	int fd = make(family, SOCK_STREAM | SOCK_NONBLOCK), ret;
	struct pollfd fds = { .fd = fd, .events = POLLOUT };

	ret = connect(fd, &a.any, len) < 0 ? -errno : 0;
	conn("CONNECT", &nobody, "SOCK_STREAM", fd, ret);
	if (ret == -EINPROGRESS) {
		row("nw_epoll\tPOLL\t\t\t\t\t\t%d\t1000\t1\t1", poll(&fds, 1, 1000));
		conn("CONNECT", &nobody, "SOCK_STREAM", fd, -ECONNREFUSED);
	}
	close(fd);
	if (family != AF_INET)
		return;
	/* TCP does not speak to all hosts of a network */
	a.v4.sin_addr.s_addr = INADDR_BROADCAST;
	fd = make(family, SOCK_STREAM);
	must(connect(fd, &a.any, len) < 0 && errno == ENETUNREACH, "connect to all");
	row("nw_conn\tCONNECT\tAF_INET\tSOCK_STREAM\t4\t\t\t255.255.255.255\t%u\t%d\t\t\t%d\tTCP",
	    port, fd, -ENETUNREACH);
	close(fd);
}

/* Each has the same descriptor and another port, and is there for a moment. */
static void one_after_the_other(int family, unsigned port)
{
	union address a;
	socklen_t len = loopback(&a, family, port);
	struct link none = { family, "UDP", 0, 0 };

	for (int i = 0; i < 1000; i++) {
		int fd = socket(family, SOCK_DGRAM, 0);
		struct link out = { family, "UDP", 0, port };

		must(connect(fd, &a.any, len) == 0, "connect");
		out.local = port_of(fd);
		conn("SOCKET_CREATE", &none, "SOCK_DGRAM", fd, fd);
		conn("CONNECT", &out, "SOCK_DGRAM", fd, 0);
		nw(&out, true, send(fd, "x", 1, 0) == 1 ? 1 : -errno, 1, "");
		usleep(300);
		close(fd);
	}
}

/* ---- names with a NUL ---- */

static void names(void)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	static const char text[] = "\0io\0tracer";
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	row("nw_conn\tSOCKET_CREATE\tAF_UNIX\tSOCK_STREAM\t\t\t\t\t\t%d\t\t\t%d\t", fd, fd);
	memcpy(a.sun_path, text, sizeof(text) - 1);
	must(bind(fd, (struct sockaddr *)&a,
		  offsetof(struct sockaddr_un, sun_path) + sizeof(text) - 1) == 0,
	     "bind");
	row("nw_conn\tBIND\tAF_UNIX\tSOCK_STREAM\t\t@io\\x00tracer\t\t\t\t%d\t\t\t0\t", fd);
	close(fd);
}

static void all(int family)
{
	unsigned port = base_port + (family == AF_INET6 ? 4 : 0);
	int listener = make_listener(family, port);
	struct pair p;

	many(family, port + 1);
	p = make_pair(family, listener, port);
	sends(&p, "abc", 3);
	receives(&p, 3);
	files(&p);
	close(p.one);
	close(p.other);
	others(family, listener, port);
	killed(family, listener, port);
	nothing(family, port + 3);
	close(listener);
}

int main(int argc, char **argv)
{
	int listener;

	if (argc != 2) {
		fprintf(stderr, "usage: conform_sockets PORT\n");
		return 2;
	}
	base_port = strtoul(argv[1], NULL, 10);
	setvbuf(stdout, NULL, _IOFBF, 1 << 20);
	all(AF_INET);
	all(AF_INET6);
	names();
	puts("again");
	listener = make_bound(AF_INET, SOCK_DGRAM, base_port);
	one_after_the_other(AF_INET, base_port);
	close(listener);
	return 0;
}
