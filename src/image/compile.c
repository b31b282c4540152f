/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text to image: the cache in front of a compilation, and what its end means.
 * Running the helper is in helper_run.c.
 */
#include "image/compile.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/phase.h"
#include "image/compile_time.h"
#include "image/groups.h"
#include "image/helper.h"
#include "image/helper_run.h"
#include "image/image_cache.h"
#include "image/image_read.h"
#include "image/image_share.h"
#include "image/machine.h"
#include "image/plan_text.h"

#ifndef IOT_HELPER_PATH
#define IOT_HELPER_PATH "/usr/local/libexec/iotracer/iotracer-bcc"
#endif
#ifndef IOT_STUB_DIR
#define IOT_STUB_DIR "/usr/local/share/iotracer/stub"
#endif
#ifndef IOT_CACHE_DIR
#define IOT_CACHE_DIR "/var/cache/iotracer"
#endif

enum { DEFAULT_TIMEOUT_S = 900, MAX_ARGS = 64 };

/* secure_getenv is NULL in a set-id program, where the environment is the caller's. */
static const char *pick(const char *given, const char *variable, const char *installed)
{
	const char *set = secure_getenv(variable);

	if (given)
		return given;
	return set && *set ? set : installed;
}

static const char *stub_dir(const struct compile_options *options)
{
	return pick(options->stub_dir, "IOTRACER_STUB", IOT_STUB_DIR);
}

/* The helper's arguments; strings that are made here are in pool. */
struct args {
	const char *argv[MAX_ARGS];
	int n;
	char pool[2048];
	size_t used;
};

static void arg(struct args *args, const char *option, const char *value)
{
	args->argv[args->n++] = option;
	args->argv[args->n++] = value;
}

static void key_args(struct args *args, const struct image_key *key)
{
	const char *name, *value;

	for (size_t i = 0; (value = image_key_get(key, i, &name)); i++) {
		char *at = args->pool + args->used;

		args->used += (size_t)snprintf(at, sizeof(args->pool) - args->used, "%s=%s", name,
					       value) +
			      1;
		arg(args, "--key", at);
	}
}

static int make_args(struct args *args, const struct host *host, const struct image_key *key,
		     const struct compile_options *options)
{
	const struct machine *machine = machine_of(host->machine);

	memset(args, 0, sizeof(*args));
	if (!machine)
		return -EOPNOTSUPP;
	args->argv[args->n++] = pick(options->helper, "IOTRACER_BCC", IOT_HELPER_PATH);
	if (options->with_headers && !host->layout) {
		arg(args, "--kernel-build", host->headers);
		arg(args, "--kernel-source",
		    host->headers_source[0] ? host->headers_source : host->headers);
	} else {
		arg(args, "--kernel-build", stub_dir(options));
	}
	/* not every libbcc knows the name of the machine that it runs on */
	if (machine != machine_of(""))
		arg(args, "--arch", machine->arch);
	for (size_t i = 0; i < COMPILE_N_FLAGS; i++)
		arg(args, "--cflag", compile_flags[i]);
	key_args(args, key);
	return 0;
}

/* Output with -v; without, the caller has shown the one line that matters. */
static void show_output(char *output)
{
	if (log_get_level() < LOG_VERBOSE)
		return;
	for (char *line = strtok(output, "\n"); line; line = strtok(NULL, "\n"))
		log_detail("compiler: %s", line);
}

static void first_line(char *out, size_t size, const char *at)
{
	snprintf(out, size, "%.*s", (int)strcspn(at, "\n"), at);
}

/*
 * The first error of the last attempt, since what failed before it was only
 * that attempt's matter. LLVM's own say "LLVM ERROR:".
 */
static void find_error(const char *output, char *out, size_t size)
{
	const char *last = output, *at;

	while ((at = strstr(last, HELPER_RETRY_LINE)))
		last = at + strlen(HELPER_RETRY_LINE);
	at = strcasestr(last, "error:");
	if (!at) {
		/* no error by that name: the last thing said */
		at = output + strlen(output);
		while (at > output && at[-1] == '\n')
			at--;
	}
	while (at > output && at[-1] != '\n')
		at--;
	first_line(out, size, *at ? at : "no output");
}

/* Says how the helper ended; -errno. */
static int judge(const struct helper_run *run, const char *helper)
{
	char line[240];

	find_error(run->output, line, sizeof(line));
	switch (run->end) {
	case RUN_EXITED:
		break;
	case RUN_SIGNALLED:
		log_error("compile helper %s crashed (%s)", helper, strsignal(run->status));
		return -ECHILD;
	case RUN_TIMEOUT:
		log_error("compile helper %s timed out after %u s", helper, run->timeout_s);
		return -ETIMEDOUT;
	case RUN_INTERRUPTED:
		return -EINTR;
	case RUN_NOT_STARTED:
#ifdef WITHOUT_RECORDER
		log_error(
			"this iotracer was built without the compiler (--disable-recorder): give an image with --image, which `iotracer build` makes elsewhere");
#else
		log_error("cannot run compile helper %s: %s; install iotracer, or set IOTRACER_BCC",
			  helper, strerror(run->status));
#endif
		return -run->status;
	}
	if (run->status == HELPER_OK)
		return 0;
	if (run->status == HELPER_TEXT) {
		log_error("BPF text does not compile: %s", line);
		return -ENOEXEC;
	}
	log_error("compile helper %s failed with status %d: %s", helper, run->status, line);
	return -ECHILD;
}

static int take_image(struct image *image, int fd, const struct image_key *key, const char *helper)
{
	const char *why, *member;
	int err;

	lseek(fd, 0, SEEK_SET);
	err = image_read_why(image, fd, &why);
	if (err) {
		log_error("compile helper %s returned no image: %s", helper, why);
		return err;
	}
	member = image_key_differs(&image->key, key);
	if (!member)
		return 0;
	log_error("compile helper %s returned an image for another %s", helper, member);
	image_free(image);
	return -EBADMSG;
}

/* A part of a text with the helper that compiles it. */
struct part {
	struct helper_run run;
	struct args args;
	char *text;
	pthread_t thread;
	bool in_thread;
	int err;
};

static void *run_part(void *arg)
{
	struct part *part = arg;

	part->err = helper_run(&part->run, part->args.argv, part->text);
	return NULL;
}

/* The first one is run by this thread, which tells what is waited for. */
static void run_parts(struct part *parts, unsigned n)
{
	sigset_t mask;

	helper_hold_signals(&mask);
	for (unsigned i = 1; i < n; i++)
		parts[i].in_thread = !pthread_create(&parts[i].thread, NULL, run_part, &parts[i]);
	run_part(&parts[0]);
	for (unsigned i = 1; i < n; i++) {
		if (parts[i].in_thread)
			pthread_join(parts[i].thread, NULL);
		else
			run_part(&parts[i]);
	}
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
}

/* Merges all parts into one image; reports the first that failed. */
static int collect(struct image *image, struct part *parts, unsigned n, const struct image_key *key)
{
	struct image more;
	int err = 0;

	for (unsigned i = 0; i < n && !err; i++) {
		const char *helper = parts[i].args.argv[0];

		/*
		 * in their order, whichever ended first: the same mistake always gives the
		 * same message
		 */
		err = parts[i].err;
		if (!err)
			err = judge(&parts[i].run, helper);
		if (!err)
			err = take_image(i ? &more : image, parts[i].run.image_fd, key, helper);
		if (err || !i)
			continue;
		err = groups_merge(image, &more);
		image_free(&more);
		if (err)
			log_error("compile helper %s returned other maps for a part", helper);
	}
	return err;
}

/* What a compilation is told and asked */
struct work {
	const struct image_key *key;
	const struct host *host;
	const char *text;
	const struct compile_options *options;
	int cache;
	unsigned n_programs, n_groups;
};

static void make_notice(char notice[160], const struct work *w)
{
	bool kept = w->cache >= 0;

	snprintf(notice, 160, "compiling for %s%s (about %u s)",
		 kept ? "this kernel" : w->host->release, kept ? ", once" : "",
		 compile_time_expect(w->cache, w->n_programs, w->n_groups));
}

static int make_part(struct part *part, const struct work *w, unsigned i)
{
	const struct compile_options *options = w->options;

	part->run.image_fd = -1;
	part->run.timeout_s = options->timeout_s ? options->timeout_s : DEFAULT_TIMEOUT_S;
	if (make_args(&part->args, w->host, w->key, options))
		return -EOPNOTSUPP;
	part->text = groups_text(w->text, options->plan, i, w->n_groups);
	return part->text ? 0 : -ENOMEM;
}

static int compile_text(struct image *image, const struct work *w)
{
	struct part *parts = calloc(w->n_groups, sizeof(*parts));
	char notice[160];
	int err = parts ? 0 : -ENOMEM;

	for (unsigned i = 0; i < w->n_groups && !err; i++)
		err = make_part(&parts[i], w, i);
	if (!err) {
		make_notice(notice, w);
		parts[0].run.notice = notice;
		run_parts(parts, w->n_groups);
		err = collect(image, parts, w->n_groups, w->key);
	}
	if (err)
		image_free(image);
	for (unsigned i = 0; parts && i < w->n_groups; i++) {
		if (parts[i].run.output)
			show_output(parts[i].run.output);
		/* without one it was never begun */
		if (parts[i].text)
			helper_run_free(&parts[i].run);
		free(parts[i].text);
	}
	free(parts);
	return err;
}

static int run_helpers(struct image *image, struct work *w)
{
	uint64_t began = mono_ns();
	int err;

	phase_begin("compile");
	w->n_programs = groups_programs(w->text, w->options->plan);
	w->n_groups = w->options->groups ? w->options->groups : groups_wanted(w->n_programs);
	err = compile_text(image, w);
	if (!err)
		compile_time_keep(w->cache, mono_ns() - began, w->n_programs, w->n_groups);
	return err;
}

const char *compile_cache_dir(void)
{
	return pick(NULL, "IOTRACER_CACHE", IOT_CACHE_DIR);
}

static int open_cache(const struct compile_options *options)
{
	const char *dir = options->cache_dir ? options->cache_dir : compile_cache_dir();

	return *dir ? cache_open(dir) : -ENOENT;
}

/* From the cache: its own, or one for more streams. */
static int find_cached(struct image *image, int cache, const struct image_key *key,
		       const struct compile_options *options)
{
	if (!cache_get(cache, key, image))
		return 0;
	return options->plan ? share_find(cache, key, options, image) : -ENOENT;
}

/* Without its plan it serves this one alone. */
static void keep(int cache, struct image *image, const struct plan *plan)
{
	if (plan && !image->plan)
		image->plan = plan_to_text(plan);
	cache_put(cache, image);
}

int compile_image(struct image *image, const struct host *host, const char *text,
		  const struct compile_options *options, bool *cached)
{
	struct image_key key;
	int err = compile_key(&key, host, text, options);
	int cache;

	memset(image, 0, sizeof(*image));
	*cached = false;
	if (err)
		return err;
	cache = open_cache(options);
	if (cache >= 0 && !find_cached(image, cache, &key, options))
		*cached = true;
	else
		err = run_helpers(image, &(struct work){ .key = &key,
							 .host = host,
							 .text = text,
							 .options = options,
							 .cache = cache });
	if (!err && cache >= 0 && !*cached)
		keep(cache, image, options->plan);
	if (cache >= 0)
		close(cache);
	return err;
}
