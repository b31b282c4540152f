# SPDX-License-Identifier: GPL-2.0-or-later
# The tests: Check suites, where Check is installed, and scripts that trace the
# machine itself. Exit 77 is a skip, with its reason in the log.

LIVE_TESTS = \
	tests/live/anonymize.sh tests/live/cache.sh tests/live/conform.sh tests/live/disk.sh tests/live/drops.sh tests/live/endings.sh tests/live/fallback.sh tests/live/faults.sh \
	tests/live/filters.sh tests/live/forks.sh tests/live/fs-types.sh tests/live/image.sh tests/live/inherits.sh tests/live/moving.sh tests/live/net.sh tests/live/net-families.sh tests/live/net-kernel.sh \
	tests/live/net-programs.sh tests/live/net-short.sh tests/live/overflow.sh tests/live/partitions.sh tests/live/pivot.sh \
	tests/live/processes.sh tests/live/programs.sh tests/live/readers.sh tests/live/rotation.sh tests/live/same-block.sh tests/live/snapshot.sh \
	tests/live/snapshot-full.sh \
	tests/live/surroundings.sh tests/live/uring.sh tests/live/uring-absent.sh \
	tests/live/uring-programs.sh tests/live/uring-ways.sh \
	tests/live/verify.sh tests/live/waiting.sh tests/live/writes.sh
TESTS = $(LIVE_TESTS)
EXTRA_DIST = .ci/packages .ci/run .clang-format tests/conform-32.c tests/conform-32-net.c tests/conform-flood.c \
	tests/cut-host tests/hosts tests/maps tests/lib-live.sh tests/lib-pages.sh tests/readers tests/live/run.sh tests/vm $(LIVE_TESTS)

# Every suite is one file with a main of its own, so a new one is a name here.
suites = \
	tests/check_anon tests/check_attach tests/check_cache tests/check_cgroup tests/check_child tests/check_clocks tests/check_compile \
	tests/check_disks tests/check_doctor tests/check_drain tests/check_drain_rings tests/check_drops \
	tests/check_events tests/check_events_cache tests/check_events_fs tests/check_events_names \
	tests/check_events_net tests/check_events_net_conn tests/check_events_net_fds tests/check_events_net_followed \
	tests/check_events_net_poll_opt tests/check_events_ops tests/check_events_page_names \
	tests/check_events_pagefault tests/check_events_ring tests/check_filter \
	tests/check_exec_image tests/check_finish tests/check_flags tests/check_flags_net \
	tests/check_format tests/check_headers tests/check_image tests/check_kernel \
	tests/check_ledger tests/check_load tests/check_log tests/check_losses tests/check_manifest \
	tests/check_mapped tests/check_mappings tests/check_mappings_proc tests/check_mounts \
	tests/check_names tests/check_options tests/check_order tests/check_path \
	tests/check_plan tests/check_plan_text tests/check_procfs tests/check_procnet tests/check_procs tests/check_procs_fds \
	tests/check_procs_stale tests/check_rows \
	tests/check_rules tests/check_saved tests/check_scan tests/check_schema tests/check_segment \
	tests/check_snap tests/check_snap_cpu tests/check_snap_fs tests/check_snap_process tests/check_snap_ring \
	tests/check_sockopt tests/check_source tests/check_spec tests/check_targets tests/check_trace \
	tests/check_verify tests/check_verify_manifest tests/check_verify_repair tests/check_write tests/check_zone

check_LIBRARIES =
check_PROGRAMS = tests/conform tests/conform-diff tests/conform-families tests/conform-forks tests/conform-moving tests/conform-net tests/conform-pages tests/conform-same-block \
	tests/conform-short tests/conform-sockets tests/conform-uring tests/drops tests/verify
if HAVE_CHECK
check_PROGRAMS += $(suites)
TESTS += $(suites)
check_LIBRARIES += tests/libfixtures.a
AM_CPPFLAGS += $(CHECK_CFLAGS)
endif

# What several suites share; each takes from it what it calls.
tests_libfixtures_a_SOURCES = \
	tests/counter.c tests/counter.h tests/fixture_csv.c tests/fixture_csv.h \
	tests/fixture_events.c tests/fixture_events.h tests/fixture_flags.c tests/fixture_flags.h \
	tests/fixture_mappings.c tests/fixture_mappings.h tests/fixture_net.c tests/fixture_net.h \
	tests/fixture_proc.c tests/fixture_proc.h tests/fixture_procs.c tests/fixture_procs.h \
	tests/fixture_record.c tests/fixture_record.h \
	tests/fixture_snap.c tests/fixture_snap.h tests/fixture_verify.c tests/fixture_verify.h \
	tests/host_fixture.c tests/host_fixture.h tests/rules.c tests/rules.h \
	tests/session.c tests/session.h
LDADD = tests/libfixtures.a $(tracer_libs) $(CHECK_LIBS)

# Programs that are traced do what their source says and nothing else: no sanitizers.
tests_conform_SOURCES = tests/conform.c tests/conform.h tests/conform_async.c \
	tests/conform_close.c tests/conform_fds.c tests/conform_maps.c tests/conform_name.c \
	tests/conform_open.c tests/conform_paths.c tests/conform_rows.c tests/conform_rw.c \
	tests/conform_ways.c
tests_conform_CFLAGS = $(IO_WARNINGS)
tests_conform_LDADD =
tests_conform_families_SOURCES = tests/conform-families.c
tests_conform_families_CFLAGS = $(IO_WARNINGS)
tests_conform_families_LDADD =
tests_conform_same_block_SOURCES = tests/conform-same-block.c
tests_conform_same_block_CFLAGS = $(IO_WARNINGS)
tests_conform_same_block_LDADD = -lpthread
tests_conform_forks_SOURCES = tests/conform-forks.c
tests_conform_forks_CFLAGS = $(IO_WARNINGS)
tests_conform_forks_LDADD =
tests_conform_moving_SOURCES = tests/conform-moving.c
tests_conform_moving_CFLAGS = $(IO_WARNINGS)
tests_conform_moving_LDADD = -lpthread
tests_conform_net_SOURCES = tests/conform-net.c tests/conform-net.h
tests_conform_net_CFLAGS = $(IO_WARNINGS)
tests_conform_net_LDADD =
tests_conform_short_SOURCES = tests/conform-short.c tests/conform-net.h
tests_conform_short_CFLAGS = $(IO_WARNINGS)
tests_conform_short_LDADD = -lpthread
tests_conform_sockets_SOURCES = tests/conform-sockets.c tests/conform-net.h
tests_conform_sockets_CFLAGS = $(IO_WARNINGS)
tests_conform_sockets_LDADD =
tests_conform_pages_SOURCES = tests/conform-pages.c
tests_conform_pages_CFLAGS = $(IO_WARNINGS)
tests_conform_pages_LDADD =
tests_drops_SOURCES = tests/drops.c
tests_drops_CFLAGS = $(IO_WARNINGS)
tests_drops_LDADD =
tests_conform_uring_SOURCES = tests/conform-uring.c tests/conform-uring.h tests/conform_uring_ring.c
tests_conform_uring_CFLAGS = $(IO_WARNINGS)
tests_conform_uring_LDADD =
tests_conform_diff_SOURCES = tests/conform-diff.c
tests_conform_diff_LDADD = $(ZLIB_LIBS)
tests_verify_SOURCES = tests/verify.c tests/rules.c tests/rules.h
tests_verify_LDADD = $(tracer_libs)

# Suites find their fixtures, and scripts the programs, by these.
AM_TESTS_ENVIRONMENT = \
	srcdir='$(abs_top_srcdir)'; export srcdir; \
	builddir='$(abs_builddir)'; export builddir; \
	CC='$(CC)'; export CC; \
	IOTRACER='$(abs_builddir)/iotracer'; export IOTRACER; \
	IOTRACER_BCC='$(abs_builddir)/iotracer-bcc'; export IOTRACER_BCC; \
	IOTRACER_STUB='$(abs_top_srcdir)/compat/stub'; export IOTRACER_STUB;

# One script at a time, whatever make -j says: they count what the machine loses.
TEST_EXTENSIONS = .sh
SH_LOG_COMPILER = flock tests/live.lock bash
CLEANFILES += tests/live.lock

# Needs no C library for 32 bits; where the compiler has no such mode, a test is skipped.
tests/conform-32 tests/conform-32-net: tests/%: $(srcdir)/tests/%.c
	-$(CC) -m32 -nostdlib -static -ffreestanding -fno-stack-protector -fno-pie -no-pie -O1 $(IO_WARNINGS) \
		-o $@ $<
CLEANFILES += tests/conform-32 tests/conform-32-net

# Programs of liburing, from the sources that its package has as documentation: the machines of check-vm have none.
liburing_examples = tests/io_uring-test tests/io_uring-cp tests/link-cp
$(liburing_examples):
	-$(CC) -D_GNU_SOURCE -O1 -o $@ /usr/share/doc/liburing-dev/examples/$(@F).c -luring
CLEANFILES += $(liburing_examples)

# KERNELS="5.10 6.1": those only
.PHONY: check-vm
check-vm: iotracer iotracer-bcc tests/conform-32 tests/conform-32-net $(liburing_examples) $(check_PROGRAMS)
	$(srcdir)/tests/vm/check-vm.sh $(KERNELS)

include $(top_srcdir)/tests/bench/local.mk
