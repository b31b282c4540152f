# SPDX-License-Identifier: GPL-2.0-or-later
# `make fuzz` calls it: the objects of clang's are beside those of the build. With GNU make's functions, of which
# automake would complain.
include Makefile
CLANG ?= clang
# Without pointer-overflow: clang's says that NULL + 0 is one
fuzz_flags = -g -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined \
	-fno-sanitize=pointer-overflow
fuzz_objects = $(patsubst %.c,tests/fuzz/build/%.o,$(filter %.c,$(libiotracer_a_SOURCES) $(nodist_libiotracer_a_SOURCES) \
	src/cmd/version_text.c $(fuzz_sources) tests/fuzz/fuzz_main.c))
fuzz_libs = $(LIBELF_LIBS) $(ZLIB_LIBS) $(JANSSON_LIBS) $(SQLITE_LIBS) $(CRYPTO_LIBS) $(ZSTD_LIBS) $(NCURSESW_LIBS) $(LIBS)

tests/fuzz/build/fuzz: $(fuzz_objects)
	$(AM_V_CCLD)$(CLANG) $(fuzz_flags) -fsanitize=fuzzer -o $@ $^ $(fuzz_libs)

tests/fuzz/build/%.o: %.c
	@$(MKDIR_P) $(@D)
	$(AM_V_CC)$(CLANG) -I. $(AM_CPPFLAGS) $(fuzz_flags) -fsanitize=fuzzer-no-link -MMD -MP -c -o $@ $<

-include $(fuzz_objects:.o=.d)
VPATH = $(srcdir)
