/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of what the BPF texts read: as text and back, as C that a compiler
 * lays out as the table says, and its answers to the facts of kernel.def.
 */
#include "compat/layout/layout.h"

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fixture/host_fixture.h"

static struct layout layout;

/* Part of what 6.18 has; members overlap and lie out of order on purpose. */
static const char sample[] = "type qstr 16\n"
			     "type dentry 192\n"
			     "type super_block 1472\n"
			     "type page 64\n"
			     "type proto 448\n"
			     "member qstr.name 8 8 0\n"
			     "member dentry.d_parent 24 8 0\n"
			     "member dentry.d_name 32 16 0\n"
			     "member super_block.s_dev 16 4 0\n"
			     "member page.flags 0 8 0\n"
			     "member page.mapping 24 8 0\n"
			     "member page.compound_head 8 8 0\n"
			     "member proto.name 392 32 0\n"
			     "member proto.recvmsg 112 8 0 int (*recvmsg)(struct sock *, int)\n"
			     "call vfs_unlink int vfs_unlink(struct mnt_idmap *, struct inode *)\n"
			     "word vm_fault_t\n"
			     "word PG_head 6\n"
			     "word REQ_OP_DISCARD 3\n"
			     "flag REQ_SYNC 11\n";

static char *written(const struct layout *what)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	layout_write(what, out);
	fclose(out);
	return text;
}

static void read_sample(void)
{
	unsigned line;

	ck_assert_int_eq(layout_read(&layout, sample, &line), 0);
}

START_TEST(text_is_read_back_as_written)
{
	char *text;

	read_sample();
	text = written(&layout);
	ck_assert_str_eq(text, sample);
	free(text);
}
END_TEST

START_TEST(unknown_names_are_of_another_version)
{
	unsigned line;

	ck_assert_int_eq(layout_read(&layout, "type nothing 8\nmember a.b 1 2 0\nnew x\n", &line),
			 0);
	ck_assert(!layout_has_type(&layout, "nothing") && !layout_has_member(&layout, "a", "b"));
}
END_TEST

static const char *const bad_lines[] = {
	"type dentry\n",
	"type dentry many\n",
	"type dentry 99999999\n",
	"member dentry.d_name 1 2\n",
	"member dentry.d_name 5000000 8 0\n",
	"member proto.recvmsg 112 8 0 int x; system(\"\")\n",
	"member proto.recvmsg 112 8 0\n",
	"call vfs_unlink int f() { return 0; }\n",
	"word PG_head six\n",
	"flag REQ_SYNC 64\n",
	"flag REQ;SYNC 1\n",
	"flag ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJKLMNOPQRSTUVWXYZ 1\n",
};

START_TEST(a_bad_line_is_named)
{
	char text[256];
	unsigned line;

	snprintf(text, sizeof(text), "type qstr 16\n%stype page 64\n", bad_lines[_i]);
	ck_assert_int_eq(layout_read(&layout, text, &line), -EINVAL);
	ck_assert_uint_eq(line, 2);
}
END_TEST

START_TEST(questions_are_answered_by_name)
{
	read_sample();
	ck_assert(layout_has_type(&layout, "dentry") && !layout_has_type(&layout, "inode"));
	ck_assert(layout_has_member(&layout, "page", "mapping"));
	ck_assert(!layout_has_member(&layout, "page", "index"));
	ck_assert(layout_has_word(&layout, "vm_fault_t") && layout_has_word(&layout, "PG_head"));
	ck_assert(!layout_has_word(&layout, "REQ_OP_SCSI_IN"));
	ck_assert_str_eq(layout_member_name(LAYOUT_page_mapping), "page.mapping");
}
END_TEST

static void put_assertions(const struct layout *what, FILE *out)
{
	for (int i = 0; i < LAYOUT_N_MEMBERS; i++) {
		const char *name = layout_member_name(i), *dot = strchr(name, '.');
		const struct layout_member *m = &what->members[i];

		if (!m->known)
			continue;
		fprintf(out, "_Static_assert(__builtin_offsetof(struct %.*s, %s) == %u, \"\");\n",
			(int)(dot - name), name, dot + 1, m->offset);
		fprintf(out, "_Static_assert(sizeof(((struct %.*s *)0)->%s) == %u, \"\");\n",
			(int)(dot - name), name, dot + 1, m->size);
	}
}

/* Compiles the text with what stands in for kernel headers. */
static int compile(const struct layout *what, const char *more)
{
	char *dir = fixture_make(), command[600];
	FILE *out;
	int status;

	snprintf(command, sizeof(command), "%.400s/x.c", dir);
	out = fopen(command, "w");
	ck_assert(out != NULL);
	fprintf(out,
		"typedef unsigned char u8; typedef unsigned short u16; typedef unsigned int u32;"
		"typedef unsigned long long u64; typedef signed char s8; typedef short s16;"
		"typedef int s32; typedef long long s64;\n");
	layout_put_source(what, out);
	put_assertions(what, out);
	fputs(more, out);
	ck_assert_int_eq(fclose(out), 0);
	snprintf(command, sizeof(command),
		 "${CC:-cc} -std=gnu11 -Wall -Werror -fsyntax-only %.400s/x.c", dir);
	status = system(command);
	fixture_remove(dir);
	return status;
}

static bool have_compiler(void)
{
	bool have = system("${CC:-cc} --version >/dev/null 2>&1") == 0;

	if (!have)
		fprintf(stderr, "no C compiler to try the text with\n");
	return have;
}

START_TEST(a_compiler_lays_it_out_as_the_table_says)
{
	if (!have_compiler())
		return;
	read_sample();
	ck_assert_int_eq(
		compile(&layout,
			"_Static_assert(sizeof(struct page) == 64 && sizeof(struct dentry) == 192, \"\");\n"
			"_Static_assert(PG_head == 6 && REQ_SYNC == 1 << 11, \"\");\n"
			"_Static_assert(__builtin_types_compatible_p(__typeof__(vfs_unlink),"
			" int(struct mnt_idmap *, struct inode *)), \"\");\n"
			"_Static_assert(__builtin_types_compatible_p("
			"__typeof__(((struct proto *)0)->recvmsg), int (*)(struct sock *, int)), \"\");\n"),
		0);
	/* and a compiler that finds no fault with anything would prove nothing */
	ck_assert_int_ne(compile(&layout, "_Static_assert(PG_head == 7, \"\");\n"), 0);
}
END_TEST

static char *read_btf(size_t *size)
{
	FILE *in = fopen("/sys/kernel/btf/vmlinux", "r");
	char *data;

	if (!in) {
		fprintf(stderr, "this kernel has no BTF\n");
		return NULL;
	}
	data = malloc(64u << 20);
	ck_assert(data != NULL);
	*size = fread(data, 1, 64u << 20, in);
	fclose(in);
	return data;
}

START_TEST(the_running_kernels_btf_has_what_the_texts_read)
{
	static const struct {
		const char *tag, *member;
	} needed[] = {
		{ "file", "f_inode" },    { "file", "f_pos" },          { "inode", "i_ino" },
		{ "dentry", "d_parent" }, { "super_block", "s_dev" },   { "task_struct", "files" },
		{ "fdtable", "fd" },      { "sock_common", "skc_num" }, { "sk_buff", "data" },
	};
	struct layout again;
	struct btf *btf;
	size_t size;
	char why[128], *data = read_btf(&size), *text;
	unsigned line;

	if (!data)
		return;
	btf = btf_open(data, size, NULL, why, sizeof(why));
	free(data);
	ck_assert_msg(btf != NULL, "%s", why);
	layout_from_btf(&layout, btf);
	btf_close(btf);
	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
		ck_assert_msg(layout_has_member(&layout, needed[i].tag, needed[i].member), "%s.%s",
			      needed[i].tag, needed[i].member);
	text = written(&layout);
	ck_assert_int_eq(layout_read(&again, text, &line), 0);
	ck_assert_mem_eq(&again, &layout, sizeof(layout));
	free(text);
	if (have_compiler())
		ck_assert_int_eq(compile(&layout, ""), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("layout");
	TCase *text = tcase_create("text");
	TCase *source = tcase_create("source");
	SRunner *runner;
	int failed;

	tcase_add_test(text, text_is_read_back_as_written);
	tcase_add_test(text, unknown_names_are_of_another_version);
	tcase_add_loop_test(text, a_bad_line_is_named, 0,
			    (int)(sizeof(bad_lines) / sizeof(bad_lines[0])));
	tcase_add_test(text, questions_are_answered_by_name);
	suite_add_tcase(suite, text);
	tcase_add_test(source, a_compiler_lays_it_out_as_the_table_says);
	tcase_add_test(source, the_running_kernels_btf_has_what_the_texts_read);
	tcase_set_timeout(source, 30);
	suite_add_tcase(suite, source);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
