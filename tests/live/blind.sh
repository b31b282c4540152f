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

# What is counted leaves no record: the counts themselves are looked at. Here they are read as if there were none.
if [ "$LIVE_TIER" = c ]; then
	skip 'layers: without layouts there are no counts'
	exit
fi
LD_PRELOAD=$tmp/numb.so record v -e layers -- touch ran2
check 'layers: no start without a probe that fires' [ $? = 1 -a ! -e ran2 ]
check 'layers: the reason is the last message' [ -n "$(tail -n 1 v.log | grep 'no probe fired in the self-test')" ]
between uncounted <<'END_C'
static bool answers(long number, const long *a, long *result)
{
	static long used = -1;
	long (*next)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	union bpf_attr *attr = (union bpf_attr *)a[1];

	if (number != SYS_bpf)
		return false;
	if (a[0] == BPF_MAP_CREATE && !strncmp(attr->map_name, "iot_counts_used", 15)) {
		used = *result = next(number, a[0], a[1], a[2]);
		return true;
	}
	if (a[0] != BPF_MAP_LOOKUP_ELEM || attr->map_fd != used)
		return false;
	memset((void *)attr->value, 0, 512 * 8);
	*result = 0;
	return true;
}
END_C
LD_PRELOAD=$tmp/uncounted.so record w -e layers -- touch ran2
check 'layers: no start when nothing is counted' [ $? = 1 -a ! -e ran2 ]
LD_PRELOAD=$tmp/uncounted.so record x -e fs,layers -- touch ran2
check 'layers beside fs: it is recorded' [ $? = 0 -a -e ran2 ]
check 'layers beside fs: what is not counted is said' grep -q 'rows of layers will be missing: WRITE through [A-Z_]* did not fire in the self-test' x.log
check 'layers beside fs: and is in the manifest' [ "$(jq -r '[.plan[] | select(.stream == "layers" and .operation == "WRITE" and .path == "") | .self_test] | first' x/manifest.json)" = silent ]
check 'layers beside fs: the rows of fs are there' [ "$(n_rows x fs)" -gt 0 ]
record y -e layers -- dd if=/dev/zero of=z bs=4096 count=7 status=none
check 'layers: where they are counted, it starts' [ $? = 0 ]
check 'layers: and has what was done since, no more' [ "$(cells y layers layer,command,operation,count,bytes | grep WRITE | grep SYSCALL)" = "$(printf 'SYSCALL\tdd\tWRITE\t7\t28672')" ]
