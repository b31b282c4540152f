/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads, makes and keeps the key of anonymised mode; reports what fails. */
#pragma once

#include <stddef.h>

#define ANON_TOKEN 15 /* digits (60 bits): as long as the name of a thread may be */

enum { ANON_KEY_MIN = 16, ANON_KEY_MAX = 4096, ANON_KEY_MADE = 32 };

struct anon_key {
	unsigned char bytes[ANON_KEY_MAX];
	size_t len;
};

/* From the user's file, which is made when it is not there. */
int anon_key_read(const char *file, struct anon_key *key);
/* A new one, into ANON_KEY_DIR under its own token. Both return 0 or -errno. */
int anon_key_keep(const char *dir, struct anon_key *key);
/* "key": told apart from all names by what is hashed. */
void anon_key_id(const struct anon_key *key, char id[ANON_TOKEN + 1]);
