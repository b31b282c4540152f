/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Only libbcc's ring buffer macro, which needs Linux 5.8, asks for the page
 * size; it is left out so that such a use fails to compile instead of guessing.
 */
