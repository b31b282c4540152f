/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SHA-256 through libcrypto, any from 1.0.2 to 3: of bytes in pieces, of one
 * text, of a file, and keyed (HMAC) for anonymised names.
 */
#pragma once

#include <stddef.h>

#define SHA256_HEX_SIZE 65 /* 64 lower-case digits and NUL */

struct sha256;

/* NULL without memory. */
struct sha256 *sha256_new(void);
/* An error is kept, and sha256_final returns it. */
void sha256_update(struct sha256 *sum, const void *data, size_t len);
/* Frees sum, also on failure; NULL is -ENOMEM. Returns 0 or -errno. */
int sha256_final(struct sha256 *sum, char hex[SHA256_HEX_SIZE]);

/* Both return 0 or -errno. */
int sha256_text(const void *data, size_t len, char hex[SHA256_HEX_SIZE]);
/* The whole file from its start; does not move the file offset. */
int sha256_file(int fd, char hex[SHA256_HEX_SIZE]);

/*
 * HMAC-SHA-256: the same text under the same key gives the same digits, and only then.
 * Returns 0 or -EIO.
 */
int sha256_keyed(const void *key, size_t key_len, const void *data, size_t len,
		 char hex[SHA256_HEX_SIZE]);
