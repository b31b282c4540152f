/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fuzz/fuzz.h"

#include <stdlib.h>

#include "snapshot/spec.h"
#include "snapshot/spec_cpu.h"
#include "snapshot/spec_disk.h"
#include "snapshot/spec_net.h"
#include "snapshot/spec_os.h"

/* As snap_system() writes it: what cannot be written is lost with all the rest. */
static void take(json_t *json)
{
	char *text;

	FUZZ_CLAIM(json);
	text = json_dumps(json, JSON_PRESERVE_ORDER);
	FUZZ_CLAIM(text);
	free(text);
	json_decref(json);
}

void fuzz_spec(const uint8_t *data, size_t size)
{
	const struct spec spec = { .root = fuzz_tree(data, size) };

	take(spec_cpu(&spec));
	take(spec_memory(&spec));
	take(spec_disk(&spec));
	take(spec_network(&spec));
	take(spec_os(&spec));
}
