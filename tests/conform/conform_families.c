/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sends and receives on sockets of no IP, in the ways that a reader of system
 * calls may take for others: named ones, sent ones, and descriptors that had
 * been an IP socket's. Then ROUNDS messages over TCP, whose receiver hands in
 * an address that the kernel leaves alone. Says on stdout what could not be.
 */
#include <linux/if_packet.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { ROUNDS = 101 };

static void need(int result, const char *what)
{
	if (result >= 0)
		return;
	perror(what);
	exit(1);
}

/* A byte there and back, each as a message and as a call with an address. */
static void rounds(int a, int b)
{
	char byte = 'x';

	for (int i = 0; i < ROUNDS; i++) {
		need(send(a, &byte, 1, 0), "send");
		need(recv(b, &byte, 1, 0), "recv");
		need(sendto(b, &byte, 1, 0, NULL, 0), "sendto");
		need(recvfrom(a, &byte, 1, 0, NULL, NULL), "recvfrom");
	}
}

static struct sockaddr_un unix_name(const char *path, socklen_t *len)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };

	snprintf(name.sun_path, sizeof(name.sun_path), "%s", path);
	*len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path) + 1);
	if (path[0] == '@') {
		name.sun_path[0] = '\0';
		*len -= 1;
	}
	return name;
}

static void stream_of(const char *path)
{
	socklen_t len, peer_len;
	struct sockaddr_un name = unix_name(path, &len), peer;
	int listener = socket(AF_UNIX, SOCK_STREAM, 0), client = socket(AF_UNIX, SOCK_STREAM, 0),
	    server;

	need(bind(listener, (struct sockaddr *)&name, len), "bind");
	need(listen(listener, 1), "listen");
	need(connect(client, (struct sockaddr *)&name, len), "connect");
	peer_len = sizeof(peer);
	server = accept(listener, path[0] == '@' ? NULL : (struct sockaddr *)&peer,
			path[0] == '@' ? NULL : &peer_len);
	need(server, "accept");
	close(listener);
	rounds(client, server);
	close(client);
	close(server);
}

static void datagrams_of(const char *path)
{
	socklen_t len, from_len;
	struct sockaddr_un name = unix_name(path, &len), from;
	int receiver = socket(AF_UNIX, SOCK_DGRAM, 0), sender = socket(AF_UNIX, SOCK_DGRAM, 0);
	char byte = 'x';

	need(bind(receiver, (struct sockaddr *)&name, len), "bind");
	for (int i = 0; i < ROUNDS; i++) {
		from_len = sizeof(from);
		need(sendto(sender, &byte, 1, 0, (struct sockaddr *)&name, len), "sendto");
		need(recvfrom(receiver, &byte, 1, 0, (struct sockaddr *)&from, &from_len),
		     "recvfrom");
	}
	close(sender);
	close(receiver);
}

static void links(void)
{
	struct {
		struct nlmsghdr head;
		struct ifinfomsg info;
	} ask = { { sizeof(ask), RTM_GETLINK, NLM_F_REQUEST | NLM_F_ACK, 0, 0 },
		  { .ifi_index = 1 } };
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
	char answer[8192];

	for (int i = 0; i < ROUNDS; i++) {
		need(sendto(fd, &ask, sizeof(ask), 0, (struct sockaddr *)&kernel, sizeof(kernel)),
		     "netlink");
		need(recv(fd, answer, sizeof(answer), 0), "netlink");
	}
	close(fd);
	/* 4 would be IP-in-IP */
	close(socket(AF_NETLINK, SOCK_RAW, 4));
}

static void packets(void)
{
	struct sockaddr_ll to = { .sll_family = AF_PACKET,
				  .sll_protocol = htons(0x88b5),
				  .sll_ifindex = 1,
				  .sll_halen = 6 };
	int fd = socket(AF_PACKET, SOCK_DGRAM, htons(0x88b5)); /* for local experiments */
	char frame[64] = "";

	if (fd < 0 || sendto(fd, frame, sizeof(frame), 0, (struct sockaddr *)&to, sizeof(to)) < 0) {
		puts("packets");
		close(fd);
		return;
	}
	need(recv(fd, frame, sizeof(frame), 0), "packet");
	for (int i = 1; i < ROUNDS; i++) {
		need(sendto(fd, frame, sizeof(frame), 0, (struct sockaddr *)&to, sizeof(to)),
		     "packet");
		need(recv(fd, frame, sizeof(frame), 0), "packet");
	}
	close(fd);
}

static void send_fd(int over, int fd)
{
	char room[CMSG_SPACE(sizeof(int))] = "", byte = 'x';
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = room,
			      .msg_controllen = sizeof(room) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	need((int)sendmsg(over, &msg, 0), "sendmsg");
}

static int receive_fd(int over)
{
	char room[CMSG_SPACE(sizeof(int))] = "", byte;
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = room,
			      .msg_controllen = sizeof(room) };
	int fd;

	need((int)recvmsg(over, &msg, 0), "recvmsg");
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(fd));
	return fd;
}

/* Descriptors that calls had given to IP sockets, closed by other means than close. */
static void used_numbers(void)
{
	int pair[2], ip = socket(AF_INET, SOCK_STREAM, 0), copy;

	need(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), "socketpair");
	need(dup2(pair[0], ip), "dup2");
	rounds(ip, pair[1]);
	close(ip);
	send_fd(pair[0], pair[1]);
	copy = receive_fd(pair[1]);
	rounds(pair[0], copy);
	usleep(300000); /* a socket that was sent is asked of /proc, while it is there */
	close(copy);
	close(pair[0]);
	close(pair[1]);
}

static void tcp(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) },
			   junk;
	socklen_t len = sizeof(at);
	int listener = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0),
	    server;
	char byte = 'x';

	need(bind(listener, (struct sockaddr *)&at, sizeof(at)), "bind");
	need(getsockname(listener, (struct sockaddr *)&at, &len), "getsockname");
	need(listen(listener, 1), "listen");
	need(connect(client, (struct sockaddr *)&at, sizeof(at)), "connect");
	server = accept(listener, NULL, NULL);
	need(server, "accept");
	for (int i = 0; i < ROUNDS; i++) {
		memset(&junk, i % 2 ? 0xaa : 2, sizeof(junk));
		junk.sin_family = i % 2 ? 0xaaaa : AF_INET;
		len = sizeof(junk);
		need((int)send(client, &byte, 1, 0), "send");
		need((int)recvfrom(server, &byte, 1, 0, (struct sockaddr *)&junk, &len),
		     "recvfrom");
	}
	close(listener);
	close(client);
	close(server);
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fputs("usage: conform_families NAME\n", stderr);
		return 2;
	}
	stream_of(argv[1]);
	unlink(argv[1]);
	datagrams_of(argv[1]);
	unlink(argv[1]);
	stream_of("@iotracer-conform-families");
	links();
	packets();
	used_numbers();
	tcp();
	return 0;
}
