#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The command lines of iotracer in README and doc do what they are shown for: readers answer from a recording
# in place of DIR, BEFORE and AFTER, snapshots are taken, commands are recorded (true for COMMAND). Those that
# trace the whole machine, a process of the example or a terminal are left to tests/unit/shown.sh, which has
# the parser look at them, those of doc/QUESTIONS.md to questions.sh, those with fio's files to fio.sh.
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib-corpus.sh source-path=SCRIPTDIR
. "$tests_dir/live/lib-corpus.sh"

corpus everything || exit
mv everything recorded
cp -a recorded again
export IOTRACER tmp tools=$PATH
mkdir empty bin home
# the example of README writes there
[ -e /var/tmp/F ] || undo() { rm -f /var/tmp/F; }
for name in dd true; do
	ln -s "$(command -v $name)" "bin/$name"
done

cat >programs.sh <<'END'
# Words of the example are what this machine has; no word of the options is changed.
iotracer()
{
	local word words=() status

	case "$*" in
	*'-o DIR -d '* | *' -d 60' | *'-p '* | top* | 'record -o DIR -e layers'* | *' TREE '* | *'--image image'* | \
		'record -v'* | 'record -a'* | 'fio '* | *' -- fio '* | *'--against'* | *'--replay'*) echo "left: iotracer $*" >>"$tmp/run"; return ;;
	esac
	for word; do
		case $word in
		DIR)
			[[ " record snapshot " == *" $1 "* ]] && word=$tmp/out$((++n)) || word=$tmp/recorded
			;;
		BEFORE) word=$tmp/recorded ;;
		AFTER) word=$tmp/again ;;
		before) [ "$1" != report ] || word=$tmp/recorded ;;
		after) [ "$1" != report ] || word=$tmp/again ;;
		COMMAND) word=true ;;
		esac
		words+=("$word")
	done
	# one that waits for the end of the whole machine does not end
	PATH=$tools timeout 60 "$IOTRACER" "${words[@]}" </dev/null >"$tmp/said" 2>&1
	status=$?
	if [ "$1" = uring ] && [ $status != 0 ] && grep -q 'iouring was not recorded' "$tmp/said"; then
		echo "left: iotracer $*" >>"$tmp/run" # this kernel has no events of io_uring
		return
	fi
	echo "$status: iotracer $*" >>"$tmp/run"
	[ $status = 0 ] || tail -n 3 "$tmp/said" >>"$tmp/run"
}
command_not_found_handle() { :; }
END

: >run
top=$(cd "$tests_dir/.." && pwd -P)
while IFS=$'\t' read -r _ kind text; do
	[ "$kind" = block ] || continue
	printf '. %q\n%s\n' "$tmp/programs.sh" "${text//$'\001'/$'\n'}" >lines
	(cd empty && HOME=$tmp/home PATH=$tmp/bin "$BASH" ../lines </dev/null >/dev/null 2>&1)
done < <(cd "$top" && awk -f tests/unit/shown.awk README.md doc/[!Q]*.md)
n=$(grep -c '^[0-9]*: ' run)
while IFS= read -r line; do
	check "${line#*: }" [ "${line%%: *}" = 0 ]
done < <(grep '^[0-9]*: ' run | sort -u)
check "command lines that are run: $n" [ "$n" -ge 18 ]
check 'and no others are left to the parser' [ "$(grep -c '^left: ' run)" -le 15 ]
grep -v '^0: ' run | sed 's/^/# /'
