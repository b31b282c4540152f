/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fuzz/fuzz.h"

#include "read/verify.h"

/* What was repaired is whole from then on; looking at it changes nothing. */
void fuzz_verify(const uint8_t *data, size_t size)
{
	const char *dir = fuzz_tree(data, size);
	enum verify_result first = verify_directory(dir, false);

	FUZZ_CLAIM(verify_directory(dir, false) == first);
	if (verify_directory(dir, true) == VERIFY_WHOLE)
		FUZZ_CLAIM(verify_directory(dir, false) == VERIFY_WHOLE);
}
