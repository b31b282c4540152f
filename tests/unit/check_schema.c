/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The column tables and what `iotracer schema` makes of them. The header rows
 * of the format's documentation stand here once more, on purpose.
 */
#include "cmd/commands.h"
#include "row/schema.h"

#include "row/columns.h"

#include <check.h>
#include <ctype.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixture/session.h"

static const char *const headers[N_STREAMS] = {
	[STREAM_fs] =
		"timestamp,operation,pid,command,filename,size,inode,flags,offset,tid,"
		"mmap_prot,mmap_flags,address,latency_ns,return_value,device,fd,mntns,path_status,"
		"ofd,call,given,mono_ns\n",
	[STREAM_ds] =
		"timestamp,pid,command,sector,operation,size,latency_ms,tid,cpu_id,ppid,dev,"
		"queue_time_ms,cmd_flags,op_code,flags,error,request_id,cause,inode,filename,owner_pid,"
		"owner_command,owner_count,cgroup,uring_req,bio_id,bio_dev,mono_ns\n",
	[STREAM_bio] =
		"timestamp,pid,command,sector,operation,size,latency_ms,tid,cpu_id,ppid,dev,"
		"queue_time_ms,flags,error,bio_id,part_of,bio_dev,cause,inode,filename,owner_pid,"
		"owner_command,owner_count,cgroup,mono_ns\n",
	[STREAM_exec] = "timestamp,event_type,pid,ppid,tid,command,filename,cmdline,return_value,"
			"container,mono_ns\n",
	[STREAM_lost] = "timestamp,stream,cpu,reason,count,factor,kept,mono_ns\n",
	[STREAM_cache] = "timestamp,pid,command,event_type,inode,index,size,cpu_id,dev_id,count,"
			 "filename,offset,tid,device,mono_ns\n",
	[STREAM_pagefault] = "timestamp,pid,tid,command,fault_type,severity,inode,offset,address,"
			     "dev_id,filename,latency_ns,device,mapping,pages,mntns,mono_ns\n",
	[STREAM_nw] =
		"timestamp,pid,command,protocol,ip_version,source_addr,dest_addr,source_port,dest_port,size,"
		"direction,latency_ns,error_code,msg_flags,tid,requested_size,return_value,mono_ns\n",
	[STREAM_nw_conn] =
		"timestamp,event_type,pid,tid,command,domain,sock_type,ip_version,local_addr,remote_addr,"
		"local_port,remote_port,fd,backlog,shutdown_how,latency_ns,return_value,protocol,mono_ns\n",
	[STREAM_nw_epoll] =
		"timestamp,event_type,pid,tid,command,epoll_fd,target_fd,operation,event_mask,max_events,"
		"ready_count,timeout_ms,latency_ns,nfds,return_value,mono_ns\n",
	[STREAM_nw_sockopt] =
		"timestamp,event_type,pid,command,fd,level,option_name,option_value,return_value,tid,"
		"option_len,option_text,latency_ns,mono_ns\n",
	[STREAM_nw_drop] =
		"timestamp,event_type,pid,command,protocol,ip_version,source_addr,dest_addr,source_port,"
		"dest_port,packet_size,drop_reason,tcp_state,drop_reason_name,location,mono_ns\n",
	[STREAM_iouring] =
		"timestamp,event_type,pid,tid,command,cpu_id,ring,req,user_data,opcode,fd,offset,length,"
		"result,latency_ns,latency_ms,sqe_flags,inode,filename,link,worker,buf_index,sq_fill,"
		"cq_fill,cq_taken,mono_ns\n",
	[STREAM_sched] =
		"timestamp,pid,tid,command,cpu,priority,run_ns,state,sleep_ns,delay_ns,waker_tid,"
		"waker_command,mono_ns\n",
	[STREAM_layers] = "timestamp,pid,command,layer,operation,class,count,bytes,errors,"
			  "latency_ns,mono_ns\n",
	[STREAM_stacks] =
		"timestamp,operation,pid,tid,command,filename,latency_ns,stack,user_stack,"
		"frames,status,modules,wait_ns,kernel_stack,mono_ns\n",
	[STREAM_netfs] =
		"timestamp,pid,command,protocol,operation,server_addr,size,offset,latency_ms,"
		"queue_time_ms,server_time_ms,tid,sent,received,sends,error,dev,inode,filename,"
		"request_id,mono_ns\n",
	[STREAM_process] =
		"timestamp,pid,name,cmdline,virtual_mem_kb,rss_kb,create_time,cpu_5s,cpu_2m,cpu_1h,status,"
		"ppid,uid,num_threads,container_id,cgroup,mntns,pidns,netns,userns,utsns,ipcns,cgroupns,"
		"container,pod,image,mono_ns\n",
	[STREAM_filesystem_snapshot] =
		"snapshot_timestamp,path,size,ctime,mtime,atime,inode,device,type,mode,nlink,"
		"uid,gid,change_time,path_status,mono_ns\n",
	[STREAM_symbols] = "timestamp,module,build_id,offset,symbol,mono_ns\n"
};

START_TEST(header_is_the_documented_one)
{
	char header[1024];
	size_t len;

	for (int i = 0; i < N_STREAMS; i++) {
		len = schema_header((enum stream_id)i, 0, header, sizeof(header));
		ck_assert_uint_eq(len, strlen(header));
		ck_assert_msg(headers[i] != NULL, "%s", streams[i].name);
		ck_assert_str_eq(header, headers[i]);
	}
}
END_TEST

START_TEST(short_buffer_is_not_overrun)
{
	size_t len = schema_header(STREAM_lost, 0, NULL, 0);
	char header[64];

	ck_assert_uint_eq(len, strlen(headers[STREAM_lost]));
	for (size_t size = 0; size <= len + 1; size++) {
		memset(header, '#', sizeof(header));
		ck_assert_uint_eq(schema_header(STREAM_lost, 0, header, size), len);
		for (size_t i = size; i < sizeof(header); i++)
			ck_assert_int_eq(header[i], '#');
	}
	ck_assert(!strncmp(header, headers[STREAM_lost], len));
}
END_TEST

/* ---- record --columns ---- */

static void choose(struct schema_omitted *omitted, const char *list)
{
	const char *bad;
	size_t len;

	ck_assert_msg(columns_choose(omitted, list, &bad, &len), "%s", list);
}

static void expect_header(const struct schema_omitted *omitted, enum stream_id stream,
			  const char *wanted)
{
	char header[1024];

	ck_assert_uint_eq(schema_header(stream, omitted->columns[stream], header, sizeof(header)),
			  strlen(wanted));
	ck_assert_str_eq(header, wanted);
}

START_TEST(chosen_columns_are_those_of_the_header)
{
	struct schema_omitted omitted;

	choose(&omitted, "size,filename");
	expect_header(&omitted, STREAM_fs, "timestamp,operation,filename,size,mono_ns\n");
	expect_header(&omitted, STREAM_nw, "timestamp,size,direction,mono_ns\n");
	/* none of them has either */
	expect_header(&omitted, STREAM_nw_epoll, headers[STREAM_nw_epoll]);
	expect_header(&omitted, STREAM_exec, headers[STREAM_exec]);
	expect_header(&omitted, STREAM_lost, headers[STREAM_lost]);
	expect_header(&omitted, STREAM_filesystem_snapshot, headers[STREAM_filesystem_snapshot]);
	ck_assert(columns_are_omitted(&omitted));
	choose(&omitted, "pid");
	ck_assert(columns_are_omitted(&omitted));
	choose(&omitted, "minimal");
	expect_header(
		&omitted, STREAM_fs,
		"timestamp,operation,pid,command,filename,size,inode,offset,tid,latency_ns,return_value,device,"
		"path_status,ofd,mono_ns\n");
	expect_header(
		&omitted, STREAM_cache,
		"timestamp,pid,command,event_type,inode,index,count,filename,device,mono_ns\n");
	expect_header(&omitted, STREAM_ds, headers[STREAM_ds]);
}
END_TEST

START_TEST(unknown_column_is_named)
{
	static const char *const lists[] = { "bad",   "size,bad",     "bad,size", "pid,bad,size",
					     "siz",   "sizee",        "size,",    "",
					     ",size", "minimal,size", "Size" };
	static const char *const wrong[] = { "bad", "bad", "bad", "bad",     "siz", "sizee",
					     "",    "",    "",    "minimal", "Size" };
	struct schema_omitted omitted;
	const char *bad;
	size_t len;

	ck_assert(!columns_choose(&omitted, lists[_i], &bad, &len));
	ck_assert_uint_eq(len, strlen(wrong[_i]));
	ck_assert(!strncmp(bad, wrong[_i], len));
}
END_TEST

START_TEST(manifest_tells_the_columns)
{
	struct schema_omitted omitted;
	json_t *names, *table;

	choose(&omitted, "filename,latency_ns");
	names = columns_json(STREAM_fs, omitted.columns[STREAM_fs]);
	ck_assert_uint_eq(json_array_size(names), 5);
	ck_assert_uint_eq(columns_omitted(STREAM_fs, names), omitted.columns[STREAM_fs]);
	ck_assert_uint_eq(columns_omitted(STREAM_fs, NULL), 0);
	table = schema_table(STREAM_fs, omitted.columns[STREAM_fs]);
	ck_assert_uint_eq(json_array_size(json_object_get(table, "fields")), 5);
	json_decref(table);
	json_decref(names);
}
END_TEST

START_TEST(every_column_is_described)
{
	for (int i = 0; i < N_STREAMS; i++) {
		const struct stream *s = &streams[i];

		ck_assert(s->doc[0] && s->n_columns > 3);
		ck_assert_str_eq(s->columns[0].name, i == STREAM_filesystem_snapshot ?
							     "snapshot_timestamp" :
							     "timestamp");
		ck_assert_str_eq(s->columns[0].type, "datetime");
		ck_assert_str_eq(s->columns[s->n_columns - 1].name, "mono_ns");
		for (unsigned c = 0; c < s->n_columns; c++) {
			ck_assert_msg(s->columns[c].doc[0], "%s.%s", s->name, s->columns[c].name);
			for (unsigned d = 0; d < c; d++)
				ck_assert_str_ne(s->columns[c].name, s->columns[d].name);
		}
	}
}
END_TEST

START_TEST(find_knows_every_stream_and_no_other)
{
	for (int i = 0; i < N_STREAMS; i++)
		ck_assert_int_eq(schema_find(streams[i].name), i);
	ck_assert_int_eq(schema_find(""), -1);
	ck_assert_int_eq(schema_find("fsx"), -1);
}
END_TEST

START_TEST(table_has_the_columns_in_order)
{
	json_t *table = schema_table(STREAM_fs, 0);
	json_t *fields = json_object_get(table, "fields");
	json_t *field;
	size_t i;

	ck_assert_uint_eq(json_array_size(fields), streams[STREAM_fs].n_columns);
	json_array_foreach(fields, i, field)
	{
		const struct column *c = &streams[STREAM_fs].columns[i];
		json_t *unit = json_object_get(field, "unit");

		ck_assert_str_eq(json_string_value(json_object_get(field, "name")), c->name);
		ck_assert_str_eq(json_string_value(json_object_get(field, "type")), c->type);
		ck_assert_str_eq(json_string_value(json_object_get(field, "description")), c->doc);
		ck_assert(!unit == !c->unit[0]);
	}
	ck_assert_str_eq(json_string_value(
				 json_array_get(json_object_get(table, "missingValues"), 0)),
			 "");
	json_decref(table);
}
END_TEST

/* Runs the command in a child; its standard output is in text. */
static int run(char *text, size_t size, const char *const *args)
{
	char *argv[8] = { (char *)"schema" };
	int argc = 1, fds[2], status;
	size_t at = 0;
	ssize_t n;
	pid_t pid;

	while (args[argc - 1]) {
		argv[argc] = (char *)args[argc - 1];
		argc++;
	}
	ck_assert_int_eq(pipe(fds), 0);
	pid = fork();
	if (!pid) {
		dup2(fds[1], STDOUT_FILENO);
		close(fds[0]);
		close(fds[1]);
		exit(schema_command(argc, argv));
	}
	close(fds[1]);
	while ((n = read(fds[0], text + at, size - at - 1)) > 0)
		at += (size_t)n;
	text[at] = '\0';
	close(fds[0]);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static char text[1 << 17];

#define RUN(...) run(text, sizeof(text), (const char *const[]){ __VA_ARGS__, NULL })

START_TEST(text_lists_all_within_80_columns)
{
	char *line;

	ck_assert_int_eq(run(text, sizeof(text), (const char *const[]){ NULL }), 0);
	for (int i = 0; i < N_STREAMS; i++)
		for (unsigned c = 0; c < streams[i].n_columns; c++)
			ck_assert(strstr(text, streams[i].columns[c].name) != NULL);
	for (line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		ck_assert_msg(strlen(line) <= 80, "too wide: %s", line);
		ck_assert_msg(!isspace((unsigned char)line[strlen(line) - 1]), "blank end: %s",
			      line);
	}
}
END_TEST

START_TEST(one_stream_is_shown_alone)
{
	ck_assert_int_eq(RUN("lost"), 0);
	ck_assert(!strncmp(text, "lost: ", 6));
	ck_assert(strstr(text, "reason") != NULL);
	ck_assert(strstr(text, "mmap_prot") == NULL);
}
END_TEST

START_TEST(json_is_a_table_schema)
{
	json_t *root, *all;

	ck_assert_int_eq(RUN("lost", "--json"), 0);
	root = json_loads(text, 0, NULL);
	ck_assert(root != NULL);
	ck_assert_uint_eq(json_array_size(json_object_get(root, "fields")),
			  streams[STREAM_lost].n_columns);
	ck_assert_str_eq(json_string_value(json_object_get(root, "name")), "lost");
	json_decref(root);
	ck_assert_int_eq(RUN("--json"), 0);
	root = json_loads(text, 0, NULL);
	all = json_object_get(root, "streams");
	ck_assert_uint_eq(json_object_size(all), N_STREAMS);
	for (int i = 0; i < N_STREAMS; i++)
		ck_assert(json_object_get(all, streams[i].name) != NULL);
	json_decref(root);
}
END_TEST

START_TEST(wrong_use_is_status_2)
{
	ck_assert_int_eq(RUN("nonsense"), 2);
	ck_assert_str_eq(text, "");
	ck_assert_int_eq(RUN("fs", "ds"), 2);
	ck_assert_int_eq(RUN("--nonsense"), 2);
	ck_assert_int_eq(RUN("--help"), 0);
	ck_assert(!strncmp(text, "usage: iotracer schema", 22));
}
END_TEST

START_TEST(full_output_is_an_error)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		char *argv[] = { (char *)"schema", NULL };

		dup2(open("/dev/full", O_WRONLY), STDOUT_FILENO);
		_exit(schema_command(1, argv));
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(WEXITSTATUS(status), 1);
}
END_TEST

/* Every stream is a table with its columns in order, each with a type. */
START_TEST(sql_has_a_table_per_stream)
{
	static const char *const dialects[] = { "--sql", "--sql=duckdb", "--sql=clickhouse",
						"--sql=spark" };
	char quote = _i == 3 ? '`' : '"', line[128], *at = text;

	ck_assert_int_eq(RUN(dialects[_i]), 0);
	for (int i = 0; i < N_STREAMS; i++) {
		snprintf(line, sizeof(line), "CREATE TABLE %c%s%c (", quote, streams[i].name,
			 quote);
		at = strstr(at, line);
		ck_assert_msg(at != NULL, "no %s", line);
		for (unsigned c = 0; c < streams[i].n_columns; c++) {
			snprintf(line, sizeof(line), "\n  %c%s%c ", quote,
				 streams[i].columns[c].name, quote);
			at = strstr(at, line);
			ck_assert_msg(at && isupper((unsigned char)at[strlen(line)]), "no %s",
				      line);
		}
	}
}
END_TEST

START_TEST(sql_has_types_that_hold_the_values)
{
	ck_assert_int_eq(RUN("fs", "--sql=duckdb"), 0);
	ck_assert(strstr(text, "\"timestamp\" TIMESTAMP,") != NULL);
	ck_assert(strstr(text, "\"size\" UBIGINT,") != NULL);
	ck_assert(strstr(text, "\"inode\" UBIGINT,") != NULL);
	ck_assert(strstr(text, "\"return_value\" BIGINT,") != NULL);
	ck_assert(strstr(text, "\"mono_ns\" BIGINT\n") != NULL);
	ck_assert(strstr(text, "\"ds\"") == NULL); /* one stream alone */
	ck_assert_int_eq(RUN("ds", "--sql=spark"), 0);
	ck_assert(strstr(text, "`latency_ms` DOUBLE,") != NULL);
	ck_assert_int_eq(RUN("--sql=oracle"), 2);
	ck_assert_int_eq(RUN("--sql", "--json"), 2);
}
END_TEST

static Suite *schema_suite(void)
{
	Suite *suite = suite_create("schema");
	TCase *tables = tcase_create("tables");
	TCase *command = tcase_create("command");

	tcase_add_test(tables, header_is_the_documented_one);
	tcase_add_test(tables, short_buffer_is_not_overrun);
	tcase_add_test(tables, chosen_columns_are_those_of_the_header);
	tcase_add_loop_test(tables, unknown_column_is_named, 0, 11);
	tcase_add_test(tables, manifest_tells_the_columns);
	tcase_add_test(tables, every_column_is_described);
	tcase_add_test(tables, find_knows_every_stream_and_no_other);
	tcase_add_test(tables, table_has_the_columns_in_order);
	suite_add_tcase(suite, tables);
	tcase_add_test(command, text_lists_all_within_80_columns);
	tcase_add_test(command, one_stream_is_shown_alone);
	tcase_add_test(command, json_is_a_table_schema);
	tcase_add_loop_test(command, sql_has_a_table_per_stream, 0, 4);
	tcase_add_test(command, sql_has_types_that_hold_the_values);
	tcase_add_test(command, wrong_use_is_status_2);
	tcase_add_test(command, full_output_is_an_error);
	suite_add_tcase(suite, command);
	return suite;
}

int main(void)
{
	SRunner *runner = srunner_create(schema_suite());
	int n_failed;

	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
