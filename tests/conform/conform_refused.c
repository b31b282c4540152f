/* SPDX-License-Identifier: GPL-2.0-or-later */
/* conform_refused: calls that a filter of its own refuses, and one that fails by itself. */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int forbid(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mkdirat, 4, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_unlinkat, 3, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fsync, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(void)
{
	static char made[] = "refused/new", gone[] = "gone", dir[] = "dir", opened[] = "opened";

	if (forbid())
		return 77;
	/* the texts are there, as they are written to */
	made[8] = 'N';
	syscall(SYS_mkdirat, AT_FDCWD, made, 0750);
	syscall(SYS_unlinkat, AT_FDCWD, gone, 0);
	syscall(SYS_unlinkat, AT_FDCWD, dir, AT_REMOVEDIR);
	syscall(SYS_openat, AT_FDCWD, opened, O_RDWR | O_CREAT, 0600);
	syscall(SYS_fsync, STDOUT_FILENO);
	return syscall(SYS_faccessat, AT_FDCWD, "none", 0) == 0;
}
