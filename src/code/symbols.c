/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the questions, and the run of the program that answers. Both texts are anonymous files: nobody
 * waits for the other's reading.
 */
#include "code/symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"

/* Answers are kept as they are, since names point into them: more than this is no list of names. */
enum { ANSWERS_MAX = 64 << 20 };

struct place {
	uint32_t module;
	uint64_t offset;
	const char *name;
	bool asked; /* name is in answers, or there is none; else a copy */
};

struct code_symbols {
	/* Copies of the texts of a code_module; file NULL: at its path */
	struct module {
		char *path, *id, *file;
	} * modules;
	uint32_t n_modules;
	struct place *places; /* sorted once they were asked */
	size_t n, room;
	char *answers;
	bool sorted;
};

struct code_symbols *code_symbols_new(void)
{
	return calloc(1, sizeof(struct code_symbols));
}

void code_symbols_free(struct code_symbols *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; i < s->n_modules; i++) {
		free(s->modules[i].path);
		free(s->modules[i].id);
		free(s->modules[i].file);
	}
	for (size_t i = 0; i < s->n; i++)
		if (!s->places[i].asked)
			free((char *)s->places[i].name);
	free(s->modules);
	free(s->places);
	free(s->answers);
	free(s);
}

static bool text_is(const char *text, const char *other, size_t len)
{
	return strlen(text) == len && !memcmp(text, other, len);
}

/* A trace has some hundred of them: no more than a list. */
static int64_t find_module(const struct code_symbols *s, const struct code_module *module)
{
	for (uint32_t i = 0; i < s->n_modules; i++)
		if (text_is(s->modules[i].path, module->path, module->path_len) &&
		    text_is(s->modules[i].id, module->id, module->id_len))
			return i;
	return -1;
}

static int64_t add_module(struct code_symbols *s, const struct code_module *module)
{
	void *more = realloc(s->modules, (s->n_modules + 1) * sizeof(*s->modules));
	struct module *m;

	if (!more)
		return -1;
	s->modules = more;
	m = &s->modules[s->n_modules];
	m->path = strndup(module->path, module->path_len);
	m->id = strndup(module->id, module->id_len);
	m->file = module->file ? strdup(module->file) : NULL;
	if (m->path && m->id && (m->file || !module->file))
		return s->n_modules++;
	free(m->path);
	free(m->id);
	free(m->file);
	return -1;
}

/* Nothing is compared yet: a place that comes several times is one when they are asked for. */
static struct place *add_place(struct code_symbols *s, const struct code_module *module,
			       uint64_t offset)
{
	int64_t at = find_module(s, module);
	void *more;

	if (at < 0)
		at = add_module(s, module);
	if (at < 0)
		return NULL;
	if (s->n == s->room) {
		size_t room = s->room ? s->room * 2 : 256;

		more = realloc(s->places, room * sizeof(*s->places));
		if (!more)
			return NULL;
		s->places = more;
		s->room = room;
	}
	s->places[s->n] = (struct place){ .module = (uint32_t)at, .offset = offset, .asked = true };
	return &s->places[s->n++];
}

bool code_symbols_add(struct code_symbols *s, const struct code_module *module, uint64_t offset)
{
	return add_place(s, module, offset) != NULL;
}

/* The name is copied: it is of a row, which is gone when names are needed. */
bool code_symbols_know(struct code_symbols *s, const struct code_module *module, uint64_t offset,
		       const char *name, size_t name_len)
{
	struct place *place = add_place(s, module, offset);

	if (!place)
		return false;
	place->asked = false;
	place->name = strndup(name, name_len);
	return place->name;
}

static int compare(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->module != y->module)
		return x->module < y->module ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Of the same place, what is known comes first. */
static int compare_known(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return compare(x, y) ?: x->asked - y->asked;
}

/* Before code_symbols_ask() nothing is in order, and nothing is found. */
void code_symbols_warn(int err)
{
	if (err == -ENOENT)
		log_warn(
			"stacks have no names of functions: iotracer-symbols is not installed (configure found no libdw)");
	else if (err)
		log_warn("stacks have no names of functions: iotracer-symbols failed: %s",
			 strerror(-err));
}

const char *code_symbols_find(const struct code_symbols *s, const struct code_module *module,
			      uint64_t offset)
{
	int64_t at = find_module(s, module);
	const struct place key = { .module = (uint32_t)at, .offset = offset };
	const struct place *found = NULL;

	if (at >= 0 && s->sorted)
		found = bsearch(&key, s->places, s->n, sizeof(*s->places), compare);

	return found ? found->name : NULL;
}

/* ---- the program ---- */

/* Each place once. Those of a module follow one another, so that its file is named once in the questions. */
static void sort_places(struct code_symbols *s)
{
	size_t n = 0;

	if (s->n)
		qsort(s->places, s->n, sizeof(*s->places), compare_known);
	for (size_t i = 0; i < s->n; i++)
		if (!n || compare(&s->places[n - 1], &s->places[i]))
			s->places[n++] = s->places[i];
		else if (!s->places[i].asked)
			free((char *)s->places[i].name);
	s->n = n;
	s->sorted = true;
}

static const struct place *next_asked(const struct code_symbols *s, const struct place *p)
{
	p = p ? p + 1 : s->places;
	while (p < s->places + s->n && !p->asked)
		p++;
	return p < s->places + s->n ? p : NULL;
}

/* Returns the file, at its start, or -errno. A path with a line end in it is no question. */
static int write_questions(const struct code_symbols *s)
{
	int fd = memfd_create("questions", MFD_CLOEXEC);
	/* of a copy: fclose() closes it, and the file has no name to be opened by again */
	FILE *out = fd < 0 ? NULL : fdopen(dup(fd), "w");
	const struct place *last = NULL;
	bool ok = out;

	for (const struct place *p = next_asked(s, NULL); ok && p; p = next_asked(s, p)) {
		const struct module *m = &s->modules[p->module];
		const char *path = m->file ? m->file : m->path;

		if (!last || last->module != p->module)
			/* a file that is held open is the one that ran: its id need not be compared */
			fprintf(out, "M %s\t%s\n", strpbrk(path, "\n\t") ? "" : path,
				m->file ? "*" : m->id);
		fprintf(out, "A %" PRIx64 "\n", p->offset);
		last = p;
	}
	if (out && fclose(out))
		ok = false;
	if (ok && !lseek(fd, 0, SEEK_SET))
		return fd;
	if (fd >= 0)
		close(fd);
	return -EIO;
}

/* The variable is for builds that are not installed; not with rights that the caller lacks. */
static const char *program(void)
{
	const char *own = secure_getenv("IOTRACER_SYMBOLS");

	return own && *own ? own : IOT_SYMBOLS_PATH;
}

static void __attribute__((noreturn)) become_program(int questions, int answers)
{
	const char *const argv[] = { program(), NULL };
	sigset_t none;

	/* what the tracer blocks stays blocked over exec, and one signal is the alarm by which it ends itself */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (dup2(questions, 0) == 0 && dup2(answers, 1) == 1)
		execv(argv[0], (char **)argv);
	_exit(127);
}

static int run(int questions, int answers)
{
	int status;
	pid_t pid;

	/* asked first: without it there are no names, which is no failure of it */
	if (access(program(), X_OK))
		return -ENOENT;
	pid = fork();
	if (!pid)
		become_program(questions, answers);
	if (pid < 0)
		return -errno;
	/* it ends itself after a minute at the latest */
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : -ECHILD;
}

/* A line for each question, in their order. Where it ended early, the places behind have no name. */
static int read_answers(struct code_symbols *s, int fd)
{
	struct stat st;
	char *p;

	if (fstat(fd, &st) || st.st_size > ANSWERS_MAX)
		return -EIO;
	s->answers = malloc((size_t)st.st_size + 1);
	if (!s->answers)
		return -ENOMEM;
	if (pread(fd, s->answers, (size_t)st.st_size, 0) != st.st_size) {
		free(s->answers);
		s->answers = NULL;
		return -EIO;
	}
	s->answers[st.st_size] = '\0';
	p = s->answers;
	for (const struct place *at = next_asked(s, NULL); at && *p; at = next_asked(s, at)) {
		char *end = strchrnul(p, '\n');

		s->places[at - s->places].name = end > p ? p : NULL;
		if (!*end)
			break;
		*end = '\0';
		p = end + 1;
	}
	return 0;
}

int code_symbols_ask(struct code_symbols *s)
{
	int questions, answers, err;

	sort_places(s);
	if (!next_asked(s, NULL))
		return 0;
	questions = write_questions(s);
	if (questions < 0)
		return questions;
	answers = memfd_create("answers", MFD_CLOEXEC);
	err = answers < 0 ? -errno : run(questions, answers);
	if (!err)
		err = read_answers(s, answers);
	close(questions);
	if (answers >= 0)
		close(answers);
	return err;
}

void code_symbols_each(const struct code_symbols *s,
		       void (*fn)(void *arg, const struct code_module *module, uint64_t offset,
				  const char *name),
		       void *arg)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct place *p = &s->places[i];
		const struct module *m = &s->modules[p->module];
		const struct code_module module = { .path = m->path,
						    .id = m->id,
						    .path_len = strlen(m->path),
						    .id_len = strlen(m->id) };

		if (p->name)
			fn(arg, &module, p->offset, p->name);
	}
}
