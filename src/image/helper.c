/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * iotracer-bcc, the one program linked to libbcc: BPF C text on stdin, an
 * image out. It knows nothing of probes and plans, does one compilation and
 * ends, so that LLVM's memory, its crashes and its exit(1) stay in here.
 *
 * Options (all given by src/image/compile.c):
 *   --fd N                the image is written to this descriptor
 *   --work DIR            empty private directory for temporary files; the caller removes it
 *   --kernel-build DIR    kernel tree, or the generated half of a split one
 *   --kernel-source DIR   the common half, when it is another
 *   --arch NAME           the machine that the programs are for, as a folder of arch/ in the kernel's source (this one)
 *   --cflag FLAG          given to the compiler, any number of times
 *   --key NAME=VALUE      member of the image's key, any number of times
 *
 * Exit status: enum helper_exit.
 */
#include "image/helper.h"

#include <errno.h>
#include <getopt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "compat/sys/bcc.h"
#include "compat/sys/sys.h"
#include "image/helper_say.h"
#include "image/helper_tree.h"
#include "image/image.h"
#include "image/image_layout.h"
#include "image/image_write.h"

enum { MAX_CFLAGS = 256 };

struct job {
	int fd;
	const char *work;
	const char *build;
	const char *source;
	const char *arch;
	const char *cflags[MAX_CFLAGS + 1]; /* room for the retry's */
	int n_cflags;
	struct image image;
};

static int set_key(struct job *job, char *arg)
{
	char *value = strchr(arg, '=');

	if (!value)
		return -EINVAL;
	*value++ = '\0';
	return image_key_set(&job->image.key, arg, value) ? -EINVAL : 0;
}

static int parse_option(struct job *job, int option)
{
	switch (option) {
	case 'f':
		job->fd = atoi(optarg);
		return 0;
	case 'w':
		job->work = optarg;
		return 0;
	case 'b':
		job->build = optarg;
		return 0;
	case 's':
		job->source = optarg;
		return 0;
	case 'a':
		job->arch = optarg;
		return 0;
	case 'c':
		if (job->n_cflags == MAX_CFLAGS)
			return -E2BIG;
		job->cflags[job->n_cflags++] = optarg;
		return 0;
	case 'k':
		return set_key(job, optarg);
	default:
		return -EINVAL;
	}
}

static int parse_options(struct job *job, int argc, char **argv)
{
	static const struct option options[] = {
		{ "fd", required_argument, NULL, 'f' },
		{ "work", required_argument, NULL, 'w' },
		{ "kernel-build", required_argument, NULL, 'b' },
		{ "kernel-source", required_argument, NULL, 's' },
		{ "arch", required_argument, NULL, 'a' },
		{ "cflag", required_argument, NULL, 'c' },
		{ "key", required_argument, NULL, 'k' },
		{ 0 },
	};
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (parse_option(job, option)) {
			helper_say("cannot use option", argv[optind - 1]);
			return -EINVAL;
		}
	}
	if (optind != argc || job->fd < 0 || !job->work || !job->build) {
		helper_say("usage", "--fd N --work DIR --kernel-build DIR [--kernel-source DIR] "
				    "[--arch NAME] [--cflag FLAG]... [--key NAME=VALUE]... <text");
		return -EINVAL;
	}
	return 0;
}

/*
 * Nothing of the caller's surroundings may decide what is compiled: clang looks
 * into the directory it is started in before the kernel's, and libbcc obeys a
 * handful of variables. Its messages go to stdout, which is nobody's here.
 */
static int leave_surroundings(const struct job *job)
{
	static const struct rlimit none = { 0, 0 };

	setrlimit(RLIMIT_CORE, &none);
	if (clearenv() || setenv("PATH", "/usr/sbin:/usr/bin:/sbin:/bin", 1) ||
	    setenv("TMPDIR", job->work, 1) || (job->arch && setenv("ARCH", job->arch, 1)) ||
	    chdir("/") || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		return -errno;
	memlock_raise();
	return 0;
}

/*
 * Put before the text. The clang of libbcc 0.5 to 0.11 knows neither asm_inline
 * nor asm goto, which kernel headers use since 5.4 and 4.17; from 0.16 on, when
 * the library has a version to ask for, it brings the same itself.
 */
static const char shims[] = "#ifdef asm_inline\n"
			    "#undef asm_inline\n"
			    "#define asm_inline asm\n"
			    "#endif\n"
			    "#undef asm_volatile_goto\n"
			    "#define asm_volatile_goto(...) asm volatile(\"\")\n"
			    "#line 1\n";

static char *read_text(void)
{
	const char *before = LIBBCC_VERSION[0] ? "" : shims;
	size_t size = strlen(before), room = 1 << 18;
	char *text = malloc(room);

	if (text)
		memcpy(text, before, size);
	while (text) {
		ssize_t n = read(STDIN_FILENO, text + size, room - size - 1);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			text[size] = '\0';
			return text;
		}
		size += (size_t)n;
		if (size + 1 == room) {
			char *grown = realloc(text, room *= 2);

			if (!grown)
				free(text);
			text = grown;
		}
	}
	return NULL;
}

/*
 * In place of libbcc's: it would put all of /proc/kallsyms into a hash table, a tenth of a compilation,
 * to see whether this kernel has bpf_probe_read_kernel. Probes call helpers by number, for the kernel that
 * the image is for. Weak, so that a libbcc linked statically keeps its own.
 */
int bcc_procutils_each_ksym(int (*each)(const char *name, uint64_t address, void *arg), void *arg);

__attribute__((weak)) int bcc_procutils_each_ksym(int (*each)(const char *name, uint64_t address,
							      void *arg),
						  void *arg)
{
	(void)each;
	(void)arg;
	return 0;
}

static void *try_text(struct job *job, const char *text, const char *extra)
{
	int n = job->n_cflags;

	if (extra)
		job->cflags[n++] = extra;
	return bcc_compile(text, job->cflags, n);
}

/*
 * The kernel's own linux/bpf.h needs a UAPI bpf.h at least as new as itself, and
 * libbcc forces its own, older one: leaving the kernel's out is the cure. Which
 * of the two is too old cannot be known beforehand.
 */
static void *compile(struct job *job, const char *text)
{
	void *module = try_text(job, text, NULL);

	if (module)
		return module;
	fprintf(stderr, HELPER_RETRY_LINE "\n");
	return try_text(job, text, "-D_LINUX_BPF_H");
}

static int copy_name(char dst[IMAGE_NAME_SIZE], const char *name)
{
	if (!image_name_ok(name)) {
		helper_say("cannot use the name", name);
		return -EINVAL;
	}
	strcpy(dst, name);
	return 0;
}

static int take_maps(struct image *image, void *module)
{
	size_t n = bpf_num_tables(module);

	image->maps = calloc(n + 1, sizeof(*image->maps));
	if (!image->maps)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		struct image_map *map = &image->maps[i];

		if (copy_name(map->name, bpf_table_name(module, i)))
			return -EINVAL;
		map->type = (uint32_t)bpf_table_type_id(module, i);
		map->key_size = (uint32_t)bpf_table_key_size_id(module, i);
		map->value_size = (uint32_t)bpf_table_leaf_size_id(module, i);
		map->max_entries = (uint32_t)bpf_table_max_entries_id(module, i);
		map->flags = (uint32_t)bpf_table_flags_id(module, i);
		/* libbcc puts the CPUs of this machine here; load asks the one that runs it */
		if (map->type == BPF_MAP_TYPE_PERF_EVENT_ARRAY)
			map->max_entries = 0;
		image->n_maps++;
	}
	return 0;
}

/* The map behind a descriptor of this process, or -1. */
static int map_of_fd(const struct image *image, void *module, int fd)
{
	for (uint32_t i = 0; i < image->n_maps; i++) {
		if (bpf_table_fd_id(module, i) == fd)
			return (int)i;
	}
	return -1;
}

/*
 * libbcc has put descriptors of this process into the loads of maps, which mean nothing
 * elsewhere. A load of 64 bits takes two instructions, of which the second is no load.
 */
static int take_relocs(struct image_prog *prog, const struct image *image, void *module)
{
	prog->relocs = calloc(prog->n_insns, sizeof(*prog->relocs));
	if (!prog->relocs)
		return -ENOMEM;
	for (uint32_t i = 0; i < prog->n_insns; i++) {
		struct bpf_insn *insn = &prog->insns[i];
		int map;

		if (insn->code != (BPF_LD | BPF_DW | BPF_IMM))
			continue;
		if (insn->src_reg == BPF_PSEUDO_MAP_FD) {
			map = map_of_fd(image, module, insn->imm);
			if (map < 0) {
				helper_say(prog->name, "refers to a map that is not in the text");
				return -EINVAL;
			}
			insn->imm = 0;
			prog->relocs[prog->n_relocs++] = (struct image_reloc){ i, (uint32_t)map };
		} else if (insn->src_reg) {
			helper_say(prog->name, "uses a global variable or constant table");
			return -EINVAL;
		}
		i++;
	}
	return 0;
}

static int take_progs(struct image *image, void *module)
{
	size_t n = bpf_num_functions(module);

	image->progs = calloc(n + 1, sizeof(*image->progs));
	if (!image->progs)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		struct image_prog *prog = &image->progs[i];
		size_t size = bpf_function_size_id(module, i);

		if (copy_name(prog->name, bpf_function_name(module, i)))
			return -EINVAL;
		prog->insns = malloc(size + 1);
		if (!prog->insns)
			return -ENOMEM;
		memcpy(prog->insns, bpf_function_start_id(module, i), size);
		prog->n_insns = (uint32_t)(size / sizeof(*prog->insns));
		image->n_progs++;
		if (take_relocs(prog, image, module))
			return -EINVAL;
	}
	return 0;
}

static int run(struct job *job)
{
	char *text;
	void *module;

	if (leave_surroundings(job)) {
		helper_say("cannot set up its environment", strerror(errno));
		return HELPER_SYSTEM;
	}
	if (helper_tree(job->build, job->source, job->work))
		return HELPER_SYSTEM;
	text = read_text();
	if (!text) {
		helper_say("text", "no memory");
		return HELPER_SYSTEM;
	}
	module = compile(job, text);
	free(text);
	if (!module)
		return HELPER_TEXT;
	image_key_set(&job->image.key, "libbcc", LIBBCC_VERSION);
	if (take_maps(&job->image, module) || take_progs(&job->image, module) ||
	    image_write(&job->image, job->fd))
		return HELPER_SYSTEM;
	/* No bpf_module_destroy: the end of the process is quicker and cannot crash. */
	return HELPER_OK;
}

int main(int argc, char **argv)
{
	struct job job = { .fd = -1 };
	int status = parse_options(&job, argc, argv) ? HELPER_USE : run(&job);

	fflush(NULL);
	_exit(status);
}
