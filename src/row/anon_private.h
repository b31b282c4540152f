/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What anon.c (tokens), anon_key.c (the key) and anon_ip.c (addresses) share, and nobody else sees. */
#ifndef IOT_ANON_PRIVATE_H
#define IOT_ANON_PRIVATE_H

#include "base/sha256.h"
#include "row/anon.h"

enum { ANON_KEY_MIN = 16, ANON_KEY_MAX = 4096, ANON_KEY_MADE = 32 };

struct anon_key {
	unsigned char bytes[ANON_KEY_MAX];
	size_t len;
};

/* ---- anon_key.c; both report ---- */

/* From the user's file, which is made when it is not there. */
int anon_key_read(const char *file, struct anon_key *key);
/* A new one, into ANON_KEY_DIR under its own token. */
int anon_key_keep(const char *dir, struct anon_key *key);
/* "key": told apart from all names by what is hashed. */
void anon_key_id(const struct anon_key *key, char id[ANON_TOKEN + 1]);

/* ---- anon_hash.c ---- */

/* From now on; NULL: none, and it is forgotten. */
void anon_hash_use(const struct anon_key *key);
const struct anon_key *anon_hash_key(void);
/* HMAC-SHA-256 under the key in use: 64 hex digits and a NUL. Aborts when libcrypto refuses. */
void anon_hash(const void *data, size_t len, char hex[SHA256_HEX_SIZE]);

/* ---- anon_ip.c ---- */

void anon_ip_forget(void);

#endif
