#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Every command line that README, doc, the manual and --help show is one that works: iotracer's own parser
# takes all of its options and values (nothing is recorded, --help comes last), configure knows its options,
# the makefile its targets, and scripts are there. bash reads the lines, with functions in place of programs;
# other programs are not run. tests/live/shown.sh runs those that need root or a recording.
srcdir=$(cd "${srcdir:-.}" && pwd -P) || exit 1
builddir=$(cd "${builddir:-.}" && pwd -P) || exit 1
export srcdir builddir
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
export tools=$PATH found=$tmp/found
: >"$found"
commands=$("$builddir/iotracer" --help | sed -n 's/^  \([a-z]*\) .*/\1/p')
for command in $commands; do
	"$builddir/iotracer" "$command" --help=all 2>/dev/null || "$builddir/iotracer" "$command" --help
done >"$tmp/help"
"$srcdir/configure" --help >"$tmp/configure"
export commands

cat >"$tmp/programs.sh" <<'END'
# shellcheck shell=bash disable=SC2317 # called by the lines of documents
bad() { echo "FAIL: $place: $*" >>"$found"; }

# Its parser looks at all words up to the help that is asked for last.
iotracer()
{
	local words=() word said

	echo x >>"$found.n"
	[ "$*" != --version ] || return 0
	for word; do
		case $word in
		--) break ;;
		postgres) word=bash ;; # one that runs
		...) continue ;;
		esac
		words+=("$word")
	done
	said=$(PATH=$tools timeout 20 "$builddir/iotracer" "${words[@]}" --help --help 2>&1) && [[ $said == usage:* ]] && return
	# an option in a sentence may stand without its argument, and then takes the word behind it for one
	[[ $inline && $said == *"'--help'"* ]] || bad "iotracer $*: ${said##*iotracer: }"
}

make()
{
	local word

	echo x >>"$found.n"
	for word; do
		case $word in
		-* | *=* | modules) ;;
		*) PATH=$tools grep -qE "^([^#=]* )?${word//./\\.}(\\\$.EXEEXT.)?( [^=]*)?:" "$builddir/Makefile" || bad "make $word: no such target" ;;
		esac
	done
}
command_not_found_handle() { :; }
END

# Programs of the tree, by their paths: they are there, and configure has the option
program()
{
	printf '#!/bin/bash\n%s\n' "$2" >"$tmp/tree/$1"
	chmod +x "$tmp/tree/$1"
}
mkdir "$tmp/tree" && (cd "$srcdir" && find tests .ci -type d) | (cd "$tmp/tree" && xargs mkdir -p)
program autogen.sh ''
# shellcheck disable=SC2016 # expanded when it runs
program configure 'PATH=$tools; for word; do
	grep -q -e "^  ${word%%=*}\b" "$found.configure" || grep -q -e "| ${word%%=*} |" "$srcdir/configure" ||
		echo "FAIL: $place: configure $word: no such option" >>"$found"
done'
cp "$tmp/configure" "$found.configure"
(cd "$srcdir" && find tests .ci -type f -perm -100) | while read -r file; do
	program "$file" ''
done
for suite in "$srcdir"/tests/unit/check_*.c; do # built when they are asked for
	suite=${suite##*/}
	program "tests/unit/${suite%.c}" ''
done

# try PLACE KIND TEXT
try()
{
	local text=${3//$'\001'/$'\n'} status

	bash -n <<<"$text" 2>"$tmp/said" || { echo "FAIL: $1: $(head -1 "$tmp/said")" >>"$found"; return; }
	(
		cd "$tmp/tree" || exit
		export place=$1 inline=
		[ "$2" = block ] || inline=1
		printf '. %q\n%s\n' "$tmp/programs.sh" "$text" >"$tmp/lines"
		PATH=/nowhere HOME=$tmp/tree "$BASH" "$tmp/lines" </dev/null >/dev/null 2>"$tmp/said"
	)
	status=$?
	[ $status -lt 126 ] && ! grep -q 'No such file' "$tmp/said" || echo "FAIL: $1: $(head -1 "$tmp/said")" >>"$found"
}

# What a sentence names: a command line, or options of whatever command
try_inline()
{
	local first=${2%% *} word

	case " ${commands//$'\n'/ } " in
	*" $first "*) [ "$first" = "$2" ] || try "$1" inline "iotracer $2"; return ;;
	esac
	case $2 in
	'iotracer '* | 'make '* | ./configure* | *=*' make '*) try "$1" inline "$2" ;;
	--[a-z]*)
		word=$(grep -oE '^--[a-z-]+' <<<"$2")
		grep -qE -- "$word\b" "$tmp/help" "$tmp/configure" || grep -qrF -- "$word" "$srcdir"/tests/vm "$srcdir"/tests/bench/run "$srcdir"/.ci ||
			echo "FAIL: $1: $word: no option of anything" >>"$found"
		;;
	esac
}

# all PROGRAM-OUTPUT: of shown.awk
all()
{
	while IFS=$'\t' read -r place kind text; do
		if [ "$kind" = block ]; then
			try "$place" block "$text"
		else
			try_inline "$place" "$text"
		fi
	done
}

# The test finds what is wrong
planted()
{
	printf '%b' "$1" >"$tmp/planted.md"
	: >"$found"
	awk -f "$srcdir/tests/unit/shown.awk" "$tmp/planted.md" | all
	[ -s "$found" ] || { echo "FAIL: not refused: $1"; exit 1; }
}
planted '```sh\niotracer files DIR --no-such\n```\n'
planted '```sh\ntrue && iotracer record -o DIR --min-latency soon -- ls\n```\n'
planted '```\n$ iotracer nothing DIR\n```\n'
planted 'See `iotracer\nreport DIR --sektion files`.\n'
planted 'It is `--no-such-option` that does it.\n'
planted '```sh\n./configure --without-sense && make\n```\n'
planted '    make no-such-target\n'
planted '```sh\ntests/vm/no-such.sh 6.1\n```\n'
planted '```sh\nif iotracer doctor\n```\n'
: >"$found"
: >"$found.n"

cd "$srcdir" || exit 1
awk -f tests/unit/shown.awk README.md CONTRIBUTING.md SECURITY.md NEWS doc/*.md tests/vm/README.md iotracer.8.in iotracer-streams.5.in |
	awk -F'\t' '$2 == "block" || !seen[$3]++' >"$tmp/shown"
for command in $commands; do
	printf '%s --help\tblock\t%s\n' "$command" "$("$builddir/iotracer" "$command" --help | sed -n 's/^example: //p')"
done >>"$tmp/shown"
all <"$tmp/shown"
n=$(wc -l <"$found.n")
[ "$n" -ge 100 ] || echo "FAIL: only $n command lines found" >>"$found"
sort -u "$found"
[ ! -s "$found" ] || exit 1
echo "PASS: $n command lines"
