/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns nothing: the list, expanded. */
#include "row/calls.h"

#include <stdio.h>
#include <string.h>

#include "probes/arch/arch.h"

#define NAMED(call, word, numbers) [IOT_CALL_##call] = #word,
#define OWN_NAME(call, ...) [IOT_CALL_##call] = #call,
static const char *const words[IOT_N_CALLS] = { [IOT_NO_CALL] = "",
						IOT_FS_CALLS(OWN_NAME, NAMED)
							IOT_NET_CALLS(OWN_NAME) };

#define NONE (-1)
#define NUMBERS(call, word, numbers, ...)                                                          \
	[IOT_CALL_##call] = { IOT_NR_NATIVE numbers, IOT_NR_COMPAT numbers },
static const struct {
	short native;
	short compat;
} numbers[IOT_N_CALLS] = { [IOT_NO_CALL] = { NONE, NONE },
			   IOT_FS_CALLS(NUMBERS, NUMBERS) IOT_NET_CALLS(NUMBERS) };

int calls_number(u16 call)
{
	return call < IOT_N_CALLS ? numbers[call].native : NONE;
}

#define OWN_EVENT(call, event, ...) { #event, IOT_CALL_##call },
#define NAMED_EVENT(call, word, numbers) { #call, IOT_CALL_##call },
/*
 * The kernel's function of umount2 is sys_umount (fs/namespace.c), which names its events. That of fadvise64
 * is sys_fadvise64_64 on arm64 (asm-generic/unistd.h).
 */
static const struct {
	const char *event;
	u16 call;
} events[] = { IOT_FS_CALLS(OWN_EVENT, NAMED_EVENT)
		       IOT_NET_CALLS(OWN_EVENT){ "umount", IOT_CALL_umount2 },
	       { "fadvise64_64", IOT_CALL_fadvise64 } };

int calls_event_number(const char *event)
{
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		if (!strcmp(events[i].event, event) && calls_number(events[i].call) >= 0)
			return calls_number(events[i].call);
	return NONE;
}

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
