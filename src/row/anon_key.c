/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the key of anonymised names on disk: outside of the session directory,
 * for root alone, never printed.
 */
#include "row/anon_key.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "base/sha256.h"

void anon_key_id(const struct anon_key *key, char id[ANON_TOKEN + 1])
{
	static const char about[] =
		"the key of iotracer's anonymised names\n"; /* no name ends so in a path */
	char hex[SHA256_HEX_SIZE];

	sha256_keyed(key->bytes, key->len, about, sizeof(about), hex);
	snprintf(id, ANON_TOKEN + 1, "%.*s", ANON_TOKEN, hex);
}

/* As text, which survives mail and editors. */
static int make_key(struct anon_key *key)
{
	static const char digits[] = "0123456789abcdef";
	unsigned char random[ANON_KEY_MADE];

	if (getrandom(random, sizeof(random), 0) != sizeof(random)) {
		log_error("cannot get random bytes for a key: %s", strerror(errno));
		return -EIO;
	}
	for (size_t i = 0; i < sizeof(random); i++) {
		key->bytes[2 * i] = (unsigned char)digits[random[i] >> 4];
		key->bytes[2 * i + 1] = (unsigned char)digits[random[i] & 15];
	}
	key->len = 2 * sizeof(random);
	return 0;
}

/* O_EXCL: a key that is there is never replaced, because traces were made with it. */
static int write_key(const char *path, const struct anon_key *key)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	int err;

	if (fd < 0)
		return -errno;
	err = file_write_all(fd, key->bytes, key->len, NULL);
	if (!err)
		err = file_write_all(fd, "\n", 1, NULL);
	if (!err && fsync(fd))
		err = -errno;
	if (close(fd) && !err)
		err = -errno;
	if (err)
		unlink(path);
	return err;
}

/* A key that others can read hides nothing from them. */
static int judge_file(const char *path, int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode)) {
		log_error("%s: not a regular file", path);
		return -EINVAL;
	}
	if ((st.st_mode & 077) || (st.st_uid && st.st_uid != geteuid())) {
		log_error(
			"%s: a key must belong to root and be readable by root only (chown root, chmod 600)",
			path);
		return -EPERM;
	}
	return 0;
}

static int read_bytes(const char *path, int fd, struct anon_key *key)
{
	ssize_t n = read(fd, key->bytes, sizeof(key->bytes));

	if (n < 0)
		return -errno;
	/* editors end a file with a line end, which is no part of the key */
	while (n > 0 && isspace(key->bytes[n - 1]))
		n--;
	key->len = (size_t)n;
	if (n >= ANON_KEY_MIN && n < ANON_KEY_MAX)
		return 0;
	log_error("%s: a key has %d to %d bytes, this one %zd", path, ANON_KEY_MIN,
		  ANON_KEY_MAX - 1, n);
	return -EINVAL;
}

int anon_key_read(const char *path, struct anon_key *key)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	int err;

	if (fd < 0 && errno == ENOENT) {
		err = make_key(key);
		if (!err)
			err = write_key(path, key);
		if (err)
			log_error("%s: cannot store a key there: %s", path, strerror(-err));
		else
			log_note("%s: created a new key, which later sessions can use", path);
		return err;
	}
	if (fd < 0) {
		err = -errno;
		log_error("%s: %s", path, strerror(errno));
		return err;
	}
	err = judge_file(path, fd);
	if (!err)
		err = read_bytes(path, fd, key);
	close(fd);
	return err;
}

int anon_key_keep(const char *dir, struct anon_key *key)
{
	char path[256], id[ANON_TOKEN + 1];
	int err = make_key(key);

	if (err)
		return err;
	if (mkdir(dir, 0700) && errno != EEXIST) {
		err = -errno;
	} else {
		anon_key_id(key, id);
		snprintf(path, sizeof(path), "%.200s/%s.key", dir, id);
		err = write_key(path, key);
	}
	if (err)
		log_error("%s: cannot store the key: %s; name a file with --anon-key", dir,
			  strerror(-err));
	else
		log_note("names are anonymised; the key is %s", path);
	return err;
}
