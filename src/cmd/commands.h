/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The commands, as main() calls them: argv[0] is the command's name, the result the exit status. */
#ifndef IOT_COMMANDS_H
#define IOT_COMMANDS_H

#include "base/status.h"

int record_command(int argc, char **argv);
int build_command(int argc, char **argv);
int doctor_command(int argc, char **argv);
int snapshot_command(int argc, char **argv);

#endif
