#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# between NAME <C: builds NAME.so, which stands between the tracer and the
# kernel: for LD_PRELOAD. The C text has
#   static bool answers(long number, const long *a, long *result)
# which is asked about each syscall(2); what it does not answer goes on to the
# kernel. Skips the script where no library can be built.

between()
{
	{
		cat <<'C'
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>

C
		cat
		cat <<'C'

long syscall(long number, ...)
{
	long (*next)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	long a[6], result;
	va_list list;

	va_start(list, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(list, long);
	va_end(list);
	return answers(number, a, &result) ? result : next(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
C
	} >"$1.c"
	"${cc[@]}" -D_GNU_SOURCE -shared -fPIC -o "$1.so" "$1.c" -ldl 2>"$1.log" ||
		skip_all 'no library can be built to stand between the tracer and the kernel'
}
