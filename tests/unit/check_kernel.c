/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Facts of made-up and saved hosts: paths below a root, symbols, tracepoint
 * formats, configuration, limits; and that nonsense in any of these files is
 * only nonsense.
 */
#include "compat/host/facts.h"
#include "compat/host/host.h"
#include "compat/host/kernel.h"

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "compat/host/tracefs.h"
#include "compat/sys/root.h"
#include "fixture/host_fixture.h"

#define TRACEFS "sys/kernel/tracing/"

static char *dir;

static void setup(void)
{
	dir = fixture_make();
	fixture_write(dir, "proc/sys/kernel/osrelease", "5.0.0\n");
}

static void teardown(void)
{
	fixture_remove(dir);
}

START_TEST(links_lead_below_the_root)
{
	char path[PATH_MAX], expected[PATH_MAX];

	fixture_write(dir, "usr/src/tree/file", "here\n");
	fixture_link(dir, "absolute", "/usr/src/tree");
	fixture_link(dir, "usr/relative", "../../../../../../../usr/src/tree");
	fixture_link(dir, "usr/chain", "../absolute/./../tree");
	snprintf(expected, sizeof(expected), "%.2000s/usr/src/tree/file", dir);
	ck_assert_int_eq(root_resolve(dir, "/absolute/file", path), 0);
	ck_assert_str_eq(path, expected);
	ck_assert_int_eq(root_resolve(dir, "usr/relative/file", path), 0);
	ck_assert_str_eq(path, expected);
	ck_assert_int_eq(root_resolve(dir, "usr//chain/file", path), 0);
	ck_assert_str_eq(path, expected);
}
END_TEST

START_TEST(a_saved_host_shows_no_file_of_this_machine)
{
	char path[PATH_MAX];

	fixture_link(dir, "proc/kallsyms", "/proc/kallsyms");
	fixture_link(dir, "out", "../../../../../../../../etc/passwd");
	fixture_link(dir, "loop", "loop");
	ck_assert_int_eq(root_resolve(dir, "proc/kallsyms", path), -ELOOP);
	ck_assert_int_eq(root_resolve(dir, "out", path), -ENOENT);
	ck_assert_int_eq(root_resolve(dir, "loop", path), -ELOOP);
	ck_assert_int_eq(root_resolve(dir, "../../../../../etc/passwd", path), -ENOENT);
}
END_TEST

START_TEST(a_path_that_is_too_long_is_refused)
{
	static char longer[PATH_MAX + 10], name[NAME_MAX + 10], path[PATH_MAX];

	memset(longer, 'x', sizeof(longer) - 1);
	memset(name, 'y', sizeof(name) - 1);
	ck_assert_int_eq(root_resolve(dir, longer, path), -ENAMETOOLONG);
	ck_assert_int_eq(root_resolve(dir, name, path), -ENAMETOOLONG);
}
END_TEST

START_TEST(the_running_host_has_no_root)
{
	struct host *host = fixture_open(NULL);

	ck_assert(host->live);
	ck_assert_str_eq(host->root, "");
	ck_assert(host->release[0] && host->machine[0] && host->version[0]);
	host_close(host);
	host = fixture_open("/");
	ck_assert(host->live);
	host_close(host);
}
END_TEST

START_TEST(a_missing_root_is_an_error)
{
	struct host_options options = { .root = "/nonexistent/host" };

	ck_assert(host_open(&options) == NULL);
	options.root = "/dev/null";
	ck_assert(host_open(&options) == NULL);
}
END_TEST

START_TEST(an_empty_host_says_what_it_lacks)
{
	struct host *host = fixture_open(dir);

	ck_assert(!host->live);
	ck_assert_str_eq(host->release, "5.0.0");
	ck_assert_str_eq(host->tracefs, "");
	ck_assert_str_eq(host->tracefs_why, "the saved host has no tracefs");
	ck_assert_str_eq(host->syscalls_why, host->tracefs_why);
	ck_assert_str_eq(host->kprobes_why, "/proc/kallsyms cannot be read");
	ck_assert_str_eq(host->headers_why, "no kernel headers for 5.0.0: install the package that "
					    "provides /lib/modules/5.0.0/build");
	ck_assert_str_eq(host->bpf_why, "");
	ck_assert(host_config(host, "BPF") == NULL);
	ck_assert(!host_has_symbol(host, "vfs_read"));
	ck_assert(!host_has_tracepoint(host, "block:block_rq_issue"));
	for (int i = 0; i < N_FACTS; i++)
		ck_assert(!host->fact[i]);
	host_close(host);
	host_close(NULL);
}
END_TEST

START_TEST(identity_comes_from_files)
{
	/* a note of another owner, then the build id */
	static const unsigned char notes[] = {
		4, 0, 0, 0, 4, 0,  0, 0, 3,  0,  0,  0,  'X', 'e', 'n', 0,   9,  9,    9,
		9, 4, 0, 0, 0, 20, 0, 0, 0,  3,  0,  0,  0,   'G', 'N', 'U', 0,  0xab, 1,
		2, 3, 4, 5, 6, 7,  8, 9, 10, 11, 12, 13, 14,  15,  16,  17,  18, 0xff
	};
	struct host *host;

	fixture_write(dir, "proc/sys/kernel/version", "#1 SMP x\n");
	fixture_write(dir, "proc/sys/kernel/arch", "aarch64\n");
	fixture_write_bytes(dir, "sys/kernel/notes", notes, sizeof(notes));
	fixture_write(dir, "sys/kernel/btf/vmlinux", "");
	fixture_write(dir, "sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
	host = fixture_open(dir);
	ck_assert_str_eq(host->version, "#1 SMP x");
	ck_assert_str_eq(host->machine, "aarch64");
	ck_assert_str_eq(host->build_id, "ab0102030405060708090a0b0c0d0e0f101112ff");
	ck_assert(host->has_btf);
	ck_assert_int_eq(host->lockdown, LOCKDOWN_INTEGRITY);
	host_close(host);
}
END_TEST

/* Of a saved host the configuration says it. */
START_TEST(page_of_arm64_is_as_large_as_configured)
{
	struct host *host;

	fixture_write(dir, "proc/sys/kernel/arch", "aarch64\n");
	fixture_write(dir, "proc/sys/kernel/osrelease", "6.1\n");
	fixture_write(dir, "boot/config-6.1",
		      _i == 16 ? "CONFIG_ARM64_64K_PAGES=y\n" :
		      _i == 14 ? "CONFIG_ARM64_16K_PAGES=y\n" :
				 "CONFIG_ARM64_4K_PAGES=y\n"
				 "# CONFIG_ARM64_64K_PAGES is not set\n");
	host = fixture_open(dir);
	ck_assert_uint_eq(host->page_shift, _i);
	host_close(host);
}
END_TEST

/* A function that programs call by its id in BTF is of no use where there is none. */
START_TEST(kernel_without_btf_has_no_casts)
{
	char headers[300];
	struct host *host;

	fixture_write(dir, "proc/sys/kernel/osrelease", "6.12.107+deb13-amd64\n");
	fixture_write(dir, "proc/kallsyms", "0000000000000000 T bpf_rdonly_cast\n");
	if (_i)
		fixture_write(dir, "sys/kernel/btf/vmlinux", "");
	fixture_headers(dir, "6.12");
	snprintf(headers, sizeof(headers), "%s/headers", dir);
	host = fixture_open_with(dir, headers);
	ck_assert_str_eq(host->headers_why, "");
	ck_assert_int_eq(host->fact[FACT_RDONLY_CAST], _i);
	host_close(host);
}
END_TEST

START_TEST(confidentiality_forbids_everything)
{
	struct host *host;

	fixture_write(dir, "sys/kernel/security/lockdown", "none integrity [confidentiality]\n");
	host = fixture_open(dir);
	ck_assert_int_eq(host->lockdown, LOCKDOWN_CONFIDENTIALITY);
	ck_assert(strstr(host->bpf_why, "lockdown") != NULL);
	ck_assert(strstr(host->kprobes_why, "lockdown") != NULL);
	host_close(host);
}
END_TEST

static void check_config(const char *what)
{
	struct host *host = fixture_open(dir);

	ck_assert_msg(host_config(host, "KPROBES") != NULL, "no config in %s", what);
	ck_assert_str_eq(host_config(host, "KPROBES"), "y");
	ck_assert_str_eq(host_config(host, "EXT4_FS"), "m");
	ck_assert_str_eq(host_config(host, "LOCALVERSION"), "\"-x\"");
	ck_assert_str_eq(host_config(host, "FTRACE_SYSCALLS"), "n");
	ck_assert_str_eq(host_config(host, "KPROBE"), "n");
	ck_assert_str_eq(host->machine, "x86_64");
	host_close(host);
}

static const char config[] = "# comment\nCONFIG_X86_64=y\nCONFIG_KPROBES=y\nCONFIG_EXT4_FS=m\n"
			     "CONFIG_LOCALVERSION=\"-x\"\n# CONFIG_FTRACE_SYSCALLS is not set\n";

START_TEST(config_is_found_in_each_of_its_places)
{
	static const char *const places[] = { "boot/config-5.0.0", "lib/modules/5.0.0/config",
					      "usr/lib/modules/5.0.0/config" };
	char path[PATH_MAX];

	for (unsigned i = 0; i < 3; i++) {
		fixture_write(dir, places[i], config);
		check_config(places[i]);
		snprintf(path, sizeof(path), "%.2000s/%s", dir, places[i]);
		unlink(path);
	}
}
END_TEST

START_TEST(config_is_read_compressed)
{
	char path[PATH_MAX];
	gzFile out;

	fixture_write(dir, "proc/config.gz", "");
	snprintf(path, sizeof(path), "%.2000s/proc/config.gz", dir);
	out = gzopen(path, "wb");
	ck_assert(out != NULL);
	ck_assert_int_gt(gzputs(out, config), 0);
	ck_assert_int_eq(gzclose(out), Z_OK);
	check_config(path);
}
END_TEST

START_TEST(missing_options_are_named)
{
	struct host *host;

	fixture_write(dir, "boot/config-5.0.0", "CONFIG_BPF_SYSCALL=y\nCONFIG_PERF_EVENTS=y\n");
	host = fixture_open(dir);
	ck_assert_str_eq(host->bpf_why, "this kernel is built without CONFIG_BPF_EVENTS");
	ck_assert_str_eq(host->kprobes_why, "this kernel is built without CONFIG_KPROBES");
	ck_assert_str_eq(host->tracefs_why,
			 "this kernel is built without tracing (CONFIG_TRACING)");
	host_close(host);
	fixture_write(dir, TRACEFS "events/x/y/format", "");
	host = fixture_open(dir);
	ck_assert_str_eq(host->syscalls_why, "this kernel is built without CONFIG_FTRACE_SYSCALLS");
	host_close(host);
}
END_TEST

static const char kallsyms[] =
	"0000000000000000 A __per_cpu_start\n0000000000000000 T vfs_read\n"
	"0000000000000000 T __pfx_vfs_read\n0000000000000000 t io_read\t[io_uring]\n"
	"0000000000000000 W weak\n0000000000000000 D data\n0000000000000000 t dup\n"
	"0000000000000000 t dup\n0000000000000000 t split\n0000000000000000 t split.part.1\n"
	"0000000000000000 t split.part.0\n0000000000000000 t split.part.0.isra.2\n"
	"0000000000000000 t split.cold\n0000000000000000 t isra.isra.0\n"
	"0000000000000000 t const.constprop.12\n0000000000000000 t many.isra.0\n"
	"0000000000000000 t many.isra.1\n0000000000000000 T black\n0000000000000000 T notrace\n"
	"0000000000000000 t only.part.0\n0000000000000000 T register_kprobe\n"
	"0000000000000000 t llvm.llvm.123\n0000000000000000 T unterminated";

static struct host *open_symbols(void)
{
	fixture_write(dir, "proc/kallsyms", kallsyms);
	fixture_write(dir, TRACEFS "events/x/y/format", "");
	fixture_write(dir, TRACEFS "available_filter_functions",
		      "vfs_read\nio_read [io_uring]\nweak\ndup\nsplit\nsplit.part.0\nsplit.part.1\n"
		      "isra.isra.0\nconst.constprop.12\nmany.isra.0\nmany.isra.1\nblack\n");
	fixture_write(dir, "sys/kernel/debug/kprobes/blacklist",
		      "0x0000000000000000-0x0000000000000000\tblack\n");
	return fixture_open(dir);
}

START_TEST(text_symbols_are_known)
{
	static const struct {
		const char *name;
		bool known;
	} cases[] = {
		{ "vfs_read", true },
		{ "io_read", true },
		{ "weak", true },
		{ "dup", true },
		{ "isra.isra.0", true },
		{ "black", true },
		{ "data", false },
		{ "isra", false },
		{ "vfs_rea", false },
		{ "vfs_readv", false },
		{ "__per_cpu_start", false },
		{ "__pfx_vfs_read", false },
		{ "unterminated", false },
		{ "", false },
	};
	struct host *host = open_symbols();

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_msg(host_has_symbol(host, cases[i].name) == cases[i].known, "%s",
			      cases[i].name);
	ck_assert_str_eq(host->kprobes_why, "");
	host_forget_symbols(host);
	ck_assert(host_has_symbol(host, "vfs_read"));
	host_close(host);
}
END_TEST

START_TEST(a_kprobe_needs_one_traceable_function)
{
	static const struct {
		const char *name;
		bool suffixes;
		const char *target, *why;
	} cases[] = {
		{ "vfs_read", false, "vfs_read", "" },
		{ "io_read", true, "io_read", "" },
		{ "isra", true, "isra.isra.0", "" },
		{ "isra", false, NULL, "isra is not in this kernel (or inlined)" },
		{ "const", true, "const.constprop.12", "" },
		{ "many", true, NULL,
		  "many has several copies, none of which is reached by all calls" },
		{ "dup", true, NULL, "dup is ambiguous (several functions share the name)" },
		{ "black", true, NULL, "black is on the kprobe blacklist" },
		{ "notrace", true, NULL, "notrace cannot be traced (notrace or inlined)" },
		{ "only", true, NULL, "only is not in this kernel (or inlined)" },
		{ "llvm", true, NULL, "llvm is not in this kernel (or inlined)" },
	};
	struct host *host = open_symbols();

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char why[160] = "";
		const char *target = host_kprobe_target(host, cases[i].name, cases[i].suffixes, why,
							sizeof(why));

		if (cases[i].target)
			ck_assert_str_eq(target, cases[i].target);
		else
			ck_assert(target == NULL);
		ck_assert_str_eq(why, cases[i].why);
	}
	host_close(host);
}
END_TEST

START_TEST(parts_come_in_order_when_they_can_be_traced)
{
	struct host *host = open_symbols();

	ck_assert_str_eq(host_kprobe_part(host, "split", 0), "split.part.0");
	ck_assert_str_eq(host_kprobe_part(host, "split", 1), "split.part.1");
	ck_assert(host_kprobe_part(host, "split", 2) == NULL);
	ck_assert(host_kprobe_part(host, "vfs_read", 0) == NULL);
	ck_assert(host_kprobe_part(host, "only", 0) == NULL);
	host_close(host);
}
END_TEST

START_TEST(without_a_filter_list_all_functions_count)
{
	struct host *host;
	char why[80];

	fixture_write(dir, "proc/kallsyms", kallsyms);
	host = fixture_open(dir);
	ck_assert_str_eq(host_kprobe_target(host, "notrace", false, why, sizeof(why)), "notrace");
	host_close(host);
}
END_TEST

START_TEST(kprobes_can_be_switched_off)
{
	struct host_options options = { .root = dir, .no_kprobes = true };
	struct host *host = open_symbols();

	host_close(host);
	fixture_write(dir, "sys/kernel/debug/kprobes/enabled", "0\n");
	host = fixture_open(dir);
	ck_assert(strstr(host->kprobes_why, "echo 1 >") != NULL);
	host_close(host);
	fixture_write(dir, "sys/kernel/debug/kprobes/enabled", "1\n");
	fixture_write(dir, "proc/sys/kernel/ftrace_enabled", "0\n");
	host = fixture_open(dir);
	ck_assert_str_eq(host->kprobes_why, "kprobes do not fire: sysctl kernel.ftrace_enabled=1");
	host_close(host);
	host = host_open(&options);
	ck_assert_str_eq(host->kprobes_why, "kprobes are disabled by --no-kprobes");
	host_close(host);
}
END_TEST

static const char format[] = "name: sample\nID: 7\nformat:\n"
			     "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
			     "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
			     "\tfield:dev_t dev;\toffset:8;\tsize:4;\tsigned:0;\n"
			     "\tfield:const char * filename;\toffset:16;\tsize:8;\tsigned:0;\n"
			     "\tfield:char rwbs[10];\toffset:24;\tsize:10;\tsigned:0;\n"
			     "\tfield:__data_loc char[] cmd;\toffset:36;\tsize:4;\tsigned:0;\n"
			     "\tfield:unsigned long args[6];\toffset:40;\tsize:48;\tsigned:0;\n"
			     "\tfield:struct iovec *vec;\toffset:88;\tsize:8;\tsigned:0;\n"
			     "\nprint fmt: \"field:int fake;\toffset:1;\tsize:4;\", REC->dev\n";

START_TEST(fields_of_a_format_are_told_apart)
{
	static const struct tp_field expected[] = {
		{ "common_type", "unsigned short", 0, 2, false, false, false },
		{ "common_pid", "int", 4, 4, true, false, false },
		{ "dev", "dev_t", 8, 4, false, false, false },
		{ "filename", "const char *", 16, 8, false, false, false },
		{ "rwbs", "char", 24, 10, false, true, false },
		{ "cmd", "char", 36, 4, false, false, true },
		{ "args", "unsigned long", 40, 48, false, true, false },
		{ "vec", "struct iovec *", 88, 8, false, false, false },
	};
	struct tp_field fields[8];
	struct host *host;

	fixture_write(dir, TRACEFS "events/cat/sample/format", format);
	host = fixture_open(dir);
	ck_assert_int_eq(host_tp_fields(host, "cat:sample", fields, 8), 8);
	for (unsigned i = 0; i < 8; i++) {
		ck_assert_str_eq(fields[i].name, expected[i].name);
		ck_assert_str_eq(fields[i].type, expected[i].type);
		ck_assert_uint_eq(fields[i].offset, expected[i].offset);
		ck_assert_uint_eq(fields[i].size, expected[i].size);
		ck_assert_int_eq(fields[i].is_signed, expected[i].is_signed);
		ck_assert_int_eq(fields[i].is_array, expected[i].is_array);
		ck_assert_int_eq(fields[i].is_data_loc, expected[i].is_data_loc);
	}
	ck_assert_int_eq(host_tp_fields(host, "cat:sample", fields, 7), -E2BIG);
	ck_assert_int_eq(host_tp_fields(host, "cat:other", fields, 8), -ENOENT);
	ck_assert_int_eq(host_tp_fields(host, "nonsense", fields, 8), -ENOENT);
	ck_assert(host_tp_has_field(host, "cat:sample", "rwbs"));
	ck_assert(!host_tp_has_field(host, "cat:sample", "rwb"));
	ck_assert(!host_tp_has_field(host, "cat:other", "rwbs"));
	host_close(host);
}
END_TEST

START_TEST(formats_may_follow_one_another_in_one_file)
{
	struct tp_field fields[8];
	struct host *host;
	char text[4096];

	snprintf(text, sizeof(text), "%s%s%s", format,
		 "name: sample_two\nformat:\n\tfield:int only;\toffset:8;\tsize:4;\tsigned:1;\n",
		 "name: three\nformat:\n\tfield:int last;\toffset:8;\tsize:4;\tsigned:1;");
	fixture_write(dir, TRACEFS "events/cat/formats", text);
	host = fixture_open(dir);
	ck_assert_int_eq(host_tp_fields(host, "cat:sample", fields, 8), 8);
	ck_assert_int_eq(host_tp_fields(host, "cat:sample_two", fields, 8), 1);
	ck_assert_str_eq(fields[0].name, "only");
	ck_assert_int_eq(host_tp_fields(host, "cat:three", fields, 8), 1);
	ck_assert(host_has_tracepoint(host, "cat:three"));
	ck_assert(!host_has_tracepoint(host, "cat:thre"));
	ck_assert(!host_has_tracepoint(host, "cat:sample_t"));
	ck_assert(!host_has_tracepoint(host, "cat"));
	ck_assert(!host_has_tracepoint(host, "../events/cat:three"));
	host_close(host);
}
END_TEST

START_TEST(nonsense_in_a_format_is_no_field)
{
	static const char *const lines[] = {
		"",
		"field:",
		"\tfield:;\toffset:0;\tsize:4;\n",
		"\tfield:int;\toffset:0;\tsize:4;\n",
		"\tfield:int x\toffset:0;\tsize:4\n",
		"\tfield:int x;\toffset:-1;\tsize:4;\n",
		"\tfield:int x;\toffset:99999999999999999999;\tsize:4;\n",
		"\tfield:int x;\toffset:0;\tsize:70000;\n",
		"\tfield:int x;\toffset:0;\n",
		"\tfield:x];\toffset:0;\tsize:4;\n",
		"\tfield:[];\toffset:0;\tsize:4;\n",
		"\tfield:__data_loc ;\toffset:0;\tsize:4;\n",
		"\tfield:int [4];\toffset:0;\tsize:4;\n",
		"\tfield:int a_name_that_is_longer_than_any_field_of_any_kernel;\toffset:0;\tsize:4;\n",
	};
	struct tp_field fields[4];

	for (unsigned i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct host *host;

		fixture_write(dir, TRACEFS "events/cat/bad/format", lines[i]);
		host = fixture_open(dir);
		ck_assert_msg(host_tp_fields(host, "cat:bad", fields, 4) == -EBADMSG, "%s",
			      lines[i]);
		ck_assert(!host_tp_has_field(host, "cat:bad", "x"));
		host_close(host);
	}
}
END_TEST

START_TEST(debugfs_is_the_second_place_for_tracefs)
{
	struct host *host;

	fixture_write(dir, "sys/kernel/debug/tracing/events/syscalls/sys_enter_read/format",
		      format);
	host = fixture_open(dir);
	ck_assert(strstr(host->tracefs, "/sys/kernel/debug/tracing") != NULL);
	ck_assert_str_eq(host->tracefs_why, "");
	ck_assert_str_eq(host->syscalls_why, "");
	host_close(host);
}
END_TEST

/* Repeatable noise: no test may fail only now and then. */
static void noise(unsigned char *out, size_t size, unsigned seed)
{
	static const char favourites[] = "\n\t :;.[]Ttfield:CONFIG_=y";

	for (size_t i = 0; i < size; i++) {
		seed = seed * 1103515245u + 12345u;
		out[i] = seed >> 30 ? (unsigned char)favourites[(seed >> 16) % 24] :
				      (unsigned char)(seed >> 16);
	}
}

START_TEST(garbage_anywhere_does_no_harm)
{
	static const char *const files[] = {
		"proc/kallsyms",
		"proc/config.gz",
		"boot/config-5.0.0",
		"sys/kernel/notes",
		"proc/sys/kernel/osrelease",
		"proc/sys/kernel/version",
		"etc/os-release",
		TRACEFS "available_filter_functions",
		"sys/kernel/debug/kprobes/blacklist",
		TRACEFS "events/cat/one/format",
		TRACEFS "events/cat/formats",
		"sys/kernel/security/lockdown",
		"lib/modules/5.0.0/build/Makefile",
		"lib/modules/5.0.0/build/include/generated/utsrelease.h",
		"lib/modules/5.0.0/build/include/linux/kconfig.h",
		"lib/modules/5.0.0/build/include/linux/fs.h",
	};
	static unsigned char bytes[100000];
	struct tp_field fields[4];
	struct host *host;
	char why[16];

	for (unsigned i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		noise(bytes, sizeof(bytes), (unsigned)_i * 100 + i);
		fixture_write_bytes(dir, files[i], bytes, i % 3 ? sizeof(bytes) : 999);
		host = fixture_open(dir);
		host_has_symbol(host, "vfs_read");
		host_kprobe_target(host, "T", true, why, sizeof(why));
		host_kprobe_part(host, "f", 3);
		host_tp_fields(host, "cat:one", fields, 4);
		host_tp_fields(host, "cat:two", fields, 4);
		host_config(host, "f");
		host_close(host);
	}
}
END_TEST

START_TEST(a_truncated_symbol_table_is_a_shorter_one)
{
	for (size_t size = 0; size < sizeof(kallsyms); size++) {
		struct host *host;

		fixture_write_bytes(dir, "proc/kallsyms", kallsyms, size);
		host = fixture_open(dir);
		ck_assert(!host_has_symbol(host, "vfs_rea"));
		ck_assert(host_has_symbol(host, "vfs_read") == (size > 62));
		host_close(host);
	}
}
END_TEST

START_TEST(very_long_lines_are_skipped)
{
	size_t size = 200000;
	char *text = malloc(size + 40);
	struct host *host;

	memset(text, 'x', size);
	strcpy(text + size, "\n0000000000000000 T vfs_read\n");
	memcpy(text, "0000000000000000 T vfs_", 23);
	fixture_write(dir, "proc/kallsyms", text);
	host = fixture_open(dir);
	ck_assert(host_has_symbol(host, "vfs_read"));
	host_close(host);
	free(text);
}
END_TEST

START_TEST(a_saved_host_is_what_its_kernel_was)
{
	static const struct {
		const char *name, *release;
		bool probe_read_kernel, btf;
	} hosts[] = {
		{ "4.14", "4.14.5", false, false },
		{ "4.18-el8", "4.18.0-147.5.1.el8.x86_64", false, false },
		{ "4.18-el8.10", "4.18.0-553.66.1.el8_10.x86_64", true, false },
		{ "4.19", "4.19.79", false, false },
		{ "5.4", "5.4.59", false, false },
		{ "5.10", "5.10.0-46-amd64", true, true },
		{ "5.14-el9.6", "5.14.0-570.32.1.el9_6.x86_64", true, false },
		{ "6.1", "6.1.0-56-amd64", true, true },
		{ "6.12", "6.12.107+deb13-amd64", true, true },
		{ "6.18", "6.18.15+deb13-amd64", true, true },
		{ "7.2", "7.2.12+deb13-amd64", true, true },
		{ "4.14-arm64", "4.14.5", false, false },
		{ "6.1-arm64", "6.1.0-56-arm64", true, true },
	};
	struct host *host = fixture_open(fixture_saved(hosts[_i].name));

	ck_assert_str_eq(host->release, hosts[_i].release);
	ck_assert_str_eq(host->machine, strstr(hosts[_i].name, "arm64") ? "aarch64" : "x86_64");
	ck_assert_str_eq(host->kprobes_why, "");
	ck_assert_str_eq(host->syscalls_why, "");
	ck_assert_str_eq(host->bpf_why, "");
	ck_assert(host->tracefs[0] != '\0');
	ck_assert_int_eq(host->has_btf, hosts[_i].btf);
	ck_assert_int_eq(host->fact[FACT_PROBE_READ_KERNEL], hosts[_i].probe_read_kernel);
	ck_assert(host_has_symbol(host, "vfs_read"));
	ck_assert(host_tp_has_field(host, "block:block_rq_issue", "rwbs"));
	host_close(host);
}
END_TEST

/* What the matrix of kernels says of single builds, section 2, 4 and 14. */
START_TEST(saved_hosts_differ_where_their_kernels_did)
{
	struct tp_field fields[32];
	struct host *host = fixture_open(fixture_saved("4.18-el8"));
	char why[160];
	int n;

	ck_assert_str_eq(host_kprobe_target(host, "aio_read", true, why, sizeof(why)),
			 "aio_read.isra.0");
	ck_assert_str_eq(host_kprobe_part(host, "vfs_rmdir", 0), "vfs_rmdir.part.0");
	ck_assert(!host_has_symbol(host, "filp_flush"));
	ck_assert(!host_has_tracepoint(host, "block:block_rq_merge"));
	host_close(host);
	/* what all records of this one begin with is longer by four bytes */
	host = fixture_open(fixture_saved("5.14-el9.6"));
	ck_assert(host_tp_has_field(host, "block:block_rq_issue", "common_preempt_lazy_count"));
	n = host_tp_fields(host, "block:block_rq_issue", fields, 32);
	for (int i = 0; i < n; i++)
		if (!strcmp(fields[i].name, "dev"))
			ck_assert_uint_eq(fields[i].offset, 12);
	host_close(host);
	host = fixture_open(fixture_saved("7.2"));
	ck_assert(host_has_symbol(host, "filp_flush"));
	ck_assert(host_kprobe_target(host, "do_user_addr_fault", false, why, sizeof(why)) == NULL);
	ck_assert(strstr(why, "blacklist") || strstr(why, "inlined"));
	n = host_tp_fields(host, "block:block_rq_issue", fields, 32);
	ck_assert_int_gt(n, 8);
	for (int i = 0; i < n; i++)
		if (!strcmp(fields[i].name, "rwbs"))
			ck_assert_uint_eq(fields[i].size, 10);
	host_close(host);
}
END_TEST

/* By structure, not by version: Debian's 5.10 has what 5.11 lacks. */
START_TEST(a_saved_host_renames_as_its_headers_say)
{
	static const struct {
		const char *name;
		bool data;
	} hosts[] = {
		{ "4.14", false }, { "4.18-el8", false }, { "5.4", false }, { "5.10", true },
		{ "6.1", true },   { "6.12", true },      { "7.2", true },
	};
	char path[PATH_MAX];
	struct host *host;

	fixture_headers(dir, hosts[_i].name);
	snprintf(path, sizeof(path), "%.4080s/headers", dir);
	host = fixture_open_with(fixture_saved(hosts[_i].name), path);
	ck_assert_str_eq(host->headers, path);
	ck_assert_int_eq(host->fact[FACT_RENAMEDATA], hosts[_i].data);
	host_close(host);
	host = fixture_open(fixture_saved(hosts[_i].name));
	ck_assert(!host->fact[FACT_RENAMEDATA]);
	host_close(host);
}
END_TEST

/* Operations of block requests, whose numbers moved and were given anew. */
START_TEST(a_saved_host_has_the_block_operations_of_its_headers)
{
	static const struct {
		const char *name;
		bool scsi, same, report, reset_all, open, append;
	} hosts[] = {
		{ "4.14", true, true, true, false, false, false },
		{ "4.18-el8", true, true, false, false, false, false },
		{ "5.4", true, true, false, true, false, false },
		{ "5.10", true, true, false, true, true, true },
		{ "6.1", false, false, false, true, true, true },
		{ "6.12", false, false, false, true, true, true },
		{ "7.2", false, false, false, true, true, true },
	};
	char path[PATH_MAX];
	struct host *host;

	fixture_headers(dir, hosts[_i].name);
	snprintf(path, sizeof(path), "%.4080s/headers", dir);
	host = fixture_open_with(fixture_saved(hosts[_i].name), path);
	ck_assert_int_eq(host->fact[FACT_REQ_OP_SCSI], hosts[_i].scsi);
	ck_assert_int_eq(host->fact[FACT_REQ_OP_WRITE_SAME], hosts[_i].same);
	ck_assert_int_eq(host->fact[FACT_REQ_OP_ZONE_REPORT], hosts[_i].report);
	ck_assert_int_eq(host->fact[FACT_REQ_OP_ZONE_RESET_ALL], hosts[_i].reset_all);
	ck_assert_int_eq(host->fact[FACT_REQ_OP_ZONE_OPEN], hosts[_i].open);
	ck_assert_int_eq(host->fact[FACT_REQ_OP_ZONE_APPEND], hosts[_i].append);
	host_close(host);
}
END_TEST

START_TEST(facts_have_names_and_origins)
{
	for (int i = 0; i < N_FACTS; i++) {
		ck_assert(fact_name(i)[0] != '\0');
		ck_assert(fact_since(i)[0] != '\0');
	}
	ck_assert_str_eq(fact_name(FACT_PROBE_READ_KERNEL), "PROBE_READ_KERNEL");
}
END_TEST

static TCase *paths(void)
{
	TCase *tcase = tcase_create("root");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, links_lead_below_the_root);
	tcase_add_test(tcase, a_saved_host_shows_no_file_of_this_machine);
	tcase_add_test(tcase, a_path_that_is_too_long_is_refused);
	return tcase;
}

static TCase *hosts(void)
{
	TCase *tcase = tcase_create("host");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, the_running_host_has_no_root);
	tcase_add_test(tcase, a_missing_root_is_an_error);
	tcase_add_test(tcase, an_empty_host_says_what_it_lacks);
	tcase_add_test(tcase, identity_comes_from_files);
	tcase_add_loop_test(tcase, page_of_arm64_is_as_large_as_configured, 12, 13);
	tcase_add_loop_test(tcase, page_of_arm64_is_as_large_as_configured, 14, 15);
	tcase_add_loop_test(tcase, page_of_arm64_is_as_large_as_configured, 16, 17);
	tcase_add_loop_test(tcase, kernel_without_btf_has_no_casts, 0, 2);
	tcase_add_test(tcase, confidentiality_forbids_everything);
	tcase_add_test(tcase, config_is_found_in_each_of_its_places);
	tcase_add_test(tcase, config_is_read_compressed);
	tcase_add_test(tcase, missing_options_are_named);
	tcase_add_test(tcase, facts_have_names_and_origins);
	return tcase;
}

static TCase *symbols(void)
{
	TCase *tcase = tcase_create("symbols");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, text_symbols_are_known);
	tcase_add_test(tcase, a_kprobe_needs_one_traceable_function);
	tcase_add_test(tcase, parts_come_in_order_when_they_can_be_traced);
	tcase_add_test(tcase, without_a_filter_list_all_functions_count);
	tcase_add_test(tcase, kprobes_can_be_switched_off);
	tcase_add_test(tcase, a_truncated_symbol_table_is_a_shorter_one);
	tcase_add_test(tcase, very_long_lines_are_skipped);
	return tcase;
}

static TCase *tracepoints(void)
{
	TCase *tcase = tcase_create("tracefs");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, fields_of_a_format_are_told_apart);
	tcase_add_test(tcase, formats_may_follow_one_another_in_one_file);
	tcase_add_test(tcase, nonsense_in_a_format_is_no_field);
	tcase_add_test(tcase, debugfs_is_the_second_place_for_tracefs);
	tcase_add_loop_test(tcase, garbage_anywhere_does_no_harm, 0, 8);
	tcase_add_loop_test(tcase, a_saved_host_is_what_its_kernel_was, 0, 11);
	tcase_add_test(tcase, saved_hosts_differ_where_their_kernels_did);
	tcase_add_loop_test(tcase, a_saved_host_renames_as_its_headers_say, 0, 7);
	tcase_add_loop_test(tcase, a_saved_host_has_the_block_operations_of_its_headers, 0, 7);
	return tcase;
}

int main(void)
{
	Suite *suite = suite_create("kernel");
	SRunner *runner = srunner_create(suite);
	TCase *cases[] = { paths(), hosts(), symbols(), tracepoints() };
	int failed;

	for (unsigned i = 0; i < 4; i++) {
		tcase_set_timeout(cases[i], 120);
		suite_add_tcase(suite, cases[i]);
	}
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? 1 : 0;
}
