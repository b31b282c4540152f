/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the texts use of kernel headers beside structures, for hosts whose layout
 * is known from BTF or was learned: types and constants that have been the same
 * from 4.14 to 7.3. What differs between kernels is in compat/layout/layout.def, between machines in
 * probes/arch.
 */
typedef unsigned short umode_t;
typedef u32 dev_t;
typedef unsigned int fmode_t;
typedef s64 loff_t;
typedef u64 sector_t;
typedef unsigned long pgoff_t;
typedef unsigned int vm_fault_t;
#define __user
#define IOT_LAYOUT 1

#define offsetof(type, member) __builtin_offsetof(type, member)
#define PAGE_SHIFT IOT_PAGE_SHIFT
#define PAGE_SIZE (1UL << PAGE_SHIFT)
#define AT_FDCWD -100
#define O_APPEND 02000
#define S_IFMT 0170000
#define S_ISREG(m) (((m) & S_IFMT) == 0100000)
#define S_ISDIR(m) (((m) & S_IFMT) == 0040000)
#define S_ISLNK(m) (((m) & S_IFMT) == 0120000)
#define S_ISBLK(m) (((m) & S_IFMT) == 0060000)
#define S_ISSOCK(m) (((m) & S_IFMT) == 0140000)
#define PF_KTHREAD 0x00200000
#define PF_WQ_WORKER 0x00000020
#define PF_EXITING 0x00000004
#define PF_IO_WORKER 0x00000010
#define EBADF 9
#define EINVAL 22
#define EOPNOTSUPP 95
#define EINPROGRESS 115
#define EIOCBQUEUED 529
#define MAP_FIXED 0x10
#define MAP_ANONYMOUS 0x20
#define FAULT_FLAG_WRITE 0x01
#define FAULT_FLAG_TRIED 0x20
#define VM_FAULT_MAJOR 0x0004
#define VM_FAULT_RETRY 0x0400
#define VM_FAULT_ERROR 0x0873
#define TCP_NEW_SYN_RECV 12
