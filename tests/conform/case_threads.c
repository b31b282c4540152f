/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cases of threads that do not share their descriptors or directories with the others of their process. */
#include "conform/case_paths.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

static struct file f, g;
static sem_t main_turn, thread_turn;

static void as_this_thread(void)
{
	expect_as(getpid(), (pid_t)syscall(SYS_gettid));
}

/* The thread goes on with the rest when it is told to. */
static void give_turn(void)
{
	settle();
	expect_as(0, 0);
	sem_post(&main_turn);
	sem_wait(&thread_turn);
	as_this_thread();
}

static void take_turn(void)
{
	sem_wait(&main_turn);
}

static void in_thread(pthread_t *thread, void *(*fn)(void *))
{
	must(!sem_init(&main_turn, 0, 0) && !sem_init(&thread_turn, 0, 0), "sem_init");
	must(!pthread_create(thread, NULL, fn, NULL), "thread");
	take_turn();
}

static void end_thread(pthread_t thread)
{
	settle();
	sem_post(&thread_turn);
	pthread_join(thread, NULL);
	expect_as(0, 0);
}

/* The number of f is another file's here. */
static void use_own_descriptors(void)
{
	must(!close(f.fd), "close");
	settle();
	open_file(&g, "own", O_RDWR | O_CREAT);
	must(g.fd == f.fd, "the lowest number");
	expect("WRITE", &g, 3, 0, write(g.fd, buf, 3));
}

static void go_on_with_own(void)
{
	give_turn();
	expect("WRITE", &g, 4, 3, write(g.fd, buf, 4));
	close_file(&g);
}

static void *unshare_files(void *arg)
{
	as_this_thread();
	must(!unshare(CLONE_FILES), "unshare");
	use_own_descriptors();
	go_on_with_own();
	return arg;
}

static void use_descriptors(pthread_t thread)
{
	expect("WRITE", &f, 5, 0, write(f.fd, buf, 5));
	end_thread(thread);
	expect("WRITE", &f, 6, 5, write(f.fd, buf, 6));
	close_file(&f);
}

/* Tier b does not follow who shares what: it tells of a CLOSE too many, of files that it knows. */
static bool not_followed(void)
{
	if (tier == TIER_B)
		skip("tier b counts the descriptors of a process, not of its threads");
	return tier == TIER_B;
}

static void own_descriptors(void)
{
	pthread_t thread;

	if (not_followed())
		return;
	open_file(&f, "f", O_RDWR | O_CREAT);
	settle();
	in_thread(&thread, unshare_files);
	use_descriptors(thread);
}

static void *unshare_directories(void *arg)
{
	as_this_thread();
	must(!unshare(CLONE_FS), "unshare");
	enter(at("d"), NULL);
	make_dir("one", at("d/one"));
	give_turn();
	make_dir("three", at("d/three"));
	return arg;
}

static void own_directory(void)
{
	pthread_t thread;

	make_dir(at("d"), NULL);
	make_dir(at("e"), NULL);
	enter(at(""), NULL);
	settle();
	in_thread(&thread, unshare_directories);
	make_dir("two", at("two"));
	enter("e", at("e"));
	make_dir("four", at("e/four"));
	end_thread(thread);
	make_dir("five", at("e/five"));
}

/* ---- made so by clone ---- */

static char stack[1 << 16] __attribute__((aligned(16)));

static int cloned(void *arg)
{
	as_this_thread();
	use_own_descriptors();
	enter(at("d"), NULL);
	make_dir("six", at("d/six"));
	go_on_with_own();
	expect_as(0, 0);
	sem_post(&main_turn);
	/* not exit(): the process stays */
	syscall(SYS_exit, 0);
	return arg != NULL;
}

static void cloned_apart(void)
{
	/* libraries share everything; what this one uses of them is no more than settle() and the rows */
	const int flags = CLONE_VM | CLONE_THREAD | CLONE_SIGHAND | CLONE_SYSVSEM;

	if (not_followed())
		return;
	make_dir(at("d"), NULL);
	enter(at(""), NULL);
	open_file(&f, "f", O_RDWR | O_CREAT);
	settle();
	must(!sem_init(&main_turn, 0, 0) && !sem_init(&thread_turn, 0, 0), "sem_init");
	must(clone(cloned, stack + sizeof(stack), flags, NULL) > 0, "clone");
	take_turn();
	expect("WRITE", &f, 5, 0, write(f.fd, buf, 5));
	make_dir("seven", at("seven"));
	settle();
	sem_post(&thread_turn);
	take_turn();
	make_dir("eight", at("eight"));
	expect("WRITE", &f, 6, 5, write(f.fd, buf, 6));
	close_file(&f);
}

/* ---- another namespace ---- */

static void work_after_setns(void *arg)
{
	int before = open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);

	(void)arg;
	if (unshare(CLONE_NEWNS) || chdir(at("d")) || mkdir("one", 0700) ||
	    setns(before, CLONE_NEWNS))
		_exit(1);
	settle();
	if (rmdir("one") == 0 || chdir(at("e")) || mkdir("two", 0700))
		_exit(1);
	stay_to_be_seen();
}

/* setns leads to the root of the namespace: rmdir looked for /one, which is not below this directory. */
static void joined_namespace(void)
{
	if (geteuid() != 0) {
		skip("setns needs root");
		return;
	}
	make_dir(at("d"), NULL);
	make_dir(at("e"), NULL);
	settle();
	expect_as(in_child(work_after_setns, NULL), 0);
	expect_named("CHDIR", at("d"), NULL, NULL, 0);
	expect_named("MKDIR", at("d/one"), NULL, mode_names(0700), 0);
	errno = ENOENT;
	expect_path("RMDIR", "/one", NULL, -1);
	expect_path("CHDIR", at("e"), NULL, 0);
	expect_path("MKDIR", at("e/two"), mode_names(0700), 0);
}

const struct conform_case thread_cases[] = {
	{ "own_descriptors", own_descriptors },
	{ "own_directory", own_directory },
	{ "cloned_apart", cloned_apart },
	{ "joined_namespace", joined_namespace },
	{ 0 },
};
