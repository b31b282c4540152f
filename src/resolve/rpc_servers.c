/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns what debugfs says of clients of RPC. The kernel gives a number to another client when one has gone. */
#include "resolve/rpc_servers.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_CLIENTS = 256 /* a power of two */ };
#define AGAIN_NS 1000000000ULL

struct client {
	struct rpc_server server;
	uint32_t number;
	uint64_t read_ns; /* 0: never */
};

struct rpc_servers {
	const char *root;
	struct client clients[N_CLIENTS]; /* one in the place of another is read again */
};

struct rpc_servers *rpc_servers_open(const char *root)
{
	struct rpc_servers *servers = calloc(1, sizeof(*servers));

	if (servers)
		servers->root = root;
	return servers;
}

void rpc_servers_close(struct rpc_servers *servers)
{
	free(servers);
}

/* A line "addr: 127.0.0.1"; a socket of the local machine has its name there instead. */
static struct rpc_server read_server(const char *root, uint32_t client)
{
	struct rpc_server server = { 0 };
	char line[256], text[64];
	FILE *in;

	snprintf(line, sizeof(line), "%s/%x/xprt/info", root, client);
	in = fopen(line, "re");
	if (!in)
		return server;
	while (!server.family && fgets(line, sizeof(line), in)) {
		if (sscanf(line, "addr: %63s", text) != 1)
			continue;
		if (inet_pton(AF_INET, text, server.addr) == 1)
			server.family = AF_INET;
		else if (inet_pton(AF_INET6, text, server.addr) == 1)
			server.family = AF_INET6;
	}
	fclose(in);
	return server;
}

const struct rpc_server *rpc_servers_of(struct rpc_servers *servers, uint32_t number, uint64_t ns)
{
	struct client *client = &servers->clients[number & (N_CLIENTS - 1)];

	if (client->read_ns && client->number == number && ns < client->read_ns + AGAIN_NS)
		return &client->server;
	client->server = read_server(servers->root, number);
	client->number = number;
	client->read_ns = ns;
	return &client->server;
}
