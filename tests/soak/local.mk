# SPDX-License-Identifier: GPL-2.0-or-later
# Random loads beside random faults, for SOAK_FLAGS="--seed N --minutes M" (an hour before a release).
EXTRA_DIST += \
	tests/soak/faults.py \
	tests/soak/invariants.py \
	tests/soak/loads.py \
	tests/soak/run \
	tests/soak/shim.c
# Preloaded into the tracer: no part of it
tests/soak/shim.so: tests/soak/shim.c
	$(AM_V_CCLD)$(MKDIR_P) $(@D) && $(CC) -shared -fPIC -O1 -D_GNU_SOURCE $(IOT_WARNINGS) -o $@ $(srcdir)/tests/soak/shim.c -ldl
CLEANFILES += tests/soak/shim.so
.PHONY: soak
soak: iotracer iotracer-bcc tests/bench/load tests/soak/shim.so $(check_PROGRAMS)
	@$(AM_TESTS_ENVIRONMENT) $(srcdir)/tests/soak/run $(SOAK_FLAGS)
