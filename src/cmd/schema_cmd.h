/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `iotracer schema`: the columns of every stream, for people or as JSON.
 */
#ifndef IOT_SCHEMA_CMD_H
#define IOT_SCHEMA_CMD_H

/* argv[0] is the command's own name. Returns the exit status: 0, 1 or 2. */
int schema_command(int argc, char **argv);

#endif
