/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `iotracer build`: the image for another host from its saved facts and its
 * headers, so that the host itself needs neither headers nor LLVM.
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/output_file.h"
#include "cmd/commands.h"
#include "cmd/option_groups.h"
#include "cmd/options.h"
#include "cmd/stream_list.h"
#include "compat/host/host.h"
#include "compat/sys/sys.h"
#include "image/compile.h"
#include "image/image_write.h"
#include "image/plan_text.h"
#include "image/source.h"
#include "session/setup.h"

static bool parse_events(const struct option_row *row, const char *arg, void *target)
{
	struct build_command *o = target;

	(void)row;
	o->streams_named = arg[0] != '!';
	return options_streams(arg, o->streams);
}

#define TO(kind, member) OPTION_TO(kind, struct build_command, member)

/* clang-format off */
static const struct option_row rows[] = {
	{ .name = "root", .argument = "DIR", .section = OPTIONS_MAIN, TO(text, host.root),
	  .help = "saved host: a directory, or a file of --collect",
	  .more = "The file is what `doctor --collect` saved; a directory is laid out like /." },
	{ .name = "output", .letter = 'o', .argument = "FILE", .section = OPTIONS_MAIN, TO(text, out),
	  .help = "image to write" },
	{ OPTIONS_EVENTS_TEXT, .parse = parse_events },
	{ .name = "drops", .section = OPTIONS_ROWS, TO(flag, drops),
	  .help = "allow record --drops and --all-drops" },
	{ .name = "given", .section = OPTIONS_ROWS, TO(flag, given),
	  .help = "allow record --given" },
	OPTIONS_HOST_ROWS(struct build_command, ),
	OPTIONS_LOG_ROWS,
	OPTIONS_HELP_ROW,
	{ 0 },
};
/* clang-format on */

const struct command command_build = {
	.name = "build",
	.summary = "compiles an image for another host, from its saved facts and its headers",
	.usage = "--root DIR [--headers DIR] -o FILE [OPTION]...",
	.example = "iotracer build --root host.tar.gz --headers linux-headers -o image",
	.next = "iotracer record --image FILE, on that host",
	.options = rows,
	.run = build_command,
};

int options_build(struct build_command *o, int argc, char **argv)
{
	int err;

	memset(o, 0, sizeof(*o));
	options_default_streams(o->streams);
	err = options_parse(&command_build, argc, argv, o);
	if (!err && (!o->host.root || !o->out || optind < argc))
		err = options_wrong_usage(&command_build);
	return err;
}

/* Under the final name only when whole, and on the disk. */
static int save(const struct image *image, const char *name)
{
	struct output_file file;
	int err = output_file_open_regular(&file, name);

	if (err)
		return err;
	err = image_write(image, fileno(file.out));
	if (!err && fsync(fileno(file.out))) {
		err = -errno;
		log_error("%s: %s", name, strerror(-err));
	}
	return output_file_close(&file, err);
}

int build_command(int argc, char **argv)
{
	struct build_command o;
	struct host *host = NULL;
	struct image image = { 0 };
	static struct plan plan;
	char *text = NULL;
	bool cached;
	int err = options_build(&o, argc, argv);
	struct compile_options compile = { .cache_dir = "" };
	struct plan_request request = { 0 };

	if (err)
		return err - 1;
	/* before the minutes that a compilation may take */
	if (output_file_check_regular(o.out))
		return STATUS_FAILED;
	memlock_raise();
	request.options = (o.drops ? OPTION_DROPS : 0) | (o.given ? OPTION_GIVEN : 0);
	err = setup_plan(&host, &plan, &o.host, o.streams, &request);
	if (err)
		goto out;
	if (!plan.headers && o.host.layout != LAYOUT_NONE) {
		log_error("%s; name them with --headers, or build for tier c with --layout none",
			  host->layout_why);
		err = STATUS_FAILED;
		goto out;
	}
	setup_report(&plan, o.streams_named ? o.streams : NULL);
	text = source_make(&plan);
	compile.with_headers = plan.headers;
	compile.plan = &plan;
	err = text ? compile_image(&image, host, text, &compile, &cached) : -ENOMEM;
	if (!err) {
		image.plan = plan_to_text(&plan);
		err = image.plan ? save(&image, o.out) : -ENOMEM;
	}
	if (!err)
		log_note("%s: %u programs for %s", o.out, image.n_progs, host->release);
out:
	free(text);
	image_free(&image);
	host_close(host);
	return err ? STATUS_FAILED : STATUS_OK;
}
