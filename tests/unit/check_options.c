/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Command lines: every option to its member, every wrong value to one message and a usage error. */
#include "cmd/options.h"

#include <check.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "cmd/commands.h"
#include "cmd/option_values.h"
#include "cmd/stream_list.h"
#include "row/records.h"
#include "trace/trace_set.h"

enum { FINE = 0, HELP = 1, WRONG = 3, MAX_ARGS = 32 };

static struct recording_options rec;
static struct doctor_command doctor;
static struct build_command build;

/* Words, separated by blanks, as getopt gets them; "''" is an empty one. */
static int words(char **argv, const char *command, const char *line)
{
	static char store[100000];
	char *save = NULL;
	int argc = 1;

	snprintf(store, sizeof(store), "%s", line);
	argv[0] = (char *)command;
	for (char *w = strtok_r(store, " ", &save); w; w = strtok_r(NULL, " ", &save))
		argv[argc++] = strcmp(w, "''") ? w : "";
	ck_assert_int_lt(argc, MAX_ARGS);
	argv[argc] = NULL;
	optind = 0; /* glibc: start anew */
	return argc;
}

static int record(const char *line)
{
	static char *argv[MAX_ARGS];
	int argc = words(argv, "record", line);

	return options_record(&rec, argc, argv);
}

static int run_doctor(const char *line)
{
	static char *argv[MAX_ARGS];
	int argc = words(argv, "doctor", line);

	return options_doctor(&doctor, argc, argv);
}

static int run_build(const char *line)
{
	static char *argv[MAX_ARGS];
	int argc = words(argv, "build", line);

	return options_build(&build, argc, argv);
}

static struct snapshot_command snapshot;

static int run_snapshot(const char *line)
{
	static char *argv[MAX_ARGS];
	int argc = words(argv, "snapshot", line);

	return options_snapshot(&snapshot, argc, argv);
}

/* What a call says on one of the standard streams. */
static char said[16384];

static int listen_to(int stream, int (*call)(const char *), const char *line)
{
	int ends[2], saved = dup(stream), result;
	ssize_t n;

	ck_assert_int_eq(pipe(ends), 0);
	fflush(NULL);
	dup2(ends[1], stream);
	result = call(line);
	fflush(NULL);
	dup2(saved, stream);
	close(saved);
	close(ends[1]);
	n = read(ends[0], said, sizeof(said) - 1);
	said[n > 0 ? n : 0] = '\0';
	close(ends[0]);
	return result;
}

static bool has_stream(const bool *chosen, const char *name)
{
	return chosen[schema_find(name)];
}

/* ---- record ---- */

START_TEST(record_without_options_has_the_defaults)
{
	ck_assert_int_eq(record(""), FINE);
	for (int i = 0; i < N_STREAMS; i++)
		ck_assert(rec.streams[i] ==
			  (i < N_EVENT_STREAMS && i != STREAM_sched && i != STREAM_layers &&
			   i != STREAM_stacks && i != STREAM_netfs));
	ck_assert(!rec.streams_named);
	ck_assert_int_eq(strncmp(rec.dir, "iotracer_", 9), 0);
	ck_assert_ptr_eq(rec.write.dir, rec.dir);
	ck_assert_uint_eq(rec.write.rotate_size, 100 << 20);
	ck_assert_uint_eq(rec.write.rotate_time_s, 300);
	ck_assert_uint_eq(rec.write.rotate_rows, 0);
	ck_assert_uint_eq(rec.write.max_disk, 0);
	ck_assert_uint_eq(rec.write.min_free, 0);
	ck_assert_int_eq(rec.write.packing, PACKING_NONE);
	ck_assert_uint_eq(rec.duration_s, 0);
	ck_assert_uint_eq(rec.trace.pages, 0);
	ck_assert_uint_eq(rec.trace.n_pids, 0);
	ck_assert_uint_eq(rec.trace.n_comms, 0);
	ck_assert(!rec.trace.by_uid && !rec.trace.all_fs && !rec.trace.no_cache &&
		  !rec.trace.image);
	ck_assert_uint_eq(rec.trace.fs_types.n_rules, 0);
	ck_assert_uint_eq(rec.trace.fs_types.kinds, 0);
	ck_assert_uint_eq(rec.trace.cache_sample_rate, 0);
	ck_assert_uint_eq(rec.trace.uring_sample_rate, 0);
	ck_assert(rec.host.layout != LAYOUT_NONE && !rec.host.no_kprobes && !rec.no_self_test &&
		  !rec.host.headers);
	ck_assert(rec.command == NULL);
}
END_TEST

START_TEST(every_short_option_of_record)
{
	ck_assert_int_eq(record("-o d -e fs -d 9 -p 1,22 -c dd,cat -u 33 -m 64"), FINE);
	ck_assert_str_eq(rec.dir, "d");
	ck_assert(has_stream(rec.streams, "fs") && !has_stream(rec.streams, "ds"));
	ck_assert(rec.streams_named);
	ck_assert_uint_eq(rec.duration_s, 9);
	ck_assert_uint_eq(rec.trace.n_pids, 2);
	ck_assert_uint_eq(rec.trace.pids[0], 1);
	ck_assert_uint_eq(rec.trace.pids[1], 22);
	ck_assert_uint_eq(rec.trace.n_comms, 2);
	ck_assert_str_eq(rec.trace.comms[0], "dd");
	ck_assert_str_eq(rec.trace.comms[1], "cat");
	ck_assert(rec.trace.by_uid);
	ck_assert_uint_eq(rec.trace.uid, 33);
	ck_assert_uint_eq(rec.trace.pages, 64);
}
END_TEST

START_TEST(every_long_option_of_record)
{
	ck_assert_int_eq(
		record("--output=d --events ds --duration 1 --pid 5 --comm x --uid 0 --page-cnt 1 "
		       "--rotate-size 1K --rotate-time 0 --rotate-rows 7 --compress gz"),
		FINE);
	ck_assert_str_eq(rec.dir, "d");
	ck_assert(has_stream(rec.streams, "ds") && !has_stream(rec.streams, "fs"));
	ck_assert_uint_eq(rec.duration_s, 1);
	ck_assert_uint_eq(rec.trace.pids[0], 5);
	ck_assert_str_eq(rec.trace.comms[0], "x");
	ck_assert(rec.trace.by_uid);
	ck_assert_uint_eq(rec.trace.uid, 0);
	ck_assert_uint_eq(rec.trace.pages, 1);
	ck_assert_uint_eq(rec.write.rotate_size, 1024);
	ck_assert_uint_eq(rec.write.rotate_time_s, 0);
	ck_assert_uint_eq(rec.write.rotate_rows, 7);
	ck_assert_int_eq(rec.write.packing, PACKING_GZ);
	ck_assert_int_eq(
		record("--max-disk 2G --min-free 3M --all-fs --headers h --no-kprobes --no-headers "
		       "--no-syscall-events --image i --no-cache --no-self-test --compress none"),
		FINE);
	ck_assert_uint_eq(rec.write.max_disk, 2ULL << 30);
	ck_assert_uint_eq(rec.write.min_free, 3 << 20);
	ck_assert(rec.trace.all_fs && rec.host.no_kprobes && rec.host.layout == LAYOUT_NONE &&
		  rec.host.no_syscall_events && rec.trace.no_cache);
	ck_assert(rec.no_self_test);
	ck_assert_str_eq(rec.host.headers, "h");
	ck_assert_str_eq(rec.trace.image, "i");
	ck_assert_int_eq(rec.write.packing, PACKING_NONE);
}
END_TEST

START_TEST(names_as_given_are_asked_for)
{
	ck_assert_int_eq(record(""), FINE);
	ck_assert(!rec.given);
	ck_assert_int_eq(record("--given"), FINE);
	ck_assert(rec.given);
	ck_assert_int_eq(run_build("--root r -o f --given"), FINE);
	ck_assert(build.given && !build.drops);
	ck_assert_int_eq(listen_to(2, record, "-e ds --given"), WRONG);
	ck_assert(strstr(said, "stream fs"));
}
END_TEST

START_TEST(dropped_packets_are_asked_for)
{
	ck_assert_int_eq(record(""), FINE);
	ck_assert(!rec.drops && !rec.trace.all_drops);
	ck_assert_int_eq(record("--drops"), FINE);
	ck_assert(rec.drops && !rec.trace.all_drops);
	ck_assert_int_eq(record("--all-drops -e nw_drop"), FINE);
	ck_assert(rec.drops && rec.trace.all_drops);
	ck_assert_int_eq(run_build("--root r -o f"), FINE);
	ck_assert(!build.drops);
	ck_assert_int_eq(run_build("--root r -o f --drops"), FINE);
	ck_assert(build.drops);
	ck_assert_int_eq(listen_to(2, record, "-e fs --drops"), WRONG);
	ck_assert(strstr(said, "nw_drop"));
	ck_assert_int_eq(listen_to(2, record, "-e !nw_drop --all-drops"), WRONG);
}
END_TEST

/* Whoever asks for more to be hidden asks for hiding. */
START_TEST(anonymised_mode_has_three_spellings)
{
	static const char *const lines[] = { "-a",           "--anonymize",
					     "--anonimize",  "--anon-keep-ext",
					     "--anon-comm",  "--anon-ip",
					     "--anon-key /k" };

	ck_assert_int_eq(record(""), 0);
	ck_assert(!rec.anon.on);
	for (int i = 0; i < 7; i++) {
		ck_assert_int_eq(record(lines[i]), 0);
		ck_assert(rec.anon.on);
		ck_assert(rec.anon.keep_ext == (i == 3));
		ck_assert(rec.anon.comm == (i == 4));
		ck_assert(rec.anon.ip == (i == 5));
		ck_assert(!rec.anon.key_file == (i != 6));
		/* nor does the directory's name tell the host */
		ck_assert(!strncmp(rec.dir, "iotracer_2", 10));
	}
}
END_TEST

START_TEST(quiet_and_verbose_set_the_level)
{
	ck_assert_int_eq(record("-q"), FINE);
	ck_assert_int_eq(log_get_level(), LOG_QUIET);
	ck_assert_int_eq(record("--verbose"), FINE);
	ck_assert_int_eq(log_get_level(), LOG_VERBOSE);
	log_set_level(LOG_NORMAL);
}
END_TEST

START_TEST(command_begins_at_the_first_word_that_is_no_option)
{
	ck_assert_int_eq(record("-d 1 dd -o x --help"), FINE);
	ck_assert_str_eq(rec.command[0], "dd");
	ck_assert_str_eq(rec.command[1], "-o");
	ck_assert_str_eq(rec.command[3], "--help");
	ck_assert(rec.command[4] == NULL);
	ck_assert_int_eq(strncmp(rec.dir, "iotracer_", 9), 0);
	ck_assert_int_eq(record("-- -strange -q"), FINE);
	ck_assert_str_eq(rec.command[0], "-strange");
	ck_assert_str_eq(rec.command[1], "-q");
}
END_TEST

START_TEST(lists_may_be_given_in_parts)
{
	ck_assert_int_eq(record("-p 1 -p 2,3 -c a -c b,c"), FINE);
	ck_assert_uint_eq(rec.trace.n_pids, 3);
	ck_assert_uint_eq(rec.trace.pids[2], 3);
	ck_assert_uint_eq(rec.trace.n_comms, 3);
	ck_assert_str_eq(rec.trace.comms[2], "c");
}
END_TEST

START_TEST(long_comm_is_cut_as_the_kernel_cuts_it)
{
	ck_assert_int_eq(record("-c 0123456789abcdefghi"), FINE);
	ck_assert_str_eq(rec.trace.comms[0], "0123456789abcde");
}
END_TEST

START_TEST(user_may_be_a_name)
{
	ck_assert_int_eq(record("-u root"), FINE);
	ck_assert(rec.trace.by_uid);
	ck_assert_uint_eq(rec.trace.uid, 0);
}
END_TEST

START_TEST(types_of_file_systems_are_added_up)
{
	const struct fs_type_rule *rules = rec.trace.fs_types.rules;

	ck_assert_int_eq(record("--fs-type proc,tmpfs --exclude-fs-type tmpfs --fs-type sysfs"),
			 FINE);
	ck_assert_uint_eq(rec.trace.fs_types.n_rules, 3);
	ck_assert_str_eq(rules[0].type, "proc");
	ck_assert_uint_eq(rules[0].rule, IOT_FS_INCLUDE);
	ck_assert_str_eq(rules[1].type, "tmpfs");
	ck_assert_uint_eq(rules[1].rule, IOT_FS_EXCLUDE);
	ck_assert_str_eq(rules[2].type, "sysfs");
	ck_assert_uint_eq(rec.trace.fs_types.kinds, IOT_FS_INCLUDE | IOT_FS_EXCLUDE);
	ck_assert_int_eq(record("--exclude-fs-type tmpfs"), FINE);
	ck_assert_uint_eq(rec.trace.fs_types.kinds, IOT_FS_EXCLUDE);
}
END_TEST

START_TEST(levels_of_socket_options_are_names_and_numbers)
{
	ck_assert_int_eq(record("-q"), FINE);
	ck_assert(!rec.trace.n_opt_levels && !rec.trace.all_opt_levels);
	ck_assert_int_eq(record("--sockopt-levels all"), FINE);
	ck_assert(rec.trace.all_opt_levels);
	ck_assert_int_eq(record("--sockopt-levels IPPROTO_IPV6,4711 --sockopt-levels 1"), FINE);
	ck_assert_uint_eq(rec.trace.n_opt_levels, 3);
	ck_assert_int_eq(rec.trace.opt_levels[0], 41);
	ck_assert_int_eq(rec.trace.opt_levels[1], 4711);
	ck_assert_int_eq(rec.trace.opt_levels[2], 1);
	ck_assert_int_eq(listen_to(2, record, "--sockopt-levels udp"), WRONG);
	ck_assert(strstr(said, "--sockopt-levels") && strstr(said, "'udp'"));
}
END_TEST

START_TEST(a_budget_has_a_share_of_the_cpus_and_a_rate)
{
	ck_assert_int_eq(record("-e fs"), FINE);
	ck_assert(!rec.streams[STREAM_layers]);
	ck_assert_int_eq(record("--budget 5%"), FINE);
	ck_assert_double_eq(rec.budget.cpu_percent, 5);
	ck_assert_uint_eq(rec.budget.bytes, 0);
	/* which counts what is left out */
	ck_assert(rec.streams[STREAM_layers]);
	ck_assert_int_eq(record("-e fs --budget 0.5%,50MB/s"), FINE);
	ck_assert_double_eq(rec.budget.cpu_percent, 0.5);
	ck_assert_uint_eq(rec.budget.bytes, 50 << 20);
	ck_assert(rec.streams[STREAM_fs] && rec.streams[STREAM_layers]);
	/* totals keep their columns */
	ck_assert_int_eq(record("--columns pid,filename --budget 5%"), FINE);
	ck_assert(rec.write.omitted.columns[STREAM_fs] != 0);
	ck_assert_uint_eq(rec.write.omitted.columns[STREAM_layers], 0);
	ck_assert_int_eq(record("--budget 1024/s"), FINE);
	ck_assert_uint_eq(rec.budget.bytes, 1024);
	ck_assert_int_eq(listen_to(2, record, "--budget 5"), WRONG);
	ck_assert(strstr(said, "--budget: invalid limit in '5'"));
	/* nothing may be left out of what is added up, or not counted */
	ck_assert_int_eq(listen_to(2, record, "--budget 5% --summary"), WRONG);
	ck_assert(strstr(said, "--summary"));
	ck_assert_int_eq(listen_to(2, record, "--budget 5% --path /etc"), WRONG);
	ck_assert(strstr(said, "--path"));
}
END_TEST

START_TEST(sample_of_the_cache_is_one_of_so_many)
{
	ck_assert_int_eq(record("--cache-sample-rate 1"), FINE);
	ck_assert_uint_eq(rec.trace.cache_sample_rate, 1);
	ck_assert_int_eq(record("--cache-sample-rate=1000"), FINE);
	ck_assert_uint_eq(rec.trace.cache_sample_rate, 1000);
	ck_assert_int_eq(record("--cache-sample-rate 8 --cache-sample-rate 1048576"), FINE);
	ck_assert_uint_eq(rec.trace.cache_sample_rate, 1048576);
	ck_assert_int_eq(record("--uring-sample-rate 16"), FINE);
	ck_assert_uint_eq(rec.trace.uring_sample_rate, 16);
	ck_assert_uint_eq(rec.trace.cache_sample_rate, 0);
	ck_assert_int_eq(listen_to(2, record, "--cache-sample-rate many"), WRONG);
	ck_assert(strstr(said, "--cache-sample-rate") && strstr(said, "1048576") &&
		  strstr(said, "'many'"));
}
END_TEST

START_TEST(unknown_type_is_answered_with_those_of_this_host)
{
	ck_assert_int_eq(listen_to(2, record, "--fs-type proc,no-such-fs"), WRONG);
	ck_assert(strstr(said, "'no-such-fs'") && strstr(said, "proc, ") && strstr(said, "sysfs"));
}
END_TEST

/* n words joined by commas behind "-p " or "-c " */
static const char *list(char letter, int n)
{
	static char text[100000];
	int at = sprintf(text, "-%c ", letter);

	for (int i = 0; i < n; i++)
		at += sprintf(text + at, "%s%d", i ? "," : "", 4000000 + i);
	return text;
}

/* As given, and what that is where it leads through a link or is not written as rows have it. */
START_TEST(paths_are_those_that_rows_have)
{
	ck_assert_int_eq(
		record("--path /proc/self/root/etc/ --path /usr/.//../etc/pass* --path */x"), FINE);
	ck_assert_uint_eq(rec.trace.rows.n_globs, 5);
	ck_assert_str_eq(rec.trace.rows.globs[0], "/proc/self/root/etc/");
	ck_assert_str_eq(rec.trace.rows.globs[1], "/etc");
	ck_assert_str_eq(rec.trace.rows.globs[3], "/etc/pass*");
	ck_assert_str_eq(rec.trace.rows.globs[4], "*/x");
	ck_assert_int_eq(record("--path /no-such/../place"), FINE);
	ck_assert_uint_eq(rec.trace.rows.n_globs, 1);
	ck_assert_int_eq(record("-o -"), WRONG);
}
END_TEST

START_TEST(filters_of_rows_are_taken)
{
	ck_assert_int_eq(
		record("--path /var/* --path *.db --operation open,FSYNC --min-latency 10ms --errors "
		       "--not-comm sh,bash"),
		FINE);
	ck_assert_uint_eq(rec.trace.rows.n_globs, 2);
	ck_assert_str_eq(rec.trace.rows.globs[0], "/var/*");
	ck_assert_str_eq(rec.trace.rows.globs[1], "*.db");
	ck_assert_uint_eq(rec.trace.rows.n_operations, 2);
	ck_assert_uint_eq(rec.trace.rows.min_latency, 10000000);
	ck_assert(rec.trace.rows.errors);
	ck_assert_uint_eq(rec.trace.n_not_comms, 2);
	ck_assert_str_eq(rec.trace.not_comms[1], "bash");
	ck_assert(has_stream(rec.streams, "fs") && !has_stream(rec.streams, "ds") &&
		  !has_stream(rec.streams, "cache"));
}
END_TEST

START_TEST(stream_that_others_need_for_names_stays)
{
	ck_assert_int_eq(record("--operation HIT"), FINE);
	ck_assert(has_stream(rec.streams, "cache") && has_stream(rec.streams, "fs") &&
		  !has_stream(rec.streams, "nw"));
	ck_assert_int_eq(record("--operation HIT -e cache"), FINE);
	ck_assert(!has_stream(rec.streams, "fs"));
}
END_TEST

START_TEST(times_have_units)
{
	static const struct {
		const char *line;
		unsigned s;
	} times[] = {
		{ "-d 10s", 10 },   { "-d 5m", 300 }, { "-d 2h", 7200 },
		{ "-d 1d", 86400 }, { "-d 7", 7 },    { "-d 3000ms", 3 },
	};

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		ck_assert_int_eq(record(times[i].line), FINE);
		ck_assert_msg(rec.duration_s == times[i].s, "%s: %u", times[i].line,
			      rec.duration_s);
	}
	ck_assert_int_eq(record("--rotate-time 1h --snapshot-interval 2m --process-interval 90s"),
			 FINE);
	ck_assert_uint_eq(rec.write.rotate_time_s, 3600);
	ck_assert_uint_eq(rec.snapshots.fs_interval_s, 120);
	ck_assert_uint_eq(rec.snapshots.process_interval_s, 90);
}
END_TEST

START_TEST(message_names_the_option_and_what_it_was_given)
{
	static const struct {
		const char *line, *option, *given;
	} lines[] = {
		{ "-d abc", "--duration", "'abc'" },
		{ "--rotate-time x", "--rotate-time", "'x'" },
		{ "--rotate-size 1X", "--rotate-size", "'1X'" },
		{ "--max-disk q", "--max-disk", "'q'" },
		{ "--min-free q", "--min-free", "'q'" },
		{ "--rotate-rows 1K", "--rotate-rows", "'1K'" },
		{ "--snapshot-interval 1y", "--snapshot-interval", "'1y'" },
		{ "-o ''", "--output", "directory" },
		{ "--nosuch", "option '--nosuch'", "record --help" },
		{ "--snapsot-root x", "option '--snapsot-root'", "did you mean --snapshot-root" },
		{ "--snapshot x", "--snapshot-root or --snapshot-depth", "ambiguous" },
		{ "-x", "option '-x'", "record --help" },
		{ "--max-disk", "option '--max-disk'", "needs an argument" },
		{ "-d", "option '-d'", "needs an argument" },
		{ "--errors=1", "option '--errors=1'", "takes no argument" },
		{ "-p no-such-process", "--pid", "--comm" },
		{ "--min-latency 5", "--min-latency", "10ms" },
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		ck_assert_int_eq(listen_to(2, record, lines[i].line), WRONG);
		ck_assert_msg(strstr(said, lines[i].option) && strstr(said, lines[i].given),
			      "%s: %s", lines[i].line, said);
		ck_assert_msg(!strncmp(said, "iotracer: ", 10), "%s: %s", lines[i].line, said);
	}
}
END_TEST

START_TEST(longest_lists_are_taken_whole_and_longer_ones_refused)
{
	ck_assert_int_eq(record(list('p', TRACE_MAX_PIDS)), FINE);
	ck_assert_uint_eq(rec.trace.n_pids, TRACE_MAX_PIDS);
	ck_assert_uint_eq(rec.trace.pids[TRACE_MAX_PIDS - 1], 4000000 + TRACE_MAX_PIDS - 1);
	ck_assert_int_eq(record(list('c', TRACE_MAX_COMMS)), FINE);
	ck_assert_uint_eq(rec.trace.n_comms, TRACE_MAX_COMMS);
	ck_assert_int_eq(listen_to(2, record, list('p', TRACE_MAX_PIDS + 1)), WRONG);
	ck_assert_int_eq(listen_to(2, record, list('c', TRACE_MAX_COMMS + 1)), WRONG);
}
END_TEST

static const char *const wrong[] = { "-x",
				     "--nonsense",
				     "-d",
				     "--rotate-size",
				     "--all-fs=1",
				     "-d 0",
				     "-d -1",
				     "-d 1x",
				     "-d ''",
				     "-d 4294967296",
				     "-d 99999999999999999999",
				     "-p 0",
				     "-p -1",
				     "-p abc",
				     "-p 1,abc",
				     "-p ''",
				     "-p ,",
				     "-p 2147483648",
				     "-p 1.5",
				     "-c ''",
				     "-c ,",
				     "-u no-such-user-here",
				     "-u ''",
				     "-u -1",
				     "-m 0",
				     "-m 3",
				     "-m -4",
				     "-m x",
				     "-m ''",
				     "-m 2097152",
				     "-e ''",
				     "-e nonsense",
				     "-e fs,nonsense",
				     "-e !nonsense",
				     "-e lost",
				     "-e FS",
				     "-e ,",
				     "--rotate-size x",
				     "--rotate-size -1",
				     "--rotate-size 1X",
				     "--rotate-size ''",
				     "--rotate-time x",
				     "--rotate-time -5",
				     "--rotate-rows 1K",
				     "--rotate-rows ''",
				     "--max-disk 1Z",
				     "--max-disk 99999999999T",
				     "--min-free G",
				     "--compress bz2",
				     "--compress ''",
				     "--fs-type",
				     "--fs-type ''",
				     "--fs-type ,",
				     "--fs-type no-such-fs",
				     "--fs-type tmpfs,no-such-fs",
				     "--fs-type TMPFS",
				     "--fs-type nodev",
				     "--exclude-fs-type ,",
				     "--exclude-fs-type no-such-fs",
				     "--fs-type tmpfs --exclude-fs-type tmpfs",
				     "--sockopt-levels",
				     "--sockopt-levels ,",
				     "--sockopt-levels tcp",
				     "--sockopt-levels all,6",
				     "--sockopt-levels 1,2,3,4,5,6,7,8,9",
				     "--budget",
				     "--budget ''",
				     "--budget ,",
				     "--budget 0%",
				     "--budget 101%",
				     "--budget -5%",
				     "--budget nan%",
				     "--budget 5%%",
				     "--budget 0/s",
				     "--budget 50MB",
				     "--budget 50MB/m",
				     "--budget 5%,x",
				     "--cache-sample-rate",
				     "--cache-sample-rate 0",
				     "--cache-sample-rate 1048577",
				     "--cache-sample-rate 4294967297",
				     "--cache-sample-rate 99999999999999999999",
				     "--cache-sample-rate -1",
				     "--cache-sample-rate x",
				     "--cache-sample-rate 1x",
				     "--cache-sample-rate 1K",
				     "--cache-sample-rate 0.5",
				     "--uring-sample-rate",
				     "--uring-sample-rate 0",
				     "--uring-sample-rate -1",
				     "--cache-sample-rate 1/8",
				     "--cache-sample-rate ''",
				     "-p 1 -- dd",
				     "-p 1 dd",
				     "-o ''",
				     "-d abc",
				     "-d 5x",
				     "-d 500ms",
				     "-d 1s1",
				     "--rotate-time 5q",
				     "-d 99999999999h",
				     "--path",
				     "--path ''",
				     "--operation ''",
				     "--operation nonsense",
				     "--operation OPEN,nonsense",
				     "--min-latency 10",
				     "--min-latency 0ms",
				     "--min-latency x",
				     "--min-latency ''",
				     "--errors=1",
				     "--not-comm ''",
				     "--cgroup ''",
				     "--cgroup /no/such/group",
				     "--cgroup no-such.slice",
				     "-e ds --operation OPEN",
				     "-e cache --errors",
				     "-e nw --path /x" };

START_TEST(wrong_value_is_a_usage_error_with_one_message)
{
	ck_assert_msg(listen_to(2, record, wrong[_i]) == WRONG, "%s", wrong[_i]);
	ck_assert_msg(said[0] && strchr(said, '\n') == said + strlen(said) - 1, "%s: says '%s'",
		      wrong[_i], said);
}
END_TEST

START_TEST(unknown_stream_is_answered_with_the_known_ones)
{
	listen_to(2, record, "-e nonsense");
	ck_assert(strstr(said, "nonsense") && strstr(said, "fs, ds, exec, cache, pagefault"));
	ck_assert(!strstr(said, "lost"));
}
END_TEST

START_TEST(directory_that_is_too_long_is_refused_not_cut)
{
	static char line[6000];

	memset(line, 'x', sizeof(line) - 1);
	memcpy(line, "-o ", 3);
	ck_assert_int_eq(listen_to(2, record, line), WRONG);
	ck_assert(said[0]);
}
END_TEST

/* Every option of the table has its line, and the first one says how to call it. */
START_TEST(long_help_of_record_is_complete_and_on_stdout)
{
	static const char *const names[] = { "--output DIR",
					     "--events LIST",
					     "--duration TIME",
					     "--pid PID|NAME",
					     "--comm NAME",
					     "--uid USER",
					     "--page-cnt N",
					     "--rotate-size SIZE",
					     "--rotate-time TIME",
					     "--rotate-rows N",
					     "--compress none|gz",
					     "--max-disk SIZE",
					     "--min-free SIZE",
					     "--all-fs",
					     "--fs-type TYPE",
					     "--exclude-fs-type TYPE",
					     "--dev disk|partition",
					     "--cache-sample-rate N",
					     "--uring-sample-rate N",
					     "--extra-ops",
					     "--given",
					     "--drops",
					     "--all-drops",
					     "--headers DIR",
					     "--no-kprobes",
					     "--no-syscall-events",
					     "--no-headers",
					     "--image FILE",
					     "--no-cache",
					     "--no-self-test",
					     "--quiet",
					     "--verbose",
					     "--help",
					     NULL };

	ck_assert_int_eq(listen_to(1, record, "--help=all"), HELP);
	ck_assert_int_eq(strncmp(said, "usage: iotracer record", 22), 0);
	for (int i = 0; names[i]; i++)
		ck_assert_msg(strstr(said, names[i]) != NULL, "%s", names[i]);
	ck_assert(strstr(said, "  -o, --output DIR"));
	ck_assert(!strstr(said, "anonimize"));
}
END_TEST

static const struct command *shown;

static int show_help(const char *form)
{
	char *argv[] = { (char *)shown->name, (char *)form, NULL };

	return shown->run(2, argv);
}

START_TEST(help_of_every_command_fits_a_screen_and_has_an_example)
{
	for (int i = 0; commands[i]; i++) {
		int lines = 0;

		shown = commands[i];
		ck_assert_int_eq(listen_to(1, show_help, "--help"), 0);
		ck_assert_msg(strstr(said, "\nexample: iotracer ") != NULL, "%s", shown->name);
		for (const char *line = said; *line; line += strcspn(line, "\n") + 1, lines++)
			ck_assert_msg(strcspn(line, "\n") <= 80, "%s: %s", shown->name, line);
		ck_assert_msg(lines <= HELP_LINES, "%s: %d lines", shown->name, lines);
	}
	/* and all of each has what did not fit */
	for (int i = 0; commands[i]; i++) {
		shown = commands[i];
		ck_assert_int_eq(listen_to(1, show_help, "--help=all"), 0);
		for (const char *line = said; *line; line += strcspn(line, "\n") + 1)
			ck_assert_msg(strcspn(line, "\n") <= 80, "%s", line);
		for (const struct option_row *row = shown->options; row->name; row++)
			ck_assert_msg(!row->help || strstr(said, row->help), "%s --%s", shown->name,
				      row->name);
	}
}
END_TEST

static int run_alone(const char *name)
{
	char *argv[] = { (char *)name, NULL };

	return shown->run(1, argv);
}

/* What needs an argument says what it is, and where there is more. */
START_TEST(a_command_that_lacks_its_argument_says_how)
{
	unsigned n = 0;

	for (int i = 0; commands[i]; i++) {
		char hint[80];

		shown = commands[i];
		if (strncmp(shown->usage, "DIR", 3) != 0)
			continue;
		snprintf(hint, sizeof(hint), "see `iotracer %s --help`", shown->name);
		ck_assert_int_eq(listen_to(2, run_alone, shown->name), 2);
		ck_assert_msg(strstr(said, hint) && strstr(said, shown->usage), "%s", said);
		n++;
	}
	ck_assert_uint_ge(n, 5);
}
END_TEST

/* ---- streams and sizes ---- */

START_TEST(list_of_streams_names_what_is_wanted)
{
	bool chosen[N_STREAMS];

	for (int i = 0; i < N_STREAMS; i++)
		chosen[i] = true;
	ck_assert(options_streams("ds,exec", chosen));
	ck_assert(has_stream(chosen, "ds") && has_stream(chosen, "exec") &&
		  !has_stream(chosen, "fs"));
	ck_assert(has_stream(chosen, "lost"));
	ck_assert(options_streams("+sched", chosen));
	ck_assert(has_stream(chosen, "sched") && has_stream(chosen, "fs"));
	ck_assert(options_streams("!fs,+sched", chosen));
	ck_assert(has_stream(chosen, "sched") && has_stream(chosen, "ds") &&
		  !has_stream(chosen, "fs"));
	ck_assert(options_streams("!fs", chosen));
	ck_assert(!has_stream(chosen, "sched"));
	ck_assert(options_streams("fs,sched", chosen));
	ck_assert(has_stream(chosen, "sched") && !has_stream(chosen, "ds"));
}
END_TEST

START_TEST(list_that_begins_with_a_bang_names_what_is_not_wanted)
{
	bool chosen[N_STREAMS] = { false };

	ck_assert(options_streams("!exec", chosen));
	ck_assert(has_stream(chosen, "ds") && has_stream(chosen, "fs") &&
		  !has_stream(chosen, "exec"));
	ck_assert(options_streams("!exec,!ds", chosen));
	ck_assert(has_stream(chosen, "fs") && !has_stream(chosen, "ds"));
	ck_assert(options_streams("fs,ds,!ds", chosen));
	ck_assert(has_stream(chosen, "fs") && !has_stream(chosen, "ds"));
	ck_assert(has_stream(chosen, "lost"));
}
END_TEST

static const struct {
	const char *text;
	uint64_t bytes;
} sizes[] = {
	{ "0", 0 },
	{ "1", 1 },
	{ "4096", 4096 },
	{ "1K", 1024 },
	{ "1k", 1024 },
	{ "1KB", 1024 },
	{ "1KiB", 1024 },
	{ "1kib", 1024 },
	{ "100M", 104857600 },
	{ "1G", 1ULL << 30 },
	{ "3T", 3ULL << 40 },
	{ "18446744073709551615", UINT64_MAX },
	{ "16777215T", 16777215ULL << 40 },
	{ "0T", 0 },
};

START_TEST(sizes_are_powers_of_1024)
{
	uint64_t bytes;

	ck_assert_msg(parse_size(sizes[_i].text, &bytes), "%s", sizes[_i].text);
	ck_assert(bytes == sizes[_i].bytes);
}
END_TEST

static const char *const no_sizes[] = { "",          "x",
					"-1",        " -1",
					"\t-1",      "K",
					"1X",        "1KX",
					"1 K",       "1K ",
					"1.5G",      "18446744073709551616",
					"16777216T", "99999999999999999999999",
					"1KK",       "0x10",
					"1B",        "1iB",
					"+1",        " 1" };

START_TEST(what_is_no_size_is_refused)
{
	uint64_t bytes;

	ck_assert_msg(!parse_size(no_sizes[_i], &bytes), "'%s'", no_sizes[_i]);
}
END_TEST

/* ---- doctor and build ---- */

START_TEST(every_option_of_doctor)
{
	ck_assert_int_eq(run_doctor(""), FINE);
	ck_assert(!doctor.json && !doctor.host.root && !doctor.host.headers && !doctor.collect);
	ck_assert(!doctor.self_test && !doctor.host.no_kprobes &&
		  doctor.host.layout != LAYOUT_NONE);
	ck_assert_int_eq(run_doctor("--json --root r --headers h --no-kprobes --no-headers "
				    "--no-syscall-events"),
			 FINE);
	ck_assert(doctor.json && doctor.host.no_kprobes && doctor.host.layout == LAYOUT_NONE &&
		  doctor.host.no_syscall_events);
	ck_assert_str_eq(doctor.host.root, "r");
	ck_assert_str_eq(doctor.host.headers, "h");
	ck_assert_int_eq(run_doctor("--layout btf"), FINE);
	ck_assert_int_eq(doctor.host.layout, LAYOUT_BTF);
	ck_assert_int_eq(run_doctor("--layout elf"), WRONG);
	ck_assert_int_eq(run_doctor("--self-test --collect f -v"), FINE);
	ck_assert(doctor.self_test);
	ck_assert_str_eq(doctor.collect, "f");
	ck_assert_int_eq(log_get_level(), LOG_VERBOSE);
	log_set_level(LOG_NORMAL);
}
END_TEST

START_TEST(wrong_doctor_commands_are_refused)
{
	ck_assert_int_eq(listen_to(2, run_doctor, "word"), WRONG);
	ck_assert(strstr(said, "word"));
	ck_assert_int_eq(listen_to(2, run_doctor, "--self-test --root r"), WRONG);
	ck_assert(said[0]);
	ck_assert_int_eq(listen_to(2, run_doctor, "-x"), WRONG);
	ck_assert_int_eq(listen_to(2, run_doctor, "--root"), WRONG);
	ck_assert_int_eq(listen_to(1, run_doctor, "-h"), HELP);
	ck_assert(strstr(said, "--collect FILE"));
}
END_TEST

START_TEST(every_option_of_build)
{
	ck_assert_int_eq(run_build("--root r --headers h -o f -e ds -v --no-kprobes --no-headers "
				   "--no-syscall-events"),
			 FINE);
	ck_assert_str_eq(build.host.root, "r");
	ck_assert_str_eq(build.host.headers, "h");
	ck_assert_str_eq(build.out, "f");
	ck_assert(build.streams_named && has_stream(build.streams, "ds") &&
		  !has_stream(build.streams, "fs"));
	ck_assert(build.host.no_kprobes && build.host.layout == LAYOUT_NONE &&
		  build.host.no_syscall_events);
	log_set_level(LOG_NORMAL);
}
END_TEST

START_TEST(build_needs_a_root_and_an_output)
{
	ck_assert_int_eq(listen_to(2, run_build, "--root r"), WRONG);
	ck_assert_int_eq(listen_to(2, run_build, "-o f"), WRONG);
	ck_assert_int_eq(listen_to(2, run_build, "--root r -o f word"), WRONG);
	ck_assert_int_eq(listen_to(2, run_build, "--root r -o f -e nonsense"), WRONG);
	ck_assert_int_eq(listen_to(2, run_build, "--nonsense"), WRONG);
	ck_assert(said[0]);
	ck_assert_int_eq(listen_to(1, run_build, "--help"), HELP);
	ck_assert(strstr(said, "--root DIR"));
}
END_TEST

/* ---- snapshots ---- */

START_TEST(record_draws_snapshots_unless_told_otherwise)
{
	ck_assert_int_eq(record(""), FINE);
	ck_assert(!rec.snapshots.off && !rec.snapshots.all_mounts);
	ck_assert_str_eq(rec.snapshots.root, "/");
	ck_assert_uint_eq(rec.snapshots.depth, 3);
	ck_assert_uint_eq(rec.snapshots.fs_interval_s, 3600);
	ck_assert_uint_eq(rec.snapshots.process_interval_s, 300);
	ck_assert_int_eq(record("--no-snapshots"), FINE);
	ck_assert(rec.snapshots.off);
	ck_assert_int_eq(record("--snapshot-root /srv --snapshot-depth 0 --snapshot-all-mounts "
				"--snapshot-interval 60 --process-interval 0"),
			 FINE);
	ck_assert_str_eq(rec.snapshots.root, "/srv");
	ck_assert_uint_eq(rec.snapshots.depth, 0);
	ck_assert(rec.snapshots.all_mounts);
	ck_assert_uint_eq(rec.snapshots.fs_interval_s, 60);
	ck_assert_uint_eq(rec.snapshots.process_interval_s, 0);
}
END_TEST

START_TEST(wrong_values_of_snapshots_are_said)
{
	static const char *const lines[] = { "--snapshot-depth 129",
					     "--snapshot-depth x",
					     "--snapshot-depth -1",
					     "--snapshot-depth=",
					     "--snapshot-root=",
					     "--snapshot-interval 1y",
					     "--process-interval 99999999999" };

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		ck_assert_int_eq(listen_to(2, record, lines[i]), WRONG);
		ck_assert(said[0]);
	}
}
END_TEST

START_TEST(snapshot_takes_words_and_options_in_any_order)
{
	ck_assert_int_eq(run_snapshot("fs -o out system --snapshot-depth 7 --compress gz"), FINE);
	ck_assert(snapshot.kinds[SNAP_FS] && snapshot.kinds[SNAP_SYSTEM] &&
		  !snapshot.kinds[SNAP_PROCESS]);
	ck_assert_str_eq(snapshot.write.dir, "out");
	ck_assert_uint_eq(snapshot.snapshots.depth, 7);
	ck_assert_int_eq(snapshot.write.packing, PACKING_GZ);
	ck_assert_int_eq(run_snapshot("process --min-free 1M"), FINE);
	ck_assert_uint_eq(snapshot.write.min_free, 1 << 20);
	ck_assert_int_eq(strncmp(snapshot.dir, "iotracer_", 9), 0);
	ck_assert_int_eq(run_snapshot("system --root /saved"), FINE);
	ck_assert_str_eq(snapshot.root, "/saved");
	ck_assert_int_eq(run_snapshot("process --root /"), FINE);
	ck_assert_str_eq(snapshot.root, "");
}
END_TEST

START_TEST(snapshot_refuses_what_it_cannot_do)
{
	static const char *const lines[] = { "",
					     "files",
					     "fs --root /saved",
					     "process system --root /saved",
					     "fs --nonsense",
					     "fs --compress zip",
					     "fs --min-free x",
					     "fs --no-snapshots",
					     "fs --snapshot-depth 200" };

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		ck_assert_int_eq(listen_to(2, run_snapshot, lines[i]), WRONG);
		ck_assert(said[0]);
	}
	ck_assert_int_eq(listen_to(1, run_snapshot, "--help"), HELP);
	ck_assert(strstr(said, "--snapshot-depth N"));
}
END_TEST

START_TEST(snapshots_are_no_streams_to_choose)
{
	bool chosen[N_STREAMS] = { false };

	for (int i = N_EVENT_STREAMS; i < N_STREAMS; i++)
		ck_assert(!options_streams(streams[i].name, chosen));
	ck_assert(options_streams("!fs", chosen));
	for (int i = N_EVENT_STREAMS; i < N_STREAMS; i++)
		ck_assert(!chosen[i]);
}
END_TEST

static Suite *options_suite(void)
{
	Suite *suite = suite_create("options");
	TCase *tcase = tcase_create("options");

	tcase_add_test(tcase, filters_of_rows_are_taken);
	tcase_add_test(tcase, paths_are_those_that_rows_have);
	tcase_add_test(tcase, stream_that_others_need_for_names_stays);
	tcase_add_test(tcase, times_have_units);
	tcase_add_test(tcase, message_names_the_option_and_what_it_was_given);
	tcase_add_test(tcase, record_without_options_has_the_defaults);
	tcase_add_test(tcase, every_short_option_of_record);
	tcase_add_test(tcase, every_long_option_of_record);
	tcase_add_test(tcase, names_as_given_are_asked_for);
	tcase_add_test(tcase, dropped_packets_are_asked_for);
	tcase_add_test(tcase, anonymised_mode_has_three_spellings);
	tcase_add_test(tcase, quiet_and_verbose_set_the_level);
	tcase_add_test(tcase, command_begins_at_the_first_word_that_is_no_option);
	tcase_add_test(tcase, lists_may_be_given_in_parts);
	tcase_add_test(tcase, long_comm_is_cut_as_the_kernel_cuts_it);
	tcase_add_test(tcase, user_may_be_a_name);
	tcase_add_test(tcase, types_of_file_systems_are_added_up);
	tcase_add_test(tcase, levels_of_socket_options_are_names_and_numbers);
	tcase_add_test(tcase, a_budget_has_a_share_of_the_cpus_and_a_rate);
	tcase_add_test(tcase, sample_of_the_cache_is_one_of_so_many);
	tcase_add_test(tcase, unknown_type_is_answered_with_those_of_this_host);
	tcase_add_test(tcase, longest_lists_are_taken_whole_and_longer_ones_refused);
	tcase_add_loop_test(tcase, wrong_value_is_a_usage_error_with_one_message, 0,
			    sizeof(wrong) / sizeof(wrong[0]));
	tcase_add_test(tcase, unknown_stream_is_answered_with_the_known_ones);
	tcase_add_test(tcase, directory_that_is_too_long_is_refused_not_cut);
	tcase_add_test(tcase, long_help_of_record_is_complete_and_on_stdout);
	tcase_add_test(tcase, help_of_every_command_fits_a_screen_and_has_an_example);
	tcase_add_test(tcase, a_command_that_lacks_its_argument_says_how);
	tcase_add_test(tcase, list_of_streams_names_what_is_wanted);
	tcase_add_test(tcase, list_that_begins_with_a_bang_names_what_is_not_wanted);
	tcase_add_loop_test(tcase, sizes_are_powers_of_1024, 0, sizeof(sizes) / sizeof(sizes[0]));
	tcase_add_loop_test(tcase, what_is_no_size_is_refused, 0,
			    sizeof(no_sizes) / sizeof(no_sizes[0]));
	tcase_add_test(tcase, every_option_of_doctor);
	tcase_add_test(tcase, wrong_doctor_commands_are_refused);
	tcase_add_test(tcase, every_option_of_build);
	tcase_add_test(tcase, build_needs_a_root_and_an_output);
	tcase_add_test(tcase, record_draws_snapshots_unless_told_otherwise);
	tcase_add_test(tcase, wrong_values_of_snapshots_are_said);
	tcase_add_test(tcase, snapshot_takes_words_and_options_in_any_order);
	tcase_add_test(tcase, snapshot_refuses_what_it_cannot_do);
	tcase_add_test(tcase, snapshots_are_no_streams_to_choose);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	SRunner *runner = srunner_create(options_suite());
	int n_failed;

	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
