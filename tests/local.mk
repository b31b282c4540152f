# SPDX-License-Identifier: GPL-2.0-or-later
# The tests: Check suites, where Check is installed, and scripts on the machine
# itself. Exit 77 is a skip, with its reason in the log.

LIVE_TESTS =
TESTS = $(LIVE_TESTS)
EXTRA_DIST = tests/cut-host tests/hosts $(LIVE_TESTS)

# Every suite is one file with a main of its own; suites that need nothing but
# Check and what is tested are one name here.
suites = \
	tests/check_attach tests/check_cache tests/check_child tests/check_compile \
	tests/check_doctor tests/check_drain tests/check_finish tests/check_format \
	tests/check_headers tests/check_image tests/check_kernel tests/check_ledger \
	tests/check_load tests/check_log tests/check_manifest tests/check_names \
	tests/check_options tests/check_order tests/check_path tests/check_plan \
	tests/check_rows tests/check_rules tests/check_saved tests/check_schema \
	tests/check_segment tests/check_write

check_PROGRAMS = tests/verify
check_LIBRARIES =
tests_verify_SOURCES = tests/verify.c tests/rules.c tests/rules.h
tests_verify_LDADD = $(tracer_libs)

if HAVE_CHECK
check_PROGRAMS += $(suites)
TESTS += $(suites)
check_LIBRARIES += tests/libfixtures.a
AM_CPPFLAGS += $(CHECK_CFLAGS)
endif

# What several suites share; each takes from it what it calls.
tests_libfixtures_a_SOURCES = \
	tests/counter.c tests/counter.h tests/fixture_csv.c tests/fixture_csv.h \
	tests/fixture_proc.c tests/fixture_proc.h tests/host_fixture.c tests/host_fixture.h \
	tests/rules.c tests/rules.h tests/session.c tests/session.h
LDADD = tests/libfixtures.a $(tracer_libs) $(CHECK_LIBS)

# Suites find their fixtures, and scripts the programs, by these.
AM_TESTS_ENVIRONMENT = \
	srcdir='$(abs_top_srcdir)'; export srcdir; \
	IOTRACER='$(abs_builddir)/iotracer'; export IOTRACER; \
	IOTRACER_BCC='$(abs_builddir)/iotracer-bcc'; export IOTRACER_BCC; \
	IOTRACER_STUB='$(abs_top_srcdir)/compat/stub'; export IOTRACER_STUB;
