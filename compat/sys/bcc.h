/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libbcc's C interface as one shape: of the functions that a compiler needs,
 * one changed its arguments between 0.5 and 0.37, and one header its name.
 * BCC_CREATE_ARITY is probed by configure, since no version can be asked for
 * at run time and distributions backport.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#ifdef HAVE_BCC_BCC_COMMON_H
#include <bcc/bcc_common.h> /* 0.9 and later */
#else
#include <bcc/bpf_common.h>
#endif
#ifdef HAVE_BCC_BCC_VERSION_H
#include <bcc/bcc_version.h> /* 0.16 and later */
#endif

#ifndef LIBBCC_VERSION
#define LIBBCC_VERSION ""
#endif

static inline void *bcc_compile(const char *text, const char **cflags, int n_cflags)
{
#if BCC_CREATE_ARITY == 4
	return bpf_module_create_c_from_string(text, 0, cflags, n_cflags);
#elif BCC_CREATE_ARITY == 5
	return bpf_module_create_c_from_string(text, 0, cflags, n_cflags, true);
#elif BCC_CREATE_ARITY == 6
	return bpf_module_create_c_from_string(text, 0, cflags, n_cflags, true, NULL);
#else
#error "BCC_CREATE_ARITY is not one of 4, 5, 6: configure probes it"
#endif
}
