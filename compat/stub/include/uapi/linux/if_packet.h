/* SPDX-License-Identifier: GPL-2.0-or-later */
/* libbcc includes this file and uses nothing of it. */
