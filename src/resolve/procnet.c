/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns a copy of the tables of sockets, for a moment, since reading them takes long. */
#include "resolve/procnet.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/clock.h"

/* Words of 32 bits in hexadecimal, each in this machine's byte order, and ":PORT". */
static bool parse_end(const char *text, bool v6, u8 addr[16], u16 *port)
{
	static const char hex[] = "0123456789ABCDEFabcdef";
	size_t digits = v6 ? 32 : 8;
	char word[9] = "";
	uint32_t value;

	if (strspn(text, hex) != digits || text[digits] != ':' ||
	    strspn(text + digits + 1, hex) != 4 || text[digits + 5])
		return false;
	memset(addr, 0, 16);
	for (size_t i = 0; i < digits; i += 8) {
		memcpy(word, text + i, 8);
		value = strtoul(word, NULL, 16);
		memcpy(addr + i / 2, &value, 4);
	}
	*port = strtoul(text + digits + 1, NULL, 16);
	return true;
}

/* Most lines are of other sockets: looked at before anything is converted. */
static bool has_inode(const char *line, uint64_t ino)
{
	enum { INODE_FIELD = 9 };

	for (int i = 0; i < INODE_FIELD; i++) {
		line += strspn(line, " ");
		line += strcspn(line, " ");
	}
	return strtoull(line, NULL, 10) == ino;
}

bool procnet_line(const char *line, uint64_t ino, bool v6, struct iot_ends *ends)
{
	char local[64], remote[64];
	struct iot_ends parsed = *ends;
	unsigned long long found;

	if (!has_inode(line, ino))
		return false;
	/* sl local remote st tx:rx tr:when retransmits uid timeout inode */
	if (sscanf(line, " %*[^:]: %63s %63s %*s %*s %*s %*s %*s %*s %llu", local, remote,
		   &found) != 3 ||
	    found != ino)
		return false;
	if (!parse_end(local, v6, parsed.local, &parsed.local_port) ||
	    !parse_end(remote, v6, parsed.remote, &parsed.remote_port))
		return false;
	parsed.family = v6 ? AF_INET6 : AF_INET;
	parsed.known |= IOT_ENDS_LOCAL | IOT_ENDS_REMOTE;
	*ends = parsed;
	return true;
}

/* struct proto of the kernel, by its name (sk_prot_creator->name; since 2.6.37) */
static const struct kind {
	const char *name;
	u16 family;
	u16 type;
	u16 protocol;
} kinds[] = {
	{ "TCP", AF_INET, SOCK_STREAM, 6 },       { "TCPv6", AF_INET6, SOCK_STREAM, 6 },
	{ "UDP", AF_INET, SOCK_DGRAM, 17 },       { "UDPv6", AF_INET6, SOCK_DGRAM, 17 },
	{ "UDP-Lite", AF_INET, SOCK_DGRAM, 136 }, { "UDPLITEv6", AF_INET6, SOCK_DGRAM, 136 },
	{ "MPTCP", AF_INET, SOCK_STREAM, 262 },   { "MPTCPv6", AF_INET6, SOCK_STREAM, 262 },
	{ "PING", AF_INET, SOCK_DGRAM, 1 },       { "PINGv6", AF_INET6, SOCK_DGRAM, 58 },
};

/* Of the internet as well, but what they are exactly, their names do not say. */
static const char *const other_ip[] = { "RAW", "SCTP", "DCCP", "L2TP" };

static bool fill_kind(const char *name, struct iot_ends *ends)
{
	for (size_t i = 0; i < sizeof(other_ip) / sizeof(other_ip[0]); i++)
		if (!strncmp(name, other_ip[i], strlen(other_ip[i])))
			return false;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(name, kinds[i].name))
			continue;
		ends->family = kinds[i].family;
		ends->type = kinds[i].type;
		ends->protocol = kinds[i].protocol;
		ends->known |= IOT_ENDS_SOCKET;
		return true;
	}
	/* "UNIX-STREAM" since 5.15 */
	ends->family = !strncmp(name, "UNIX", strlen("UNIX")) ? AF_UNIX :
		       !strcmp(name, "NETLINK")               ? AF_NETLINK :
		       !strcmp(name, "PACKET")                ? AF_PACKET :
								ends->family;
	ends->known |= IOT_ENDS_OTHER;
	return true;
}

enum { N_TABLES = 4, KEPT_BYTES = 4 << 20 };

static const struct table {
	const char *name;
	bool v6;
	u16 type;
	u16 protocol;
} tables[N_TABLES] = {
	{ "tcp", false, SOCK_STREAM, 6 },
	{ "tcp6", true, SOCK_STREAM, 6 },
	{ "udp", false, SOCK_DGRAM, 17 },
	{ "udp6", true, SOCK_DGRAM, 17 },
};

/*
 * For each table the kernel looks through all slots of its hash table, which is
 * as large as the machine's memory: 2 ms for two sockets is not rare.
 */
static bool can_be_in(const struct table *table, const struct iot_ends *ends)
{
	if (!(ends->known & IOT_ENDS_SOCKET) || !ends->family)
		return true;
	return (ends->family == AF_INET6) == table->v6 && ends->type == table->type &&
	       (!ends->protocol || ends->protocol == table->protocol);
}

/* A table as it was at read_at; without text: none. */
struct copy {
	char *text;
	size_t used;
	size_t size;
	uint64_t netns;
	uint64_t read_at;
};

struct procnet {
	const char *proc;
	struct copy copies[N_TABLES];
};

struct procnet *procnet_open(const char *proc)
{
	struct procnet *net = calloc(1, sizeof(*net));

	if (net)
		net->proc = proc;
	return net;
}

static void forget(struct copy *copy)
{
	free(copy->text);
	*copy = (struct copy){ 0 };
}

void procnet_close(struct procnet *net)
{
	for (size_t i = 0; net && i < N_TABLES; i++)
		forget(&net->copies[i]);
	free(net);
}

/* Inode number of the network namespace; 0 when the process is gone. */
static uint64_t netns_of(const char *proc, uint32_t tgid)
{
	char name[300];
	struct stat st;

	snprintf(name, sizeof(name), "%s/%u/ns/net", proc, tgid);
	return stat(name, &st) ? 0 : st.st_ino;
}

static bool has_room(struct copy *copy)
{
	size_t size = copy->size ? 2 * copy->size : 64 << 10;
	char *text;

	if (copy->used + 1 < copy->size)
		return true;
	text = realloc(copy->text, size);
	if (!text)
		return false;
	copy->text = text;
	copy->size = size;
	return true;
}

static bool read_table(struct copy *copy, const char *proc, uint32_t tgid, const char *table)
{
	char name[300];
	ssize_t n = -1;
	int fd;

	snprintf(name, sizeof(name), "%s/%u/net/%s", proc, tgid, table);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	copy->read_at = mono_ns();
	copy->used = 0;
	while (has_room(copy) &&
	       (n = read(fd, copy->text + copy->used, copy->size - 1 - copy->used)) > 0)
		copy->used += n;
	close(fd);
	if (n < 0)
		return false;
	copy->text[copy->used] = '\0';
	return true;
}

static bool look_in(const struct copy *copy, uint64_t ino, bool v6, struct iot_ends *ends)
{
	for (char *line = copy->text, *end; line && *line; line = end + 1) {
		bool found;

		end = strchr(line, '\n');
		if (!end)
			return procnet_line(line, ino, v6, ends);
		*end = '\0';
		found = procnet_line(line, ino, v6, ends);
		*end = '\n';
		if (found)
			return true;
	}
	return false;
}

static bool find(struct copy *copy, const struct table *table, const char *proc, uint32_t tgid,
		 uint64_t ino, uint64_t ts, struct iot_ends *ends)
{
	uint64_t netns = netns_of(proc, tgid);
	bool found;

	if (!copy->text || copy->netns != netns || copy->read_at < ts) {
		if (!read_table(copy, proc, tgid, table->name)) {
			forget(copy);
			return false;
		}
		copy->netns = netns;
	}
	found = look_in(copy, ino, table->v6, ends);
	if (copy->used > KEPT_BYTES) /* a machine of a hundred thousand sockets */
		forget(copy);
	return found;
}

bool procnet_ends(struct procnet *net, uint32_t tgid, uint64_t ino, uint64_t ts,
		  struct iot_ends *ends)
{
	for (size_t i = 0; i < N_TABLES; i++) {
		if (!can_be_in(&tables[i], ends) ||
		    !find(&net->copies[i], &tables[i], net->proc, tgid, ino, ts, ends))
			continue;
		ends->type = tables[i].type;
		ends->protocol = tables[i].protocol;
		ends->known |= IOT_ENDS_SOCKET;
		return true;
	}
	return false;
}

bool procnet_kind(const struct procnet *net, uint32_t tgid, int fd, struct iot_ends *ends)
{
	char link[300], name[64];
	ssize_t n;

	snprintf(link, sizeof(link), "%s/%u/fd/%d", net->proc, tgid, fd);
	n = getxattr(link, "system.sockprotoname", name, sizeof(name) - 1);
	if (n <= 0)
		return false;
	name[n] = '\0';
	return fill_kind(name, ends);
}
