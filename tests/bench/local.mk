# SPDX-License-Identifier: GPL-2.0-or-later
# What tracing costs: `make bench` (root, for most of it), never a part of `make check`.
# BENCH_FLAGS=--json prints the same as JSON; BENCH_LONG=1 traces a minute at the target's rate.
EXTRA_DIST += tests/bench/run tests/bench/insns tests/bench/insns.5.10 tests/bench/insns.6.12

EXTRA_PROGRAMS = tests/bench/load tests/bench/nets tests/bench/ops tests/bench/read tests/bench/rows tests/bench/switches
CLEANFILES += $(EXTRA_PROGRAMS)
tests_bench_load_SOURCES = tests/bench/load.c
tests_bench_load_LDADD =
tests_bench_ops_SOURCES = tests/bench/ops.c tests/bench/turns.c tests/bench/turns.h
tests_bench_ops_LDADD =
tests_bench_nets_SOURCES = tests/bench/nets.c tests/bench/turns.c tests/bench/turns.h
tests_bench_nets_LDADD =
tests_bench_switches_SOURCES = tests/bench/switches.c tests/bench/turns.c tests/bench/turns.h
tests_bench_switches_LDADD = -lpthread
tests_bench_read_SOURCES = tests/bench/read.c
tests_bench_read_LDADD = $(tracer_libs)
tests_bench_rows_SOURCES = tests/bench/rows.c
tests_bench_rows_LDADD = $(tracer_libs)

.PHONY: bench
bench: iotracer iotracer-bcc $(EXTRA_PROGRAMS)
	@$(AM_TESTS_ENVIRONMENT) \
	BENCH_PROGRAMS='$(abs_builddir)/tests/bench' $(srcdir)/tests/bench/run $(BENCH_FLAGS)

# Instructions instead of times: the same numbers on every machine. BENCH_FLAGS=--save stores them.
.PHONY: bench-insns
bench-insns: iotracer iotracer-bcc tests/bench/ops tests/bench/switches
	@$(srcdir)/tests/bench/insns $(BENCH_FLAGS) $(KERNELS)
