/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "row/calls.h"

#include <stdio.h>
#include <string.h>

#define WORD(call, word, x86_64, i386, arm64, arm) [IOT_CALL_##call] = #word,
static const char *const words[IOT_N_CALLS] = { [IOT_NO_CALL] = "", IOT_CALLS(WORD) };

#define NONE (-1)
#if defined(__x86_64__)
#define NUMBERS(call, word, x86_64, i386, arm64, arm) [IOT_CALL_##call] = { x86_64, i386 },
#elif defined(__aarch64__)
#define NUMBERS(call, word, x86_64, i386, arm64, arm) [IOT_CALL_##call] = { arm64, arm },
#else
#define NUMBERS(call, word, x86_64, i386, arm64, arm) [IOT_CALL_##call] = { NONE, NONE },
#endif
static const struct {
	short native;
	short compat;
} numbers[IOT_N_CALLS] = { [IOT_NO_CALL] = { NONE, NONE }, IOT_CALLS(NUMBERS) };

void calls_read(struct calls *calls)
{
	memset(calls, 0, sizeof(*calls));
	for (u16 i = 0; i < IOT_N_CALLS; i++) {
		if (numbers[i].native >= 0)
			calls->native[numbers[i].native] = i;
		if (numbers[i].compat >= 0)
			calls->compat[numbers[i].compat] = i;
	}
}

const char *calls_word(const struct calls *calls, u16 call, char *text)
{
	unsigned number = call & IOT_CALL_MASK;
	u16 listed = 0;

	if (!(call & IOT_CALL_NUMBER))
		return call < IOT_N_CALLS ? words[call] : "";
	if (number < CALLS_MAX_NUMBER)
		listed = call & IOT_CALL_COMPAT ? calls->compat[number] : calls->native[number];
	if (listed)
		return words[listed];
	snprintf(text, CALL_WORD_MAX, "syscall_%u", number);
	return text;
}
