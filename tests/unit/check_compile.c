/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compiling: whatever the helper does wrong becomes one message and the right
 * errno; what it does right becomes an image, once compiled and then cached.
 * Helpers that misbehave are shell scripts. Those tests that compile for real
 * need root and IOTRACER_BCC or ./iotracer-bcc, else the suite ends with 77
 * after the others have passed.
 */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "image/compile.h"
#include "image/compile_time.h"
#include "image/image_cache.h"

enum { SKIP = 77 };

static char dir[] = "/tmp/check_compile.XXXXXX";
static char helper_path[64];
static struct host host;
static struct compile_options options;
static struct image image;
static bool cached;

static const char text[] = "int iot_x_tp(void *ctx)\n{\n\treturn 0;\n}\n";

static void setup(void)
{
	strcpy(dir, "/tmp/check_compile.XXXXXX");
	ck_assert(mkdtemp(dir));
	snprintf(helper_path, sizeof(helper_path), "%s/helper", dir);
	memset(&host, 0, sizeof(host));
	strcpy(host.release, "6.1.0-test");
	strcpy(host.version, "#1 SMP = test");
	strcpy(host.machine, "x86_64");
	strcpy(host.headers_why, "not here");
	options = (struct compile_options){
		.helper = helper_path, .cache_dir = "", .timeout_s = 20, .stub_dir = "/"
	};
	setenv("TMPDIR", dir, 1);
}

/* The directory is empty again but for what the test put there: no litter. */
static void teardown(void)
{
	char cmd[128];

	snprintf(cmd, sizeof(cmd), "ls -d %s/iotracer-* >/dev/null 2>&1", dir);
	ck_assert_int_ne(system(cmd), 0);
	snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
	ck_assert_int_eq(system(cmd), 0);
}

static void helper_script(const char *script)
{
	int fd = open(helper_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_ge((int)dprintf(fd, "#!/bin/sh\n%s\n", script), 0);
	close(fd);
}

static int compile_with(const char *script)
{
	helper_script(script);
	return compile_image(&image, &host, text, &options, &cached);
}

/* stderr of the call in a file, to look at the messages */
static int compile_heard(const char *script, char *out, size_t size)
{
	int saved = dup(STDERR_FILENO);
	FILE *file = tmpfile();
	size_t n;
	int err;

	ck_assert(file);
	fflush(stderr);
	dup2(fileno(file), STDERR_FILENO);
	err = compile_with(script);
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
	rewind(file);
	n = fread(out, 1, size - 1, file);
	out[n] = '\0';
	fclose(file);
	return err;
}

static int lines(const char *s)
{
	int n = 0;

	for (; *s; s++)
		n += *s == '\n';
	return n;
}

START_TEST(a_missing_helper_is_enoent)
{
	ck_assert_int_eq(compile_image(&image, &host, text, &options, &cached), -ENOENT);
}
END_TEST

START_TEST(a_helper_that_cannot_run_is_reported)
{
	helper_script("exit 0");
	chmod(helper_path, 0600);
	ck_assert_int_eq(compile_image(&image, &host, text, &options, &cached), -EACCES);
}
END_TEST

START_TEST(a_crash_is_echild_and_names_the_signal)
{
	char heard[1024];

	ck_assert_int_eq(compile_heard("kill -SEGV $$", heard, sizeof(heard)), -ECHILD);
	ck_assert(strstr(heard, "Segmentation fault"));
	ck_assert_int_eq(lines(heard), 1);
}
END_TEST

START_TEST(exit_1_is_enoexec_with_the_first_error_of_the_last_attempt)
{
	char heard[2048];
	int err = compile_heard("echo 'x.h:1:1: error: old story' >&2\n"
				"echo 'iotracer-bcc: another attempt follows' >&2\n"
				"echo 'noise'\n"
				"echo '/virtual/main.c:7:3: error: no such thing'\n"
				"echo '/virtual/main.c:8:3: error: another'\n"
				"exit 1",
				heard, sizeof(heard));

	ck_assert_int_eq(err, -ENOEXEC);
	ck_assert(strstr(heard, "main.c:7:3: error: no such thing"));
	ck_assert(!strstr(heard, "old story") && !strstr(heard, "another"));
	ck_assert_int_eq(lines(heard), 1);
}
END_TEST

START_TEST(exit_1_without_a_word_says_so)
{
	char heard[1024];

	ck_assert_int_eq(compile_heard("exit 1", heard, sizeof(heard)), -ENOEXEC);
	ck_assert(strstr(heard, "no output"));
	ck_assert_int_eq(compile_heard("echo only this; echo; exit 1", heard, sizeof(heard)),
			 -ENOEXEC);
	ck_assert(strstr(heard, "only this"));
}
END_TEST

START_TEST(other_statuses_are_echild)
{
	ck_assert_int_eq(compile_with("echo broken >&2; exit 3"), -ECHILD);
}
END_TEST

/* What the helper's slowness makes the tracer say; "" where nothing is. */
static void said_by(const char *script, char *said, size_t size)
{
	char path[PATH_MAX];
	int before = dup(STDERR_FILENO), fd;
	ssize_t n;

	snprintf(path, sizeof(path), "%s/said", dir);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	ck_assert_int_ge(dup2(fd, STDERR_FILENO), 0);
	compile_with(script);
	dup2(before, STDERR_FILENO);
	n = pread(fd, said, size - 1, 0);
	said[n > 0 ? n : 0] = '\0';
	close(fd);
	close(before);
}

START_TEST(a_compilation_that_takes_long_is_announced_once)
{
	char said[1024], cache[64];

	snprintf(cache, sizeof(cache), "%s/cache", dir);
	options.cache_dir = cache;
	said_by("sleep 1.5; exit 3", said, sizeof(said));
	ck_assert_ptr_ne(strstr(said, "iotracer: compiling for this kernel, once (about "), NULL);
	ck_assert_ptr_eq(strstr(strstr(said, "compiling") + 1, "compiling"), NULL);
	options.cache_dir = "";
	said_by("sleep 1.5; exit 3", said, sizeof(said));
	ck_assert_ptr_ne(strstr(said, "iotracer: compiling for 6.1.0-test (about "), NULL);
}
END_TEST

START_TEST(a_short_one_is_not_nor_any_when_quiet)
{
	char said[1024];

	said_by("exit 3", said, sizeof(said));
	ck_assert_ptr_eq(strstr(said, "compiling"), NULL);
	log_set_level(LOG_QUIET);
	said_by("sleep 1; exit 3", said, sizeof(said));
	log_set_level(LOG_NORMAL);
	ck_assert_ptr_eq(strstr(said, "compiling"), NULL);
}
END_TEST

START_TEST(the_last_one_tells_how_long_the_next_one_takes)
{
	char cache[64];
	int fd;

	snprintf(cache, sizeof(cache), "%s/cache", dir);
	fd = cache_open(cache);
	ck_assert_int_ge(fd, 0);
	/* 90 programs by three helpers in 6 s: a program takes 200 ms */
	compile_time_keep(fd, 6 * NS_PER_S, 90, 3);
	ck_assert_uint_eq(compile_time_expect(fd, 90, 3), 6);
	ck_assert_uint_eq(compile_time_expect(fd, 90, 1), 18);
	ck_assert_uint_eq(compile_time_expect(fd, 2, 1), 1);
	close(fd);
	ck_assert_uint_ge(compile_time_expect(-1, 10, 1), 1);
}
END_TEST

START_TEST(a_helper_that_hangs_is_ended)
{
	time_t start = time(NULL);

	options.timeout_s = 1;
	ck_assert_int_eq(compile_with("sleep 60; exit 0"), -ETIMEDOUT);
	ck_assert_int_lt((int)(time(NULL) - start), 10);
}
END_TEST

START_TEST(a_helper_that_closes_everything_is_ended)
{
	options.timeout_s = 1;
	ck_assert_int_eq(compile_with("exec 0<&- 1>&- 2>&- 3>&- 4>&-\nsleep 60"), -ETIMEDOUT);
}
END_TEST

START_TEST(garbage_is_refused)
{
	ck_assert_int_eq(compile_with("exit 0"), -EBADMSG);
	ck_assert_int_eq(compile_with("head -c 100000 /dev/urandom >&3"), -EBADMSG);
	ck_assert_ptr_eq(image.progs, NULL);
}
END_TEST

START_TEST(much_output_and_unread_text_block_nobody)
{
	options.timeout_s = 60;
	ck_assert_int_eq(compile_with("head -c 5000000 /dev/zero | tr '\\0' 'x'; exit 3"), -ECHILD);
	ck_assert_int_eq(compile_with("head -c 5000000 /dev/zero >&2; exit 1"), -ENOEXEC);
}
END_TEST

START_TEST(the_helper_gets_text_key_and_directory)
{
	char cmd[512];
	char script[256];

	snprintf(script, sizeof(script), "cat > %s/text; echo \"$@\" > %s/args; exit 3", dir, dir);
	ck_assert_int_eq(compile_with(script), -ECHILD);
	snprintf(cmd, sizeof(cmd),
		 "grep -q 'int iot_x_tp' %s/text && "
		 "grep -q -e '--key release=6.1.0-test' %s/args && "
		 "grep -q -e '--kernel-build / ' %s/args && grep -q -e '--fd 3' %s/args",
		 dir, dir, dir, dir);
	ck_assert_int_eq(system(cmd), 0);
}
END_TEST

static volatile sig_atomic_t n_interrupts;

static void on_interrupt(int signo)
{
	(void)signo;
	n_interrupts++;
}

START_TEST(a_stop_signal_ends_the_helper_and_still_arrives)
{
	struct sigaction action = { .sa_handler = on_interrupt };
	time_t start = time(NULL);
	pid_t self = getpid();
	pid_t killer;

	sigaction(SIGINT, &action, NULL);
	killer = fork();
	if (killer == 0) {
		usleep(300000);
		kill(self, SIGINT);
		_exit(0);
	}
	ck_assert_int_eq(compile_with("sleep 60"), -EINTR);
	ck_assert_int_eq(n_interrupts, 1);
	ck_assert_int_lt((int)(time(NULL) - start), 10);
	waitpid(killer, NULL, 0);
}
END_TEST

START_TEST(the_helper_dies_with_the_tracer)
{
	char cmd[256], script[256];
	pid_t tracer;

	snprintf(script, sizeof(script), "echo $$ > %s/pid; exec sleep 60", dir);
	tracer = fork();
	if (tracer == 0)
		_exit(compile_with(script) ? 1 : 0);
	snprintf(cmd, sizeof(cmd),
		 "for i in $(seq 100); do [ -s %s/pid ] && break; sleep 0.05; "
		 "done; [ -s %s/pid ]",
		 dir, dir);
	ck_assert_int_eq(system(cmd), 0);
	kill(tracer, SIGKILL);
	waitpid(tracer, NULL, 0);
	snprintf(cmd, sizeof(cmd),
		 "for i in $(seq 100); do kill -0 $(cat %s/pid) 2>/dev/null || "
		 "exit 0; sleep 0.05; done; exit 1",
		 dir);
	ck_assert_int_eq(system(cmd), 0);
	/* the one thing that a killed tracer leaves */
	snprintf(cmd, sizeof(cmd), "rm -rf %s/iotracer-*", dir);
	ck_assert_int_eq(system(cmd), 0);
}
END_TEST

START_TEST(without_headers_a_text_that_wants_them_is_refused)
{
	options.with_headers = true;
	ck_assert_int_eq(compile_with("exit 0"), -ENOENT);
}
END_TEST

static void put(const char *path, const char *content)
{
	char full[256];
	FILE *file;

	snprintf(full, sizeof(full), "%s/%s", dir, path);
	file = fopen(full, "w");
	ck_assert(file);
	fputs(content, file);
	fclose(file);
}

START_TEST(the_key_follows_text_headers_and_host)
{
	struct image_key a, b;
	char cmd[128];

	snprintf(cmd, sizeof(cmd), "mkdir -p %s/include/generated", dir);
	ck_assert_int_eq(system(cmd), 0);
	snprintf(host.headers, sizeof(host.headers), "%s", dir);
	options.with_headers = true;
	put("include/generated/utsrelease.h", "#define UTS_RELEASE \"6.1.0-test\"\n");
	ck_assert_int_eq(compile_key(&a, &host, text, &options), 0);
	ck_assert_int_eq(compile_key(&b, &host, text, &options), 0);
	ck_assert_ptr_eq((void *)image_key_differs(&a, &b), NULL);
	put("include/generated/compile.h", "#define UTS_VERSION \"#2\"\n");
	ck_assert_int_eq(compile_key(&b, &host, text, &options), 0);
	ck_assert_str_eq(image_key_differs(&a, &b), "headers");
	options.with_headers = false;
	ck_assert_int_eq(compile_key(&a, &host, text, &options), 0);
	ck_assert_str_eq(a.headers, "none");
	ck_assert_int_eq(compile_key(&b, &host, "other", &options), 0);
	ck_assert_str_eq(image_key_differs(&a, &b), "text");
	strcpy(host.version, "#2");
	ck_assert_int_eq(compile_key(&b, &host, text, &options), 0);
	ck_assert_str_eq(image_key_differs(&a, &b), "version");
}
END_TEST

/* The real helper and our stub headers. */
static const char *real_helper(void)
{
	const char *set = getenv("IOTRACER_BCC");
	static char path[PATH_MAX];

	if (geteuid() != 0 || !realpath(set && *set ? set : "iotracer-bcc", path))
		return NULL;
	return access(path, X_OK) == 0 ? path : NULL;
}

static void use_real_helper(void)
{
	static char stub[PATH_MAX];
	const char *srcdir = getenv("srcdir");

	snprintf(stub, sizeof(stub), "%s/compat/stub", srcdir ? srcdir : ".");
	options.helper = real_helper();
	options.stub_dir = realpath(stub, NULL);
	options.timeout_s = 600;
}

START_TEST(the_place_of_the_cache_may_be_set)
{
	ck_assert_int_eq(setenv("IOTRACER_CACHE", "/somewhere/else", 1), 0);
	ck_assert_str_eq(compile_cache_dir(), "/somewhere/else");
	ck_assert_int_eq(setenv("IOTRACER_CACHE", "", 1), 0);
	ck_assert_str_eq(compile_cache_dir(), "/var/cache/iotracer");
	ck_assert_int_eq(unsetenv("IOTRACER_CACHE"), 0);
	ck_assert_str_eq(compile_cache_dir(), "/var/cache/iotracer");
}
END_TEST

START_TEST(a_text_without_headers_compiles_and_is_cached)
{
	static char cache[64];

	use_real_helper();
	snprintf(cache, sizeof(cache), "%s/cache", dir);
	options.cache_dir = cache;
	ck_assert_int_eq(compile_image(&image, &host, text, &options, &cached), 0);
	ck_assert(!cached);
	ck_assert(image_find_prog(&image, "iot_x_tp"));
	image_free(&image);
	ck_assert_int_eq(compile_image(&image, &host, text, &options, &cached), 0);
	ck_assert(cached);
	ck_assert(image_find_prog(&image, "iot_x_tp"));
	image_free(&image);
}
END_TEST

START_TEST(maps_come_with_their_sizes_and_references)
{
	static const char maps[] = "BPF_PERF_OUTPUT(ring);\n"
				   "BPF_HASH(starts, __u64, __u64, 4000);\n"
				   "int iot_x_tp(void *ctx)\n{\n"
				   "\t__u64 id = bpf_get_current_pid_tgid();\n"
				   "\tstarts.update(&id, &id);\n"
				   "\tring.perf_submit(ctx, &id, sizeof(id));\n"
				   "\treturn 0;\n}\n";
	int ring, starts;

	use_real_helper();
	ck_assert_int_eq(compile_image(&image, &host, maps, &options, &cached), 0);
	ring = image_find_map(&image, "ring");
	starts = image_find_map(&image, "starts");
	ck_assert(ring >= 0 && starts >= 0);
	ck_assert_uint_eq(image.maps[ring].max_entries, 0);
	ck_assert_uint_eq(image.maps[starts].max_entries, 4000);
	ck_assert_uint_eq(image.maps[starts].key_size, 8);
	ck_assert_uint_eq(image_find_prog(&image, "iot_x_tp")->n_relocs, 2);
	image_free(&image);
}
END_TEST

/* Four programs and a map in three parts, of which one has two programs. */
START_TEST(parts_are_compiled_side_by_side_and_become_one_image)
{
	static const char four[] = "BPF_ARRAY(counts, unsigned long long, 4);\n"
				   "static inline int add(int i)\n{\n"
				   "\tunsigned long long *n = counts.lookup(&i);\n\n"
				   "\tif (n)\n\t\t*n += 1;\n\treturn 0;\n}\n"
				   "int iot_a_tp(void *ctx)\n{\n\treturn add(0);\n}\n"
				   "int iot_b_tp(void *ctx)\n{\n\treturn add(1);\n}\n"
				   "int iot_c_tp(void *ctx)\n{\n\treturn add(2);\n}\n"
				   "int iot_d_tp(void *ctx)\n{\n\treturn add(3);\n}\n";
	static const char *const names[] = { "iot_a_tp", "iot_b_tp", "iot_c_tp", "iot_d_tp" };

	use_real_helper();
	options.groups = 3;
	ck_assert_int_eq(compile_image(&image, &host, four, &options, &cached), 0);
	ck_assert_uint_eq(image.n_maps, 1);
	ck_assert_uint_eq(image.n_progs, 4);
	for (int i = 0; i < 4; i++) {
		const struct image_prog *prog = image_find_prog(&image, names[i]);

		ck_assert_ptr_ne(prog, NULL);
		ck_assert_uint_eq(prog->n_relocs, 1);
	}
	image_free(&image);
}
END_TEST

START_TEST(a_part_that_does_not_compile_is_enoexec)
{
	use_real_helper();
	options.groups = 2;
	ck_assert_int_eq(compile_image(&image, &host,
				       "int iot_a_tp(void *ctx)\n{\n\treturn 0;\n}\n"
				       "int iot_b_tp(void *ctx)\n{\n\treturn nothing;\n}\n",
				       &options, &cached),
			 -ENOEXEC);
}
END_TEST

START_TEST(a_syntax_error_is_enoexec_with_its_line)
{
	char heard[4096];
	int saved = dup(STDERR_FILENO);
	FILE *file = tmpfile();
	int err;

	use_real_helper();
	log_set_level(LOG_QUIET); /* on a slow machine it is announced, too */
	dup2(fileno(file), STDERR_FILENO);
	err = compile_image(&image, &host, "int iot_x_tp(void *ctx) { return y; }", &options,
			    &cached);
	dup2(saved, STDERR_FILENO);
	log_set_level(LOG_NORMAL);
	rewind(file);
	heard[fread(heard, 1, sizeof(heard) - 1, file)] = '\0';
	ck_assert_int_eq(err, -ENOEXEC);
	ck_assert(strstr(heard, "main.c:1:") && strstr(heard, "'y'"));
	ck_assert_int_eq(lines(heard), 1);
	fclose(file);
	close(saved);
}
END_TEST

START_TEST(an_exit_inside_the_library_is_enoexec)
{
	use_real_helper();
	ck_assert_int_eq(compile_image(&image, &host,
				       "int iot_x_tp(void *ctx) { char a[600] = {};"
				       " bpf_get_current_comm(a, sizeof(a)); return a[5]; }",
				       &options, &cached),
			 -ENOEXEC);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("compile");
	TCase *end = tcase_create("ends");
	TCase *key = tcase_create("key");
	TCase *real = tcase_create("real");
	bool with_real = real_helper() != NULL;
	SRunner *runner;
	int n_failed;

	tcase_add_checked_fixture(end, setup, teardown);
	tcase_add_checked_fixture(key, setup, teardown);
	tcase_add_checked_fixture(real, setup, teardown);
	tcase_set_timeout(end, 120);
	tcase_set_timeout(real, 900);
	tcase_add_test(end, a_missing_helper_is_enoent);
	tcase_add_test(end, a_helper_that_cannot_run_is_reported);
	tcase_add_test(end, a_crash_is_echild_and_names_the_signal);
	tcase_add_test(end, exit_1_is_enoexec_with_the_first_error_of_the_last_attempt);
	tcase_add_test(end, exit_1_without_a_word_says_so);
	tcase_add_test(end, other_statuses_are_echild);
	tcase_add_test(end, a_compilation_that_takes_long_is_announced_once);
	tcase_add_test(end, a_short_one_is_not_nor_any_when_quiet);
	tcase_add_test(end, the_last_one_tells_how_long_the_next_one_takes);
	tcase_add_test(end, a_helper_that_hangs_is_ended);
	tcase_add_test(end, a_helper_that_closes_everything_is_ended);
	tcase_add_test(end, garbage_is_refused);
	tcase_add_test(end, much_output_and_unread_text_block_nobody);
	tcase_add_test(end, the_helper_gets_text_key_and_directory);
	tcase_add_test(end, a_stop_signal_ends_the_helper_and_still_arrives);
	tcase_add_test(end, the_helper_dies_with_the_tracer);
	tcase_add_test(key, without_headers_a_text_that_wants_them_is_refused);
	tcase_add_test(key, the_key_follows_text_headers_and_host);
	tcase_add_test(key, the_place_of_the_cache_may_be_set);
	tcase_add_test(real, a_text_without_headers_compiles_and_is_cached);
	tcase_add_test(real, maps_come_with_their_sizes_and_references);
	tcase_add_test(real, parts_are_compiled_side_by_side_and_become_one_image);
	tcase_add_test(real, a_part_that_does_not_compile_is_enoexec);
	tcase_add_test(real, a_syntax_error_is_enoexec_with_its_line);
	tcase_add_test(real, an_exit_inside_the_library_is_enoexec);
	suite_add_tcase(s, end);
	suite_add_tcase(s, key);
	if (with_real)
		suite_add_tcase(s, real);
	runner = srunner_create(s);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	if (n_failed)
		return EXIT_FAILURE;
	if (!with_real)
		printf("compile: real compilations skipped: they need root and iotracer-bcc\n");
	return with_real ? EXIT_SUCCESS : SKIP;
}
