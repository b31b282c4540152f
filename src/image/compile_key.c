/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the key of a compilation is made of: the host, its headers, the text and the flags. */
#include "image/compile_key.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/sha256.h"

/*
 * Kernel headers from 6.19 on need the first, and those of 5.10 to 6.12 were
 * compiled with it without a difference. The second takes back libbcc's -g:
 * nobody reads that, and LLVM took 40 % longer with it (libbcc 0.26, LLVM 14).
 * The last two keep clang from optimizing what libbcc optimizes after it with
 * passes of its own (-O3, and inlining): the same code but for 0.6 % either way,
 * a sixth of the time less.
 */
const char *const compile_flags[COMPILE_N_FLAGS] = { "-fms-extensions", "-g0", "-Xclang",
						     "-disable-llvm-passes" };

static int add_file(struct sha256 *sum, const char *dir, const char *name)
{
	char path[PATH_MAX], hex[SHA256_HEX_SIZE];
	int err, fd;

	snprintf(path, sizeof(path), "%s/include/generated/%s", dir, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	err = sha256_file(fd, hex);
	close(fd);
	sha256_update(sum, name, strlen(name) + 1);
	sha256_update(sum, hex, sizeof(hex));
	return err;
}

/*
 * Headers of the same release can be of another build: these files are written
 * anew by every one.
 */
static int headers_stamp(const struct host *host, char stamp[SHA256_HEX_SIZE])
{
	static const char *const files[] = { "utsrelease.h", "utsversion.h", "compile.h",
					     "autoconf.h" };
	struct sha256 *sum = sha256_new();
	int err = 0;

	if (!sum)
		return -ENOMEM;
	sha256_update(sum, host->headers, strlen(host->headers) + 1);
	sha256_update(sum, host->headers_source, strlen(host->headers_source) + 1);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		int failed = add_file(sum, host->headers, files[i]);

		if (failed && !err) {
			log_error("kernel headers %s: %s: %s", host->headers, files[i],
				  strerror(-failed));
			err = failed;
		}
	}
	return sha256_final(sum, stamp) ? -EIO : err;
}

static int text_hash(const char *text, char hash[SHA256_HEX_SIZE])
{
	struct sha256 *sum = sha256_new();

	for (size_t i = 0; sum && i < COMPILE_N_FLAGS; i++)
		sha256_update(sum, compile_flags[i], strlen(compile_flags[i]) + 1);
	if (sum)
		sha256_update(sum, text, strlen(text));
	return sha256_final(sum, hash);
}

int compile_key(struct image_key *key, const struct host *host, const char *text,
		const struct compile_options *options)
{
	int err = 0;

	memset(key, 0, sizeof(*key));
	snprintf(key->tool, sizeof(key->tool), "%s", PACKAGE_VERSION);
	snprintf(key->release, sizeof(key->release), "%s", host->release);
	snprintf(key->version, sizeof(key->version), "%s", host->version);
	snprintf(key->machine, sizeof(key->machine), "%.31s", host->machine);
	snprintf(key->build_id, sizeof(key->build_id), "%s", host->build_id);
	if (!options->with_headers || host->layout) {
		/* what is known otherwise stands in the text itself */
		snprintf(key->headers, sizeof(key->headers), "none");
	} else if (!host->headers[0]) {
		log_error("no kernel headers: %s", host->headers_why);
		err = -ENOENT;
	} else {
		err = headers_stamp(host, key->headers);
	}
	return err ? err : text_hash(text, key->text);
}
