/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The key in use, which leaves this file as what is hashed with it. */
#include "row/anon_hash.h"

#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/status.h"
#include "row/anon_key.h"

static struct anon_key key;

void anon_hash_use(const struct anon_key *new)
{
	if (new)
		key = *new;
	else
		explicit_bzero(&key, sizeof(key));
}

const struct anon_key *anon_hash_key(void)
{
	return &key;
}

void anon_hash(const void *data, size_t len, char hex[SHA256_HEX_SIZE])
{
	if (!sha256_keyed(key.bytes, key.len, data, len, hex))
		return;
	/* a name must not go out as it is, nor all of them as one; and a core file would have them */
	log_error(
		"libcrypto: no memory, or no HMAC-SHA-256: names cannot be anonymised, ending here");
	_exit(STATUS_FAILED);
}
