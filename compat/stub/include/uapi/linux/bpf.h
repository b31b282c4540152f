/* SPDX-License-Identifier: GPL-2.0-or-later */
/* libbcc brings its own copy of the real one, included before this. */
