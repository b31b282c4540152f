/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the scenarios of conform_pages share. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct file {
	const char *path;
	int fd;
	uint64_t size;
	uint64_t pages;
};

extern uint64_t page_size;

/* Ends the program when it does not hold. */
void must(bool ok, const char *what);
uint64_t number(const char *text);
/* One line of what is told */
void put(const char *key, uint64_t value);
/* Tells which file that is, too. */
struct file open_file(const char *path, int flags);
/* The first pages */
char *map(const struct file *file, uint64_t n, int protection, int flags);

/* FILE WAY STRIDE [normal]: by a child; MADV_RANDOM, or none */
void fault(char **args);
