# SPDX-License-Identifier: GPL-2.0-or-later
#
# The commands that a document shows, one record a line: "FILE:LINE<TAB>block<TAB>TEXT" of each block of code
# (fenced, indented, or in a page between .nf and .fi; where it has prompts, the lines behind them alone), and
# "FILE:LINE<TAB>inline<TAB>TEXT" of what stands between backquotes. Ends of lines in TEXT are \001.

function put(kind, text) {
	if (text ~ /[^ \001]/)
		print name ":" start "\t" kind "\t" text
}

function end_block() {
	if (in_block && language !~ /^(python|sql)$/)
		put("block", prompts ? commands : block)
	in_block = prompts = 0
	block = commands = ""
}

function take(line) {
	if (line ~ /^[a-z]*[$#] /) {
		sub(/^[a-z]*[$#] /, "", line)
		commands = commands line "\001"
		prompts = 1
	}
	block = block line "\001"
}

function end_paragraph(    n, parts, i) {
	n = split(paragraph, parts, "`")
	for (i = 2; i <= n; i += 2)
		put("inline", parts[i])
	paragraph = ""
}

FNR == 1 { end_block(); end_paragraph(); indented = 0; name = FILENAME; page = name ~ /\.in$/ }

page && /^\.nf/ { in_block = 1; start = FNR; language = ""; next }
page && /^\.fi/ { if (!prompts) block = ""; end_block(); next }
page {
	if (in_block) {
		gsub(/\\-/, "-"); gsub(/\\\(ti/, "~"); gsub(/\\\[u2026\]/, "..."); gsub(/\\e/, "\\")
		take($0)
	}
	next
}

/^```/ && in_block { end_block(); next }
/^```/ { end_paragraph(); in_block = 1; start = FNR; language = substr($0, 4); next }
in_block && !indented { take($0); next }

/^    [^ ]/ && (indented || paragraph == "") {
	# a drawing is no command
	if (!indented && !/^    (\.\/|make |tests\/|iotracer )/)
		next
	if (!indented) { start = FNR; language = "" }
	in_block = indented = 1
	take(substr($0, 5))
	next
}
indented { end_block(); indented = 0 }

/^[ \t]*$/ { end_paragraph(); next }
{
	if (paragraph == "")
		start = FNR
	paragraph = paragraph (paragraph == "" ? "" : " ") $0
}
END { end_block(); end_paragraph() }
