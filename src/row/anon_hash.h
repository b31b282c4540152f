/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hashes names under the key in use. */
#pragma once

#include <stddef.h>

#include "base/sha256.h"

struct anon_key;

/* From now on; NULL: none, and it is forgotten. */
void anon_hash_use(const struct anon_key *key);
const struct anon_key *anon_hash_key(void);
/*
 * HMAC-SHA-256 under the key in use: 64 hex digits and a NUL. Ends the program when libcrypto
 * refuses.
 */
void anon_hash(const void *data, size_t len, char hex[SHA256_HEX_SIZE]);
