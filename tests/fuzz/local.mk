# SPDX-License-Identifier: GPL-2.0-or-later
# Bytes from outside: `make fuzz` has libFuzzer (clang) look for those that break a parser, for FUZZ_SECONDS (10) each;
# tests/unit/check_fuzz reads what is stored, with the compiler of the build. FUZZ=NAME: one target.
EXTRA_DIST += tests/fuzz/corpus tests/fuzz/fuzz.mk tests/fuzz/fuzz_main.c tests/fuzz/run tests/fuzz/targets.def

fuzz_sources = \
	tests/fuzz/fuzz.c \
	tests/fuzz/fuzz_btf.c \
	tests/fuzz/fuzz_code.c \
	tests/fuzz/fuzz_conf.c \
	tests/fuzz/fuzz_containers.c \
	tests/fuzz/fuzz_exec.c \
	tests/fuzz/fuzz_fio.c \
	tests/fuzz/fuzz_host.c \
	tests/fuzz/fuzz_image.c \
	tests/fuzz/fuzz_layout.c \
	tests/fuzz/fuzz_options.c \
	tests/fuzz/fuzz_proc.c \
	tests/fuzz/fuzz_readers.c \
	tests/fuzz/fuzz_records.c \
	tests/fuzz/fuzz_rows.c \
	tests/fuzz/fuzz_spec.c \
	tests/fuzz/fuzz_untar.c \
	tests/fuzz/fuzz_verify.c
tests_unit_check_fuzz_SOURCES = tests/unit/check_fuzz.c tests/fuzz/fuzz.h $(fuzz_sources)

.PHONY: fuzz
fuzz: $(BUILT_SOURCES) config.h
	@$(MAKE) -f $(srcdir)/tests/fuzz/fuzz.mk tests/fuzz/build/fuzz
	@$(AM_TESTS_ENVIRONMENT) $(srcdir)/tests/fuzz/run $(FUZZ)
clean-local-fuzz:
	rm -rf tests/fuzz/build
clean-local: clean-local-fuzz
.PHONY: clean-local-fuzz
