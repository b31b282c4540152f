/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stream netfs: see netfs.h. The words of SMB, and of programs of RPC with their versions. */
#include "events/netfs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "events/events_private.h"
#include "events/events_rows.h"
#include "events/texts.h"
#include "probes/schema/netfs.def"
#include "resolve/rpc_servers.h"

EVENTS_ROW(netfs)

/* MS-SMB2, 2.2.1 */
static const char *const smb_commands[] = {
	"NEGOTIATE",     "SESSION_SETUP", "LOGOFF",   "TREE_CONNECT", "TREE_DISCONNECT",
	"CREATE",        "CLOSE",         "FLUSH",    "READ",         "WRITE",
	"LOCK",          "IOCTL",         "CANCEL",   "ECHO",         "QUERY_DIRECTORY",
	"CHANGE_NOTIFY", "QUERY_INFO",    "SET_INFO", "OPLOCK_BREAK",
};

/* What the kernel calls programs and procedures: letters, digits, '_'. Anything else would not be its name. */
static void plain_word(char *out, const char *text, size_t size)
{
	size_t n = 0;

	for (; n + 1 < size && text[n]; n++)
		out[n] = text[n] > ' ' && text[n] < 0x7f && text[n] != ',' && text[n] != '"' ?
				 text[n] :
				 '_';
	out[n] = '\0';
}

static const char *smb_word(unsigned command, char *room, size_t size)
{
	if (command < sizeof(smb_commands) / sizeof(smb_commands[0]))
		return smb_commands[command];
	snprintf(room, size, "%u", command);
	return room;
}

static struct end server_of(struct rpc_servers *servers, const struct iot_netfs *rec)
{
	const struct rpc_server *server =
		servers ? rpc_servers_of(servers, (uint32_t)rec->session, rec->head.ts) : NULL;

	return server && server->family ?
		       (struct end){ .family = server->family, .addr = server->addr } :
		       (struct end){ 0 };
}

static void handle_request(struct events *ev, void *record, size_t len)
{
	const struct iot_netfs *rec = record;
	bool file = rec->known & IOT_NETFS_FILE;
	char program[IOT_NETFS_PROGRAM + 8], procedure[IOT_NETFS_PROCEDURE];
	const struct path *path = NULL;
	struct netfs_row row = {
		.rec = rec,
		.size = file ? rec->size : FORMAT_UNKNOWN,
		.offset = file ? rec->offset : FORMAT_UNKNOWN,
		.sent = rec->known & IOT_NETFS_SENT ? rec->sent : FORMAT_UNKNOWN,
		.received = rec->known & IOT_NETFS_RECEIVED ? rec->received : FORMAT_UNKNOWN,
		.sends = rec->known & IOT_NETFS_SENDS ? rec->sends : FORMAT_UNKNOWN,
		.error = rec->known & IOT_NETFS_STATUS && rec->status < 0 ? rec->status : 0,
	};

	(void)len;
	if (rec->known & IOT_NETFS_SMB) {
		row.protocol = "smb";
		row.operation = smb_word(rec->command, procedure, sizeof(procedure));
	} else {
		plain_word(program, rec->program, IOT_NETFS_PROGRAM);
		snprintf(program + strlen(program), 8, "%u", rec->version);
		plain_word(procedure, rec->procedure, sizeof(procedure));
		row.protocol = program;
		row.operation = procedure;
		row.server = server_of(ev->state[STREAM_netfs], rec);
	}
	if (file) {
		row.ino = rec->ino;
		row.dev = rec->dev;
		path = texts_of_file(ev, rec->ino, rec->dev);
		row.path = texts_cell(path);
	}
	if (events_keeps(ev, &(struct filter_row){ .stream = STREAM_netfs,
						   .operation = row.operation,
						   .failed = row.error != 0,
						   .latency = rec->total,
						   .path = path }))
		netfs_push(ev, rec->head.ts, &row);
}

static int open_servers(void **state, const struct plan *plan)
{
	(void)plan;
	*state = rpc_servers_open(RPC_SERVERS_ROOT);
	return *state ? 0 : -ENOMEM;
}

static void close_servers(void *state)
{
	rpc_servers_close(state);
}

const struct stream_ops stream_netfs = {
	.open = open_servers,
	.close = close_servers,
	.records = {
		{ .type = IOT_REC_NETFS, .least = sizeof(struct iot_netfs), .handle = handle_request },
	},
};
