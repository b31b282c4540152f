#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What layers.sh finds in includes holds for calls, too: no file calls (or points to) what a higher
# floor or another room defines, and none calls another in a circle. Names are the linker's: each
# object becomes a file that includes those whose names it uses, and layers.awk reads these.
cd "${builddir:-.}" || exit 1
srcdir=$(cd "${srcdir:-.}" && pwd)

# DIRECTORY OBJECT...: a file there for each object, below the folder of its floor
as_includes()
{
	local to=$1

	shift
	# the names of all objects, then those that each one uses
	nm -A -g --defined-only "$@" | awk '{ print $NF, $1 }' >"$to/defined"
	nm -A -u "$@" | awk -v to="$to" '
		function source(object) {
			sub(/\.o:.*/, ".c", object)
			sub(/lib[a-z]+_a-/, "", object)
			sub(/^.*\/src\//, "src/", object)
			sub(/^src\//, "", object)
			return object
		}
		FNR == NR { where[$1] = source($2); next }
		$NF in where {
			from = source($1)
			there = where[$NF]
			sub(/\.c$/, ".h", there)
			if (!((from, there) in seen)) {
				seen[from, there] = 1
				folder = from
				sub(/\/[^\/]*$/, "", folder)
				if (!(folder in made))
					system("mkdir -p " to "/" folder)
				made[folder] = 1
				printf "#include \"%s\"\n", there >(to "/" from)
			}
		}' "$to/defined" -
}

ls src/base/*.o >/dev/null 2>&1 || { echo 'SKIP: nothing is built here'; exit 77; }
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/all" "$tmp/planted"
# objects of files that are gone may lie about
for object in src/*/*.o src/analysis/*/*.o compat/*/*.o; do
	source=${object%.o}.c
	source=${source/libhelper_a-/}
	[ -e "$srcdir/$source" ] || [ -e "$source" ] || continue
	objects+=("$object")
done
as_includes "$tmp/all" "${objects[@]}"
find "$tmp/all" -name '*.c' -print0 | xargs -0 awk -f "$srcdir/tests/unit/layers.awk" | sed 's/includes,/calls between files,/; s/must not include/must not call/; s/of includes/of calls/; s/^[^ ]*\/all\///' >"$tmp/said"
cat "$tmp/said"
grep -q 'none of them upwards' "$tmp/said" || exit 1

# and it finds those that do: a circle within a floor, and those that call upwards
mkdir -p "$tmp"/planted/{src/base,src/cmd,compat/sys,compat/candidates,to}
echo 'void two(void); void one(void); void one(void) { two(); }' >"$tmp/planted/src/base/one.c"
echo 'void one(void); void two(void); void two(void) { one(); }' >"$tmp/planted/src/base/two.c"
echo 'void top(void); void up(void); void up(void) { top(); }' >"$tmp/planted/src/base/up.c"
echo 'void top(void); void top(void) { }' >"$tmp/planted/src/cmd/top.c"
echo 'void choose(void); void ask(void); void ask(void) { choose(); }' >"$tmp/planted/compat/sys/ask.c"
echo 'void choose(void); void choose(void) { }' >"$tmp/planted/compat/candidates/choose.c"
(
	cd "$tmp/planted" || exit
	for c in src/*/*.c compat/*/*.c; do
		${CC:-cc} -c "$c" -o "${c%.c}.o" || exit
	done
	as_includes "$tmp/planted/to" src/*/*.o compat/*/*.o
	find to -name '*.c' -print0 | xargs -0 awk -f "$srcdir/tests/unit/layers.awk" >said
)
for wanted in 'a circle of includes: ' 'base must not include cmd/top.h' 'compat/sys must not include compat/candidates/choose.h'; do
	grep -q "$wanted" "$tmp/planted/said" || { echo "not found: $wanted"; cat "$tmp/planted/said"; exit 1; }
done
