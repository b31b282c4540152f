# SPDX-License-Identifier: GPL-2.0-or-later
# The tests: Check suites, where Check is installed, and scripts that trace the
# machine itself. Exit 77 is a skip, with its reason in the log.

# Images of all streams, which the others find in a cache of this build. First, while suites run.
LIVE_FIRST = tests/live/images.sh
# What traces what it starts itself: side by side (turn.sh). First what takes long.
LIVE_BESIDE = \
	tests/live/files-strace.sh \
	tests/live/net-short.sh \
	tests/live/stack-frames.sh \
	tests/live/stacks.sh \
	tests/live/timeline.sh \
	tests/live/timeline-why.sh \
	tests/live/filters.sh \
	tests/live/readers.sh \
	tests/live/amp-alert.sh \
	tests/live/amp-charts.sh \
	tests/live/amp-net.sh \
	tests/live/amp.sh \
	tests/live/anonymize.sh \
	tests/live/bios.sh \
	tests/live/blind.sh \
	tests/live/blocked.sh \
	tests/live/budget.sh \
	tests/live/calls.sh \
	tests/live/clones.sh \
	tests/live/containers.sh \
	tests/live/dispatched.sh \
	tests/live/drops.sh \
	tests/live/effects.sh \
	tests/live/endings.sh \
	tests/live/fallback.sh \
	tests/live/faults.sh \
	tests/live/files-fio.sh \
	tests/live/files.sh \
	tests/live/fio-async.sh \
	tests/live/fio.sh \
	tests/live/forks.sh \
	tests/live/fs-types.sh \
	tests/live/given.sh \
	tests/live/gone.sh \
	tests/live/hung.sh \
	tests/live/image.sh \
	tests/live/inherits.sh \
	tests/live/journals-xfs.sh \
	tests/live/journals.sh \
	tests/live/layers.sh \
	tests/live/learned.sh \
	tests/live/links.sh \
	tests/live/locks.sh \
	tests/live/loop-file.sh \
	tests/live/mapped.sh \
	tests/live/metrics.sh \
	tests/live/moving.sh \
	tests/live/net-families.sh \
	tests/live/net-kernel.sh \
	tests/live/net-programs.sh \
	tests/live/net.sh \
	tests/live/next.sh \
	tests/live/open.sh \
	tests/live/partitions.sh \
	tests/live/pivot.sh \
	tests/live/processes.sh \
	tests/live/programs.sh \
	tests/live/questions.sh \
	tests/live/refused.sh \
	tests/live/removed.sh \
	tests/live/renamed.sh \
	tests/live/report-changes.sh \
	tests/live/report-page.sh \
	tests/live/report.sh \
	tests/live/rotation.sh \
	tests/live/same-block.sh \
	tests/live/service.sh \
	tests/live/shown.sh \
	tests/live/summary.sh \
	tests/live/surroundings.sh \
	tests/live/terminal.sh \
	tests/live/tier-c-files.sh \
	tests/live/tier-c-uring.sh \
	tests/live/tier-c.sh \
	tests/live/timeline-direct.sh \
	tests/live/top-devices.sh \
	tests/live/top-screen.sh \
	tests/live/top.sh \
	tests/live/uring-absent.sh \
	tests/live/uring-device.sh \
	tests/live/uring-programs.sh \
	tests/live/uring-reader.sh \
	tests/live/uring-steps.sh \
	tests/live/uring-ways.sh \
	tests/live/uring.sh \
	tests/live/verify.sh \
	tests/live/waiting.sh \
	tests/live/watch.sh \
	tests/live/writes.sh
# What says "# alone: REASON": after these, one by one
LIVE_ALONE = \
	tests/live/cache.sh \
	tests/live/charged.sh \
	tests/live/conform.sh \
	tests/live/findings.sh \
	tests/live/overflow.sh \
	tests/live/overlay.sh \
	tests/live/owners.sh \
	tests/live/sched.sh \
	tests/live/snapshot.sh \
	tests/live/tier-c-alone.sh \
	tests/live/why.sh
# Of `make check-all` alone; why is in CONTRIBUTING.md
LIVE_ALL = \
	tests/live/amp-clusters.sh \
	tests/live/amp-systems.sh \
	tests/live/browser.sh \
	tests/live/budget-load.sh \
	tests/live/containers-runtimes.sh \
	tests/live/disk.sh \
	tests/live/files-fleet.sh \
	tests/live/fio-programs.sh \
	tests/live/metrics-prometheus.sh \
	tests/live/readers-fleet.sh \
	tests/live/service-systemd.sh \
	tests/live/snapshot-full.sh \
	tests/live/stack-runtimes.sh
TESTS = \
	$(LIVE_FIRST) \
	tests/unit/completion.sh \
	tests/unit/completion_fish.sh \
	tests/unit/completion_zsh.sh \
	tests/unit/help.sh \
	tests/unit/layers.sh \
	tests/unit/layers_calls.sh \
	tests/unit/manual.sh \
	tests/unit/messages.sh \
	tests/unit/objects.sh \
	tests/unit/scripts.sh \
	tests/unit/service.sh \
	tests/unit/shown.sh \
	tests/unit/version.sh \
	tests/unit/words.sh
EXTRA_DIST = \
	$(LIVE_FIRST) \
	$(LIVE_BESIDE) \
	$(LIVE_ALONE) \
	$(LIVE_ALL) \
	.ci/lint \
	.ci/packages \
	.ci/packages-all \
	.ci/run \
	.clang-format \
	tests/conform/conform_32.c \
	tests/conform/conform_32_net.c \
	tests/conform/conform_flood.c \
	tests/conform/conform_frames.c \
	tests/conform/conform_int80.c \
	tests/fixture/maps \
	tests/hosts \
	tests/hosts/cut-host \
	tests/live/lib-between.sh \
	tests/live/lib-budget.sh \
	tests/live/lib-clickhouse.sh \
	tests/live/lib-corpus.sh \
	tests/live/lib-disks.sh \
	tests/live/lib-events.sh \
	tests/live/lib-fio.sh \
	tests/live/lib-journals.sh \
	tests/live/lib-pages.sh \
	tests/live/lib-perfetto.sh \
	tests/live/lib-readers.sh \
	tests/live/lib-report.sh \
	tests/live/lib-systems.sh \
	tests/live/lib-tier-c.sh \
	tests/live/lib-uring.sh \
	tests/live/lib.sh \
	tests/live/run.sh \
	tests/live/traced \
	tests/prometheus/iotracer.rules.test.yml \
	tests/readers \
	tests/seconds.sh \
	tests/slow.txt \
	tests/turn.sh \
	tests/unit/completion.sh \
	tests/unit/completion_fish.sh \
	tests/unit/completion_zsh.sh \
	tests/unit/completion_zsh.zsh \
	tests/unit/help.sh \
	tests/unit/layers.awk \
	tests/unit/layers.sh \
	tests/unit/layers_calls.sh \
	tests/unit/manual.sh \
	tests/unit/messages.awk \
	tests/unit/messages.sh \
	tests/unit/messages.txt \
	tests/unit/objects.sh \
	tests/unit/objects.txt \
	tests/unit/scripts.sh \
	tests/unit/service.sh \
	tests/unit/shown.awk \
	tests/unit/shown.sh \
	tests/unit/version.sh \
	tests/unit/words.sh \
	tests/vm

# Every suite is one file with a main of its own, so a new one is a name here.
suites = \
	tests/unit/check_amp \
	tests/unit/check_amp_groups \
	tests/unit/check_amp_summary \
	tests/unit/check_anon \
	tests/unit/check_attach \
	tests/unit/check_bpf_maps \
	tests/unit/check_btf \
	tests/unit/check_calls \
	tests/unit/check_cgroup \
	tests/unit/check_changes \
	tests/unit/check_clocks \
	tests/unit/check_command \
	tests/unit/check_compile \
	tests/unit/check_containers \
	tests/unit/check_detach \
	tests/unit/check_disks \
	tests/unit/check_doctor \
	tests/unit/check_drain \
	tests/unit/check_drain_rings \
	tests/unit/check_drop_reasons \
	tests/unit/check_effects \
	tests/unit/check_events \
	tests/unit/check_events_cache \
	tests/unit/check_events_fs \
	tests/unit/check_events_given \
	tests/unit/check_events_names \
	tests/unit/check_events_net \
	tests/unit/check_events_net_conn \
	tests/unit/check_events_net_fds \
	tests/unit/check_events_net_followed \
	tests/unit/check_events_net_poll_opt \
	tests/unit/check_events_ops \
	tests/unit/check_events_owners \
	tests/unit/check_events_page_names \
	tests/unit/check_events_pagefault \
	tests/unit/check_events_ring \
	tests/unit/check_exec_image \
	tests/unit/check_fd_opened \
	tests/unit/check_fd_scan \
	tests/unit/check_fd_table \
	tests/unit/check_files \
	tests/unit/check_files_columns \
	tests/unit/check_files_evict \
	tests/unit/check_filter \
	tests/unit/check_fio \
	tests/unit/check_findings \
	tests/unit/check_findings_calls \
	tests/unit/check_findings_devices \
	tests/unit/check_findings_files \
	tests/unit/check_findings_processes \
	tests/unit/check_finish \
	tests/unit/check_flags \
	tests/unit/check_flags_calls \
	tests/unit/check_flags_net \
	tests/unit/check_format \
	tests/unit/check_fs_types \
	tests/unit/check_fuzz \
	tests/unit/check_groups \
	tests/unit/check_headers \
	tests/unit/check_histogram \
	tests/unit/check_image \
	tests/unit/check_image_cache \
	tests/unit/check_image_share \
	tests/unit/check_kernel \
	tests/unit/check_kheaders \
	tests/unit/check_kprobe_events \
	tests/unit/check_budget \
	tests/unit/check_latencies \
	tests/unit/check_layers \
	tests/unit/check_layout \
	tests/unit/check_layout_cache \
	tests/unit/check_learn \
	tests/unit/check_ledger \
	tests/unit/check_links \
	tests/unit/check_load \
	tests/unit/check_log \
	tests/unit/check_loops \
	tests/unit/check_losses \
	tests/unit/check_manifest \
	tests/unit/check_mapped \
	tests/unit/check_mappings \
	tests/unit/check_mappings_proc \
	tests/unit/check_metrics \
	tests/unit/check_mounts \
	tests/unit/check_names \
	tests/unit/check_netfs \
	tests/unit/check_open \
	tests/unit/check_options \
	tests/unit/check_order \
	tests/unit/check_output_file \
	tests/unit/check_path \
	tests/unit/check_plain \
	tests/unit/check_plan \
	tests/unit/check_plan_text \
	tests/unit/check_proc_view \
	tests/unit/check_procfs \
	tests/unit/check_procfs_maps \
	tests/unit/check_procnet \
	tests/unit/check_procs \
	tests/unit/check_procs_groups \
	tests/unit/check_procs_stale \
	tests/unit/check_read \
	tests/unit/check_read_fuzz \
	tests/unit/check_read_net \
	tests/unit/check_read_session \
	tests/unit/check_report \
	tests/unit/check_report_print \
	tests/unit/check_resolve \
	tests/unit/check_rows \
	tests/unit/check_rules \
	tests/unit/check_saved \
	tests/unit/check_scan \
	tests/unit/check_sched \
	tests/unit/check_schema \
	tests/unit/check_screen \
	tests/unit/check_segment \
	tests/unit/check_snap \
	tests/unit/check_snap_cpu \
	tests/unit/check_snap_fs \
	tests/unit/check_snap_grace \
	tests/unit/check_snap_process \
	tests/unit/check_snap_ring \
	tests/unit/check_sockopt \
	tests/unit/check_source \
	tests/unit/check_spec \
	tests/unit/check_spool \
	tests/unit/check_stacks \
	tests/unit/check_systems \
	tests/unit/check_targets \
	tests/unit/check_thinning \
	tests/unit/check_timeline \
	tests/unit/check_top \
	tests/unit/check_trace \
	tests/unit/check_trace_calls \
	tests/unit/check_unwritten \
	tests/unit/check_uring \
	tests/unit/check_verify \
	tests/unit/check_verify_manifest \
	tests/unit/check_verify_repair \
	tests/unit/check_verify_waiting \
	tests/unit/check_watch \
	tests/unit/check_why \
	tests/unit/check_why_model \
	tests/unit/check_write \
	tests/unit/check_writers \
	tests/unit/check_zone

check_LIBRARIES =
check_PROGRAMS = \
	tests/conform/conform \
	tests/conform/conform_blocked \
	tests/conform/conform_calls \
	tests/conform/conform_diff \
	tests/conform/conform_families \
	tests/conform/conform_forks \
	tests/conform/conform_given \
	tests/conform/conform_gone \
	tests/conform/conform_moving \
	tests/conform/conform_net \
	tests/conform/conform_pages \
	tests/conform/conform_refused \
	tests/conform/conform_same_block \
	tests/conform/conform_sched \
	tests/conform/conform_short \
	tests/conform/conform_sockets \
	tests/conform/conform_tasks \
	tests/conform/conform_uring \
	tests/conform/conform_uring_steps \
	tests/conform/drops \
	tests/vm/verify_programs
if HAVE_CHECK
check_PROGRAMS += $(suites)
TESTS += $(suites)
check_LIBRARIES += tests/libfixtures.a
AM_CPPFLAGS += $(CHECK_CFLAGS) -D_mark_point=mark_point_once
endif
# After the suites; one that waits for its turn takes a job of make -j
TESTS += $(LIVE_BESIDE) $(LIVE_ALONE) tests/seconds.sh

# What several suites share; each takes from it what it calls.
tests_libfixtures_a_SOURCES = \
	tests/fixture/counter.c \
	tests/fixture/counter.h \
	tests/fixture/fixture_amp.c \
	tests/fixture/fixture_amp.h \
	tests/fixture/fixture_csv.c \
	tests/fixture/fixture_csv.h \
	tests/fixture/fixture_events.c \
	tests/fixture/fixture_events.h \
	tests/fixture/fixture_findings.c \
	tests/fixture/fixture_findings.h \
	tests/fixture/fixture_flags.c \
	tests/fixture/fixture_flags.h \
	tests/fixture/fixture_losses.c \
	tests/fixture/fixture_losses.h \
	tests/fixture/fixture_mappings.c \
	tests/fixture/fixture_mappings.h \
	tests/fixture/fixture_net.c \
	tests/fixture/fixture_net.h \
	tests/fixture/fixture_proc.c \
	tests/fixture/fixture_proc.h \
	tests/fixture/fixture_procs.c \
	tests/fixture/fixture_procs.h \
	tests/fixture/fixture_read.c \
	tests/fixture/fixture_read.h \
	tests/fixture/fixture_record.c \
	tests/fixture/fixture_record.h \
	tests/fixture/fixture_report.c \
	tests/fixture/fixture_report.h \
	tests/fixture/fixture_rows.c \
	tests/fixture/fixture_rows.h \
	tests/fixture/fixture_snap.c \
	tests/fixture/fixture_snap.h \
	tests/fixture/fixture_verify.c \
	tests/fixture/fixture_verify.h \
	tests/fixture/host_fixture.c \
	tests/fixture/host_fixture.h \
	tests/fixture/mark_once.c \
	tests/fixture/random.h \
	tests/fixture/rules.c \
	tests/fixture/rules.h \
	tests/fixture/session.c \
	tests/fixture/session.h
LDADD = tests/libfixtures.a $(tracer_libs) $(CHECK_LIBS)

# Programs that are traced do what their source says and nothing else: no sanitizers.
tests_conform_conform_SOURCES = \
	tests/conform/case_async.c \
	tests/conform/case_attributes.c \
	tests/conform/case_close.c \
	tests/conform/case_fds.c \
	tests/conform/case_locks.c \
	tests/conform/case_maps.c \
	tests/conform/case_metadata.c \
	tests/conform/case_mounts.c \
	tests/conform/case_name.c \
	tests/conform/case_open.c \
	tests/conform/case_paths.c \
	tests/conform/case_paths.h \
	tests/conform/case_rows.c \
	tests/conform/case_rw.c \
	tests/conform/case_threads.c \
	tests/conform/case_ways.c \
	tests/conform/conform.c \
	tests/conform/conform.h
tests_conform_conform_CFLAGS = $(IOT_WARNINGS)
tests_conform_conform_LDADD =
tests_conform_conform_blocked_SOURCES = tests/conform/conform_blocked.c
tests_conform_conform_blocked_CFLAGS = $(IOT_WARNINGS)
tests_conform_conform_blocked_LDADD = -lpthread
tests_conform_conform_calls_SOURCES = tests/conform/conform_calls.c
tests_conform_conform_calls_CFLAGS = $(IOT_WARNINGS)
tests_conform_conform_calls_LDADD =
tests_conform_conform_families_SOURCES = tests/conform/conform_families.c
tests_conform_conform_families_CFLAGS = $(IOT_WARNINGS)
tests_conform_conform_families_LDADD =
tests_conform_conform_same_block_SOURCES = tests/conform/conform_same_block.c
tests_conform_conform_same_block_CFLAGS = $(IOT_WARNINGS)
tests_conform_conform_same_block_LDADD = -lpthread
tests_conform_conform_sched_SOURCES = tests/conform/conform_sched.c
tests_conform_conform_sched_CFLAGS = $(IOT_WARNINGS)
tests_conform_conform_sched_LDADD = -lpthread
tests_conform_conform_forks_SOURCES = tests/conform/conform_forks.c
tests_conform_conform_forks_CFLAGS = $(IOT_WARNINGS)
tests_conform_conform_forks_LDADD =
tests_conform_conform_tasks_SOURCES = tests/conform/conform_tasks.c
tests_conform_conform_tasks_CFLAGS = $(IOT_WARNINGS)
tests_conform_conform_tasks_LDADD = -lpthread
tests_conform_conform_moving_SOURCES = tests/conform/conform_moving.c
tests_conform_conform_moving_CFLAGS = $(IOT_WARNINGS)
tests_conform_conform_moving_LDADD = -lpthread
tests_conform_conform_given_SOURCES = tests/conform/conform_given.c
tests_conform_conform_given_CFLAGS = $(IOT_WARNINGS)
tests_conform_conform_gone_SOURCES = tests/conform/conform_gone.c
tests_conform_conform_gone_CFLAGS = $(IOT_WARNINGS)
tests_conform_conform_refused_SOURCES = tests/conform/conform_refused.c
tests_conform_conform_refused_CFLAGS = $(IOT_WARNINGS)
tests_conform_conform_net_SOURCES = tests/conform/conform_net.c tests/conform/conform_net.h
tests_conform_conform_net_CFLAGS = $(IOT_WARNINGS)
tests_conform_conform_net_LDADD =
tests_conform_conform_short_SOURCES = tests/conform/conform_short.c tests/conform/conform_net.h
tests_conform_conform_short_CFLAGS = $(IOT_WARNINGS)
tests_conform_conform_short_LDADD = -lpthread
tests_conform_conform_sockets_SOURCES = tests/conform/conform_sockets.c tests/conform/conform_net.h
tests_conform_conform_sockets_CFLAGS = $(IOT_WARNINGS)
tests_conform_conform_sockets_LDADD =
tests_conform_conform_pages_SOURCES = \
	tests/conform/conform_pages.c \
	tests/conform/conform_pages.h \
	tests/conform/pages_faults.c
tests_conform_conform_pages_CFLAGS = $(IOT_WARNINGS)
tests_conform_conform_pages_LDADD =
tests_conform_drops_SOURCES = tests/conform/drops.c
tests_conform_drops_CFLAGS = $(IOT_WARNINGS)
tests_conform_drops_LDADD =
tests_conform_conform_uring_SOURCES = \
	tests/conform/conform_uring.c \
	tests/conform/conform_uring.h \
	tests/conform/uring_ring.c
tests_conform_conform_uring_steps_SOURCES = \
	tests/conform/conform_uring.h \
	tests/conform/conform_uring_steps.c \
	tests/conform/uring_ring.c
tests_conform_conform_uring_steps_CFLAGS = $(IOT_WARNINGS)
tests_conform_conform_uring_steps_LDADD =
tests_conform_conform_uring_CFLAGS = $(IOT_WARNINGS)
tests_conform_conform_uring_LDADD =
tests_conform_conform_diff_SOURCES = tests/conform/conform_diff.c
tests_conform_conform_diff_LDADD = $(ZLIB_LIBS)
tests_vm_verify_programs_SOURCES = \
	tests/fixture/rules.c \
	tests/fixture/rules.h \
	tests/vm/verify_programs.c
tests_vm_verify_programs_LDADD = $(tracer_libs)

# Suites find their fixtures, and scripts the programs, by these.
AM_TESTS_ENVIRONMENT = \
	srcdir='$(abs_top_srcdir)'; export srcdir; \
	builddir='$(abs_builddir)'; export builddir; \
	CC='$(CC)'; export CC; \
	CK_DEFAULT_TIMEOUT=60; export CK_DEFAULT_TIMEOUT; \
	IOTRACER='$(abs_builddir)/iotracer'; export IOTRACER; \
	IOTRACER_BCC='$(abs_builddir)/iotracer-bcc'; export IOTRACER_BCC; \
	IOTRACER_STUB='$(abs_top_srcdir)/compat/stub'; export IOTRACER_STUB; \
	IOTRACER_SYSTEMS='$(abs_top_srcdir)/data/systems.conf'; export IOTRACER_SYSTEMS; \
	IOTRACER_CACHE='$(abs_builddir)/tests/cache'; export IOTRACER_CACHE; \
	LIVE_CORPUS='$(abs_builddir)/tests/corpus'; export LIVE_CORPUS;

# Whose turn it is, whatever make -j says, and how long each took
TEST_EXTENSIONS = .sh
SH_LOG_COMPILER = bash $(srcdir)/tests/turn.sh
LOG_COMPILER = bash $(srcdir)/tests/turn.sh
CLEANFILES += tests/live.lock

# In the order of TESTS: what depends on config.h, whose rule is never done, would begin last
$(TEST_LOGS): config.h

# The last test looks at the logs of all others; its table is seen, too.
tests/seconds.log: $(TEST_LOGS:tests/seconds.log=)
AM_TESTS_FD_REDIRECT = 9>&2

# Needs no C library for 32 bits; where the compiler has no such mode, a test is skipped.
CC32 = $(CC) -m32
tests/conform/conform_32 tests/conform/conform_32_net: tests/%: $(srcdir)/tests/%.c
	-$(CC32) -nostdlib -static -ffreestanding -fno-stack-protector -fno-pie -no-pie -O1 $(IOT_WARNINGS) \
		-o $@ $<
CLEANFILES += tests/conform/conform_32 tests/conform/conform_32_net

# Programs of liburing, from the sources that its package has as documentation: the machines of check-vm have none.
liburing_examples = tests/io_uring-test tests/io_uring-cp tests/link-cp
$(liburing_examples):
	-$(CC) -D_GNU_SOURCE -O1 -o $@ /usr/share/doc/liburing-dev/examples/$(@F).c -luring
CLEANFILES += $(liburing_examples)

# KERNELS="5.10 6.1": those only
.PHONY: check-vm
check-vm: iotracer iotracer-bcc tests/bench/load tests/soak/shim.so tests/conform/conform_32 tests/conform/conform_32_net $(liburing_examples) $(check_PROGRAMS)
	$(srcdir)/tests/vm/check-vm.sh $(KERNELS)

# What emulated machines of arm64 run, in the long form
VM_ARM64 = smoke.sh record.sh uring.sh calls.sh net.sh layout.sh cache.sh files.sh block.sh drop.sh

# What is run before a release, and by whoever changes such a part: the tests, what only this has, and every kernel with
# everything. All of it is run, whatever fails.
.PHONY: check-all
check-all:
	status=0; \
	$(MAKE) check || status=1; \
	$(MAKE) check TESTS='$(LIVE_ALL)' || status=1; \
	FUZZ_SECONDS=600 $(MAKE) fuzz || status=1; \
	$(MAKE) soak || status=1; \
	$(MAKE) check-matrix bench-insns check-vm check-packages || status=1; \
	$(srcdir)/tests/vm/check-vm.sh --arch arm64 5.10 6.1 6.12 -- $(addprefix $(srcdir)/tests/vm/guest-,$(VM_ARM64)) || status=1; \
	$(srcdir)/tests/vm/check-service.sh || [ $$? = 77 ] || status=1; \
	exit $$status

# The programs of every kernel and of every saved host, compiled and verified; nothing is booted.
.PHONY: check-matrix
check-matrix: iotracer iotracer-bcc tests/vm/verify_programs
	$(srcdir)/tests/vm/check-matrix.sh $(KERNELS)

include $(top_srcdir)/tests/bench/local.mk
include $(top_srcdir)/tests/fuzz/local.mk
include $(top_srcdir)/tests/soak/local.mk

# The sentences that the program can print, stored to be read
.PHONY: update-messages
update-messages:
	srcdir='$(srcdir)' bash $(srcdir)/tests/unit/messages.sh --update
