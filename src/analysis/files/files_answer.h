/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The use of files as it is shown: one entry for each file, or for each
 * directory, process … that files are added up for.
 */
#pragma once

#include "analysis/files/files_model.h"

enum files_by {
	FILES_BY_FILE,
	FILES_BY_DIR,
	FILES_BY_EXT,
	FILES_BY_COMM,
	FILES_BY_PROCESS,
	FILES_BY_MNTNS,
	FILES_BY_DEVICE,
	FILES_BY_HOST,
	FILES_BY_FILE_AND_COMM,
	FILES_BY_FILE_AND_PROCESS,
	FILES_BY_CONTAINERS,
	FILES_BY_FILE_AND_CONTAINER,
	FILES_BY_IDENTITY,
	N_FILES_BY
};
/* "file", "dir" … */
extern const char *const files_by_names[N_FILES_BY + 1]; /* up to NULL */

/* An entry is of one file: alone, or of one process or program, too. */
bool files_by_is_file(enum files_by by);
/* How a model's cells must be split for it. */
enum files_split files_by_split(enum files_by by);

struct files_entry {
	const char *host;
	const char *name; /* path, directory, extension or command; not NUL-terminated */
	size_t len;
	uint64_t number; /* mount namespace, process or device that it is added up for */
	uint64_t interval;
	uint32_t mntns;
	uint32_t device;
	uint64_t inode;
	const char *comm; /* of the program or container beside the file; NULL: none */
	uint64_t pid;     /* the same */
	unsigned source;  /* the first one's that it comes from */
	const struct files_cell *cell;
	const char *const *calls;
};

/* The models of one directory, and whose they are. */
struct files_source {
	const char *host;
	const struct files_model *models;
	unsigned n_models;
};

/* No two are of the same host. */
bool files_hosts_differ(const struct files_source *sources, unsigned n);

struct files_answer {
	enum files_by by;
	unsigned depth; /* of directories; 0: all of them */
	bool all;       /* not regular files with a name alone */
	bool failures;  /* for a table of errors: whatever has a name, opened or not */
	bool plain;     /* what is added up needs no histograms */
	struct files_entry *entries;
	uint64_t n, max;
	uint32_t mntns;     /* of the last one of which it is known */
	bool several_mntns; /* they are in more than one mount namespace, as far as that is known */
	/* of what is added up */
	struct files_sum *sums;
	uint64_t *slots; /* of entries, + 1 */
	uint64_t n_slots;
	const char *calls[FILES_MAX_CALLS];
	unsigned n_calls;
	struct pool pool;
};

/*
 * From an answer that is zeroed except by, depth and all. The sources stay as
 * long as the answer. Returns 0 or -ENOMEM; to be freed in any case.
 */
int files_answer_make(struct files_answer *answer, const struct files_source *sources,
		      unsigned n_sources);
/* Whether the entries of a part, or of the answer itself, are of one mount namespace with those before. */
void files_answer_note_mntns(struct files_answer *answer, const struct files_answer *part);
/* Of one host a file has one entry, which is that of its model: nothing is copied. */
bool files_answer_is_bare(const struct files_answer *answer, const struct files_source *sources,
			  unsigned n_sources);
/* The files of one source that are in its models now; of others that follow, unless it is bare. */
int files_answer_add(struct files_answer *answer, const struct files_source *source,
		     unsigned number, bool bare);
/* An entry of this answer that was put aside is in it again, added to the one that is there. 0 or -ENOMEM. */
int files_answer_join(struct files_answer *answer, const struct files_entry *entry);
bool files_answer_has(const struct files_answer *answer, const struct files_entry *entry);
/* What it takes, about, of what it added up. */
uint64_t files_answer_bytes(const struct files_answer *answer);
/* Without entries, for others that have the same calls. */
void files_answer_reset(struct files_answer *answer);
void files_answer_free(struct files_answer *answer);
