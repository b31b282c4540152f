# SPDX-License-Identifier: GPL-2.0-or-later
#
# Prints every string of C files that reads like words: literals that stand together as one, those
# with at least two words, each once a file.

function flush_string() {
	if (have && text !~ /^(#|struct |\\t)/ && !seen[name, text]++ && text ~ /[A-Za-z][a-z'-]+[,:;]? [^ ]*[a-z%]/)
		print name ": " text
	have = 0
	text = ""
}

function scan(line,    c) {
	while (line != "") {
		c = substr(line, 1, 1)
		if (in_comment) {
			if (!(c = index(line, "*/")))
				return
			line = substr(line, c + 2)
			in_comment = 0
		} else if (substr(line, 1, 2) == "/*") {
			line = substr(line, 3)
			in_comment = 1
		} else if (c == "\"") {
			match(line, /^"([^"\\]|\\.)*"/)
			text = text substr(line, 2, RLENGTH - 2)
			have = 1
			line = substr(line, RLENGTH + 1)
		} else if (c == "'") {
			flush_string()
			match(line, /^'([^'\\]|\\.)*'/)
			line = substr(line, RLENGTH + 1)
		} else if (have && line ~ /^ *PRI[a-zA-Z0-9]+/) {
			match(line, /^ *PRI[a-zA-Z0-9]+/)
			text = text "..."
			line = substr(line, RLENGTH + 1)
		} else {
			if (c !~ /[ \t\\]/)
				flush_string()
			line = substr(line, 2)
		}
	}
}

FNR == 1 {
	flush_string()
	name = FILENAME
	in_comment = 0
}
/^#[ \t]*include/ { next }
{ scan($0) }
END { flush_string() }
