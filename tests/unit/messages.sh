#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# messages.txt has every sentence that the program can print (messages, help, reasons, limits, the
# meaning of columns), to be read in one go. Compares it with the sources; --update writes it.
shopt -s extglob # probes_text.c is made of the BPF texts, completion.c is a script for bash
cd "${srcdir:-.}" || exit 1
stored=tests/unit/messages.txt

collect()
{
	LC_ALL=C awk -f tests/unit/messages.awk compat/*/*.[ch] compat/candidates/candidates_*.def probes/schema/*.def src/{,analysis/}*/!(probes_text|version_text|files_sql_text|report_page_text|completion).[ch]
}

if [ "${1-}" = --update ]; then
	collect >$stored
elif collect | diff $stored - >&2; then
	echo "PASS: $(wc -l <$stored) messages"
else
	echo "messages have changed: read them and run make update-messages" >&2
	exit 1
fi
