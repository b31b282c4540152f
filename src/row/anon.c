/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the tokens of names, and a bounded memory of them: a hash costs a
 * microsecond, and most parts of a path have been seen before.
 */
#include "row/anon.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/fnv.h"
#include "base/log.h"
#include "row/anon_hash.h"
#include "row/anon_ip.h"
#include "row/anon_key.h"

enum { SLOTS = 8192, KEPT_NAME = 72 };

/* One place for each hash; what comes later takes it. */
struct slot {
	unsigned char len; /* 0: empty */
	char token[ANON_TOKEN];
	char name[KEPT_NAME];
};

static struct anon_options in_use;
static struct slot *slots;
static pthread_mutex_t slots_lock = PTHREAD_MUTEX_INITIALIZER;

int anon_open(const struct anon_options *options)
{
	struct anon_key key;
	int err;

	if (!options->on)
		return 0;
	err = options->key_file ? anon_key_read(options->key_file, &key) :
				  anon_key_keep(ANON_KEY_DIR, &key);
	if (!err)
		anon_hash_use(&key);
	explicit_bzero(&key, sizeof(key));
	if (err)
		return err;
	slots = calloc(SLOTS, sizeof(*slots));
	if (!slots) {
		log_error("no memory for anonymised names");
		return -ENOMEM;
	}
	in_use = *options;
	return 0;
}

void anon_close(void)
{
	memset(&in_use, 0, sizeof(in_use));
	anon_hash_use(NULL);
	free(slots);
	slots = NULL;
	anon_ip_forget();
}

bool anon_on(void)
{
	return in_use.on;
}

bool anon_comm_on(void)
{
	return in_use.on && in_use.comm;
}

bool anon_ip_on(void)
{
	return in_use.on && in_use.ip;
}

/* ---- tokens ---- */

static struct slot *slot_of(const char *name, size_t len)
{
	uint64_t hash = fnv_64(FNV_64, name, len);

	return &slots[(hash ^ hash >> 32) % SLOTS];
}

/*
 * The thread that takes snapshots is at nice 19, and may stand still with
 * the lock in its hand: who does not get it at once does without what is kept.
 */
static bool recall(const struct slot *slot, char *out, const char *name, size_t len)
{
	bool known;

	if (pthread_mutex_trylock(&slots_lock))
		return false;
	known = slot->len == len && !memcmp(slot->name, name, len);
	if (known)
		memcpy(out, slot->token, ANON_TOKEN);
	pthread_mutex_unlock(&slots_lock);
	return known;
}

static void keep(struct slot *slot, const char *token, const char *name, size_t len)
{
	if (pthread_mutex_trylock(&slots_lock))
		return;
	slot->len = (unsigned char)len;
	memcpy(slot->token, token, ANON_TOKEN);
	memcpy(slot->name, name, len);
	pthread_mutex_unlock(&slots_lock);
}

void anon_token(char *out, const char *name, size_t len)
{
	/* longer names are rare: hashed each time, so that slots can be small */
	struct slot *slot = len && len <= KEPT_NAME ? slot_of(name, len) : NULL;
	char hex[SHA256_HEX_SIZE];

	if (slot && recall(slot, out, name, len))
		return;
	anon_hash(name, len, hex);
	memcpy(out, hex, ANON_TOKEN);
	if (slot)
		keep(slot, hex, name, len);
}

/* Length of ".ext" at the end: letters and digits behind the last dot, which is not the first byte. */
static size_t ext_of(const char *name, size_t len)
{
	size_t n = 0;

	while (n < len && ((name[len - 1 - n] | 0x20) >= 'a' ?
				   (name[len - 1 - n] | 0x20) <= 'z' :
				   name[len - 1 - n] >= '0' && name[len - 1 - n] <= '9'))
		n++;
	return n && n <= ANON_EXT_MAX && n + 1 < len && name[len - 1 - n] == '.' ? n + 1 : 0;
}

static size_t put_part(char *out, const char *name, size_t len)
{
	size_t ext = in_use.keep_ext ? ext_of(name, len) : 0;

	if (!len || (len == 1 && name[0] == '.') ||
	    (len == 2 && name[0] == '.' && name[1] == '.')) {
		memcpy(out, name, len);
		return len;
	}
	anon_token(out, name, len);
	memcpy(out + ANON_TOKEN, name + len - ext, ext);
	return ANON_TOKEN + ext;
}

size_t anon_path(char *out, const char *path, size_t len)
{
	size_t n = 0, i = 0;

	/* a socket that is not in the file system */
	if (len > 1 && path[0] == '@')
		out[n++] = path[i++];
	while (i < len) {
		const char *slash = memchr(path + i, '/', len - i);
		size_t part = slash ? (size_t)(slash - path) - i : len - i;

		n += put_part(out + n, path + i, part);
		i += part;
		if (i < len) {
			out[n++] = '/';
			i++;
		}
	}
	return n;
}

/* ---- JSON ---- */

json_t *anon_json_text(const char *text)
{
	size_t len = text ? strlen(text) : 0;
	char *out = len ? malloc(anon_path_max(len) + 1) : NULL;
	json_t *json;

	if (!len)
		return json_null();
	if (!out)
		return NULL;
	if (text[0] == '/') {
		out[anon_path(out, text, len)] = '\0';
	} else {
		anon_token(out, text, len);
		out[ANON_TOKEN] = '\0';
	}
	json = json_string(out);
	free(out);
	return json;
}

json_t *anon_json(void)
{
	char id[ANON_TOKEN + 1];

	if (!in_use.on)
		return NULL;
	anon_key_id(anon_hash_key(), id);
	return json_pack("{s:s, s:s, s:b, s:b, s:b}", "key", id, "hash",
			 "HMAC-SHA-256, the first 60 bits", "extensions_kept", in_use.keep_ext,
			 "commands_hashed", in_use.comm, "addresses_hashed", in_use.ip);
}
