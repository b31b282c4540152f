/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Exit statuses of every command. */
#pragma once

enum {
	STATUS_OK,
	STATUS_FAILED, /* could not trace, could not read */
	STATUS_USAGE,
	STATUS_FOUND, /* what --fail-on names was found */
};
