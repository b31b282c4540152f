/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A made-up /proc: processes with descriptors that link to real files. */
#ifndef IO_TESTS_FIXTURE_PROC_H
#define IO_TESTS_FIXTURE_PROC_H

#include <stdint.h>
#include <sys/stat.h>

/* A new root; procfs reads it until fixture_proc_close. */
void fixture_proc_open(void);
void fixture_proc_close(void);

/* A process with its stat line, working directory and mount namespace file. */
void fixture_process(uint32_t tgid, uint32_t ppid, const char *name);
void fixture_process_gone(uint32_t tgid);

/* A regular file below the root, made on demand: its absolute path, valid for a few calls. */
const char *fixture_file(const char *name);
void fixture_file_stat(const char *name, struct stat *st);
uint32_t fixture_dev(const struct stat *st); /* the kernel's form */

/* Descriptor fd of tgid leads to target (an absolute path, or a name for what is no file). */
void fixture_fd(uint32_t tgid, int fd, const char *target, int64_t pos, uint32_t flags);
/* Descriptor fd is no file of a disk (a FIFO stands for a socket), of the inode number that is given back. */
void fixture_socket(uint32_t tgid, int fd, struct stat *st);
void fixture_fd_closed(uint32_t tgid, int fd);
void fixture_cwd(uint32_t tgid, const char *target);

/* A table of mounts in place of this machine's, until it is closed. */
void fixture_mounts_open(const char *mountinfo);
void fixture_mounts_close(void);

/* A line of /proc/PID/net/tcp, tcp6, udp or udp6. */
struct socket_line {
	int family;
	const char *local;  /* as inet_pton reads it */
	unsigned local_port;
	const char *remote;
	unsigned remote_port;
	unsigned long ino;
};
const char *socket_line_text(const struct socket_line *line); /* valid until the next call */
/* A table of sockets with its header, in the namespace of the process */
void fixture_socket_table(uint32_t tgid, const char *name, const char *lines);

/* Any other file below the root of /proc. */
void fixture_proc_text(uint32_t tgid, const char *name, const char *text);

#endif
