/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Addresses of the servers of NFS, by the kernel's number of the client that talks to one. */
#pragma once

#include <stdint.h>

#define RPC_SERVERS_ROOT "/sys/kernel/debug/sunrpc/rpc_clnt"

struct rpc_server {
	uint16_t family; /* 0: not known */
	unsigned char addr[16];
};

struct rpc_servers;

/* root: RPC_SERVERS_ROOT; NULL without memory. */
struct rpc_servers *rpc_servers_open(const char *root);
/* Also of NULL. */
void rpc_servers_close(struct rpc_servers *servers);
/*
 * At a time in ns, not 0: looked up when it comes for the first time, and at most once a second again. Valid
 * until the next call.
 */
const struct rpc_server *rpc_servers_of(struct rpc_servers *servers, uint32_t client, uint64_t ns);
