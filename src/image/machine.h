/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The machines that programs can be made for: those that have a table in probes/arch. */
#pragma once

struct machine {
	const char *name; /* uname -m */
	const char *arch; /* its folder of arch/ in the kernel's source, by which libbcc knows it */
	const char *table, *code;
};

/* "": the machine that this is. Of one that is not known NULL, after an error message. */
const struct machine *machine_of(const char *name);
