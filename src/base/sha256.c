/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns every call to libcrypto, written with the names that OpenSSL 1.0.2 to 3
 * all have. Prints nothing.
 */
#include "base/sha256.h"

#include <errno.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

struct sha256 {
	EVP_MD_CTX *ctx;
	bool failed;
};

static void to_hex(const unsigned char *digest, size_t len, char hex[SHA256_HEX_SIZE])
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < len; i++) {
		hex[2 * i] = digits[digest[i] >> 4];
		hex[2 * i + 1] = digits[digest[i] & 15];
	}
	hex[2 * len] = '\0';
}

struct sha256 *sha256_new(void)
{
	struct sha256 *sum = calloc(1, sizeof(*sum));

	if (!sum)
		return NULL;
	/* _create is the 1.0.2 name; later ones keep it as a macro */
	sum->ctx = EVP_MD_CTX_create();
	if (!sum->ctx) {
		free(sum);
		return NULL;
	}
	sum->failed = EVP_DigestInit_ex(sum->ctx, EVP_sha256(), NULL) != 1;
	return sum;
}

void sha256_update(struct sha256 *sum, const void *data, size_t len)
{
	if (EVP_DigestUpdate(sum->ctx, data, len) != 1)
		sum->failed = true;
}

int sha256_final(struct sha256 *sum, char hex[SHA256_HEX_SIZE])
{
	unsigned char digest[EVP_MAX_MD_SIZE];
	unsigned int len = 0;
	bool failed;

	hex[0] = '\0';
	if (!sum)
		return -ENOMEM;
	failed = sum->failed || EVP_DigestFinal_ex(sum->ctx, digest, &len) != 1 || len != 32;
	EVP_MD_CTX_destroy(sum->ctx);
	free(sum);
	if (failed)
		return -EIO;
	to_hex(digest, len, hex);
	return 0;
}

int sha256_text(const void *data, size_t len, char hex[SHA256_HEX_SIZE])
{
	struct sha256 *sum = sha256_new();

	if (sum)
		sha256_update(sum, data, len);
	return sha256_final(sum, hex);
}

static int add_file(struct sha256 *sum, int fd, char *buf, size_t size)
{
	off_t at = 0;

	for (;;) {
		ssize_t n = pread(fd, buf, size, at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : 0;
		sha256_update(sum, buf, (size_t)n);
		at += n;
	}
}

int sha256_file(int fd, char hex[SHA256_HEX_SIZE])
{
	enum { BUF_SIZE = 128 * 1024 };
	struct sha256 *sum = sha256_new();
	char *buf = malloc(BUF_SIZE);
	int err = sum && buf ? add_file(sum, fd, buf, BUF_SIZE) : -ENOMEM;
	int final_err = sha256_final(sum, hex);

	free(buf);
	if (err)
		hex[0] = '\0';
	return err ? err : final_err;
}

int sha256_keyed(const void *key, size_t key_len, const void *data, size_t len,
		 char hex[SHA256_HEX_SIZE])
{
	unsigned char digest[EVP_MAX_MD_SIZE];
	unsigned int digest_len = 0;

	hex[0] = '\0';
	if (!HMAC(EVP_sha256(), key, (int)key_len, data, len, digest, &digest_len) ||
	    digest_len != 32)
		return -EIO;
	to_hex(digest, digest_len, hex);
	return 0;
}
