/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The opcode parts that libbcc's copy of bpf.h expects from its companion. */
#ifndef IOT_STUB_BPF_COMMON_H
#define IOT_STUB_BPF_COMMON_H

/* instruction classes */
#define BPF_LD 0x00
#define BPF_LDX 0x01
#define BPF_ST 0x02
#define BPF_STX 0x03
#define BPF_ALU 0x04
#define BPF_JMP 0x05

/* access sizes and modes */
#define BPF_W 0x00
#define BPF_H 0x08
#define BPF_B 0x10
#define BPF_IMM 0x00
#define BPF_MEM 0x60

#endif
