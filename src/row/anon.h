/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Anonymised mode: tokens in place of names. A token is the keyed hash of a
 * name: the same name under the same key has the same token in every stream and
 * every session, and without the key nobody can tell or try which name it was.
 * Off until anon_open; afterwards any thread may ask.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "row/anon_key.h"

#define ANON_EXT_MAX 8

struct anon_options {
	bool on;
	bool keep_ext;        /* ".csv" stays behind the token */
	bool comm;            /* names of threads, too */
	bool ip;              /* addresses, prefixes preserved */
	const char *key_file; /* made when it is not there; NULL: a new key, kept in ANON_KEY_DIR */
};

#ifndef ANON_KEY_DIR
#define ANON_KEY_DIR "/var/lib/iotracer"
#endif

/* Reads or makes the key, and says where it is. Returns 0 or -errno (reported). */
int anon_open(const struct anon_options *options);
/* Forgets the key and all that was made with it. */
void anon_close(void);

bool anon_on(void);
bool anon_comm_on(void); /* false as well when all is off */
bool anon_ip_on(void);

/* Room for a path of len bytes as tokens. */
static inline size_t anon_path_max(size_t len)
{
	return len * 8 + ANON_TOKEN + ANON_EXT_MAX + 1;
}

/*
 * Each part of a path is a token; slashes, ".", ".." and the "@" in front of a socket's name
 * stay. Needs no quotes in CSV. Returns the length. out has room for anon_path_max(len).
 */
size_t anon_path(char *out, const char *path, size_t len);

/* The token of one name, ANON_TOKEN digits and no NUL. */
void anon_token(char *out, const char *name, size_t len);

/*
 * A text that is something's name as JSON: a path as above, anything else one token; null
 * stays null. A new reference; NULL without memory.
 */
json_t *anon_json_text(const char *text);

/* For the manifest: what is hidden, and the key's own token; NULL when it is off. */
json_t *anon_json(void);
