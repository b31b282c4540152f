#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Where every probe attaches and none fires, nothing would be recorded, and the
# trace would look like one of an idle machine: the self-test refuses to start.
# Here a library attaches nothing, and says that it did.
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib-between.sh source-path=SCRIPTDIR
. "$tests_dir/live/lib-between.sh"

between numb <<'END'
#include <linux/perf_event.h>
#include <sys/ioctl.h>

int ioctl(int fd, unsigned long request, ...)
{
	int (*next)(int, unsigned long, ...) = (int (*)(int, unsigned long, ...))dlsym(RTLD_NEXT, "ioctl");
	va_list list;
	void *arg;

	va_start(list, request);
	arg = va_arg(list, void *);
	va_end(list);
	return request == PERF_EVENT_IOC_SET_BPF ? 0 : next(fd, request, arg);
}

static bool answers(long number, const long *a, long *result)
{
	if (number != SYS_bpf || a[0] != BPF_RAW_TRACEPOINT_OPEN)
		return false;
	*result = open("/dev/null", O_RDONLY | O_CLOEXEC);
	return true;
}
END

LD_PRELOAD=$tmp/numb.so record s -e fs -- touch ran
check 'no start without a probe that fires' [ $? = 1 ]
check 'the reason is the last message' [ -n "$(tail -n 1 s.log |
	grep 'no probe fired in the self-test, so nothing is recorded (--no-self-test records anyway)')" ]
check 'the command was not run' [ ! -e ran ]
check 'no directory is left' [ ! -e s ]
LD_PRELOAD=$tmp/numb.so record t --no-self-test -e fs -- touch ran
check '--no-self-test records anyway' [ $? = 0 -a -e ran ]
check 'nothing' [ "$(n_rows t fs)" = 0 ]
record u -e fs -- touch ran
check 'where probes fire, the self-test lets it start' [ $? = 0 ]
check 'and there are rows' [ "$(n_rows u fs)" -gt 0 ]
