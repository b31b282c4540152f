/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kinds of types in BTF. */
#pragma once

/* Kinds as in include/uapi/linux/btf.h */
enum btf_kind {
	BTF_VOID,
	BTF_INT,
	BTF_PTR,
	BTF_ARRAY,
	BTF_STRUCT,
	BTF_UNION,
	BTF_ENUM,
	BTF_FWD,
	BTF_TYPEDEF,
	BTF_VOLATILE,
	BTF_CONST,
	BTF_RESTRICT,
	BTF_FUNC,
	BTF_FUNC_PROTO,
	BTF_VAR,
	BTF_DATASEC,
	BTF_FLOAT,
	BTF_DECL_TAG,
	BTF_TYPE_TAG,
	BTF_ENUM64,
	BTF_N_KINDS
};
