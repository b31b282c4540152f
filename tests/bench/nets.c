/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The network and io_uring part of `make bench`: calls on loopback, each a known
 * number of times, and what a turn cost. "OPERATION" is the stream that the rows
 * of a turn are in. Calls that are no row (close) belong to the turn.
 */
#include "bench/turns.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "compat/sys/uring_abi.h"

#define URING_ENTRIES 8

/* What the calls work on, made once. */
struct place {
	int tcp[2]; /* connected */
	int udp[2]; /* likewise */
	int listener;
	struct sockaddr_in at; /* the listener's */
	int epoll;             /* has one end of udp, which is ready to be written */
	int ring;              /* -1: not on this kernel */
	uint32_t *sq_tail, *sq_array, sq_mask, *cq_head, *cq_tail;
	struct uring_sqe *requests;
};

/* ---- a turn of each ---- */

static long turn_tcp(struct place *p, unsigned turn)
{
	char byte = (char)turn;
	long n = send(p->tcp[0], &byte, 1, 0);

	return n == 1 ? recv(p->tcp[1], &byte, 1, 0) : -1;
}

static long turn_udp(struct place *p, unsigned turn)
{
	char byte = (char)turn;
	long n = send(p->udp[0], &byte, 1, 0);

	return n == 1 ? recv(p->udp[1], &byte, 1, 0) : -1;
}

/* The accepted end goes first and without lingering (inherited), so that no port is used up. */
static long turn_connect(struct place *p, unsigned turn)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), end;

	(void)turn;
	if (fd < 0 || connect(fd, (struct sockaddr *)&p->at, sizeof(p->at)))
		return -1;
	end = accept4(p->listener, NULL, NULL, SOCK_CLOEXEC);
	if (end < 0)
		return -1;
	close(end);
	return close(fd);
}

static long turn_socket(struct place *p, unsigned turn)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	(void)p;
	(void)turn;
	return fd < 0 ? -1 : close(fd);
}

static long turn_epoll_wait(struct place *p, unsigned turn)
{
	struct epoll_event event;

	(void)turn;
	return epoll_wait(p->epoll, &event, 1, -1);
}

static long turn_epoll_ctl(struct place *p, unsigned turn)
{
	struct epoll_event event = { .events = EPOLLOUT, .data.u32 = turn };

	return epoll_ctl(p->epoll, EPOLL_CTL_MOD, p->udp[0], &event);
}

static long turn_poll(struct place *p, unsigned turn)
{
	struct pollfd fd = { .fd = p->udp[0], .events = POLLOUT };

	(void)turn;
	return poll(&fd, 1, -1);
}

static long turn_set(struct place *p, unsigned turn)
{
	int on = turn & 1;

	return setsockopt(p->tcp[0], IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

static long turn_get(struct place *p, unsigned turn)
{
	int value;
	socklen_t size = sizeof(value);

	(void)turn;
	return getsockopt(p->tcp[0], SOL_SOCKET, SO_ERROR, &value, &size);
}

/* One request that does nothing, waited for: ENTER, SUBMIT, COMPLETE */
static long turn_nop(struct place *p, unsigned turn)
{
	uint32_t tail = *p->sq_tail, at = tail & p->sq_mask;
	long n;

	p->requests[at] = (struct uring_sqe){ .opcode = OP_NOP, .user_data = turn };
	p->sq_array[at] = at;
	__atomic_store_n(p->sq_tail, tail + 1, __ATOMIC_RELEASE);
	n = syscall(SYS_io_uring_enter, p->ring, 1, 1, ENTER_GETEVENTS, NULL, 0);
	if (n != 1)
		return -1;
	__atomic_store_n(p->cq_head, __atomic_load_n(p->cq_tail, __ATOMIC_ACQUIRE),
			 __ATOMIC_RELEASE);
	return 0;
}

static const struct operation operations[] = {
	{ "nw", 2, turn_tcp, "send and receive of 1 byte, TCP" },
	{ "nw", 2, turn_udp, "send and receive of 1 byte, UDP" },
	{ "nw_conn", 3, turn_connect, "SOCKET_CREATE, CONNECT and ACCEPT, TCP" },
	{ "nw_conn", 1, turn_socket, "SOCKET_CREATE and close, UDP" },
	{ "nw_epoll", 1, turn_epoll_wait, "EPOLL_WAIT, one is ready" },
	{ "nw_epoll", 1, turn_epoll_ctl, "EPOLL_CTL" },
	{ "nw_epoll", 1, turn_poll, "POLL, one is ready" },
	{ "nw_sockopt", 1, turn_set, "SET TCP_NODELAY" },
	{ "nw_sockopt", 1, turn_get, "GET SO_ERROR" },
	{ "iouring", 3, turn_nop, "ENTER, SUBMIT and COMPLETE of a NOP" },
};

/* ---- the place ---- */

static bool make_udp(struct place *p)
{
	struct sockaddr_in at[2];
	socklen_t size = sizeof(at[0]);

	for (int i = 0; i < 2; i++) {
		at[i] = (struct sockaddr_in){ .sin_family = AF_INET,
					      .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
		p->udp[i] = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
		if (p->udp[i] < 0 || bind(p->udp[i], (struct sockaddr *)&at[i], size) ||
		    getsockname(p->udp[i], (struct sockaddr *)&at[i], &size))
			return false;
	}
	return !connect(p->udp[0], (struct sockaddr *)&at[1], size) &&
	       !connect(p->udp[1], (struct sockaddr *)&at[0], size);
}

static bool make_tcp(struct place *p)
{
	const struct linger at_once = { .l_onoff = 1 };
	socklen_t size = sizeof(p->at);

	p->at = (struct sockaddr_in){ .sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	p->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (p->listener < 0 ||
	    setsockopt(p->listener, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once)) ||
	    bind(p->listener, (struct sockaddr *)&p->at, size) ||
	    getsockname(p->listener, (struct sockaddr *)&p->at, &size) || listen(p->listener, 8))
		return false;
	p->tcp[0] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (p->tcp[0] < 0 || connect(p->tcp[0], (struct sockaddr *)&p->at, size))
		return false;
	p->tcp[1] = accept4(p->listener, NULL, NULL, SOCK_CLOEXEC);
	return p->tcp[1] >= 0;
}

static bool make_epoll(struct place *p)
{
	struct epoll_event event = { .events = EPOLLOUT };

	p->epoll = epoll_create1(EPOLL_CLOEXEC);
	return p->epoll >= 0 && !epoll_ctl(p->epoll, EPOLL_CTL_ADD, p->udp[0], &event);
}

static void *map(int fd, size_t size, off_t what)
{
	return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, what);
}

static void make_ring(struct place *p)
{
	struct uring_params params = { .flags = 0 };
	char *sq, *cq;

	p->ring = (int)syscall(SYS_io_uring_setup, URING_ENTRIES, &params);
	if (p->ring < 0)
		return;
	sq = map(p->ring, params.sq.array + URING_ENTRIES * sizeof(uint32_t), 0);
	/* the entries lie in front of the array, or the queues are apart (before 5.4): mapped once more, both work */
	cq = map(p->ring, params.cq.cqes + params.cq_entries * sizeof(struct uring_cqe), MAP_CQ);
	p->requests = map(p->ring, URING_ENTRIES * sizeof(*p->requests), MAP_SQES);
	if (sq == MAP_FAILED || cq == MAP_FAILED || p->requests == MAP_FAILED) {
		close(p->ring);
		p->ring = -1;
		return;
	}
	p->sq_tail = (uint32_t *)(sq + params.sq.tail);
	p->sq_array = (uint32_t *)(sq + params.sq.array);
	p->sq_mask = *(uint32_t *)(sq + params.sq.mask);
	p->cq_head = (uint32_t *)(cq + params.cq.head);
	p->cq_tail = (uint32_t *)(cq + params.cq.tail);
}

int main(int argc, char **argv)
{
	static struct place place;
	struct asked asked;

	if (!turns_asked(argc, argv, "nets", &asked))
		return 2;
	turns_pin();
	if (!make_udp(&place) || !make_tcp(&place) || !make_epoll(&place)) {
		fprintf(stderr, "nets: loopback: %s\n", strerror(errno));
		return 1;
	}
	make_ring(&place);
	for (size_t i = 0; i < sizeof(operations) / sizeof(*operations); i++) {
		if (!turns_wanted(&asked, &operations[i]))
			continue;
		if (operations[i].turn == turn_nop && place.ring < 0)
			fprintf(stderr, "nets: %s: not on this kernel\n", operations[i].what);
		else
			turns_perform(&place, &operations[i], &asked, NULL);
	}
	return 0;
}
