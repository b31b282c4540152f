#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# check.sh TARBALL (`make check-packages`): Debian's package is built in a chroot of each release that is named
# below, and installed in one that has nothing else: apt finds what it needs, a recording is made and read there,
# it is removed, and after a purge the files are those of before. Then lintian, the RPM, the static program beside the
# oldest release's C library and in an empty chroot, and a bundle in the same. The packages of arm64 are built by a cross
# compiler, and record on an emulated machine. As root, and Debian's mirror must be reachable; a quarter of an hour.
# PACKAGES_SUITES: releases (bullseye bookworm trixie). PASS, FAIL and the sum as in other tests.
set -uo pipefail
here=$(dirname "$(readlink -f "$0")")
tarball=$(readlink -f "$1")
suites=${PACKAGES_SUITES:-bullseye bookworm trixie}
work=$(mktemp -d)
roots=()
passed=0 failed=0

# shellcheck disable=SC2317 # called by the trap
finish()
{
	local root

	for root in "${roots[@]}"; do
		leave "$root"
	done
	rm -rf --one-file-system "$work"
}
trap finish EXIT
trap 'exit 1' HUP INT TERM

check()
{
	local name=$1

	shift
	if "$@" >"$work/said" 2>&1; then
		echo "PASS: packages: $name"
		passed=$((passed + 1))
	else
		echo "FAIL: packages: $name"
		tail -n 20 "$work/said" | sed 's/^/  | /'
		failed=$((failed + 1))
	fi
}

mirror()
{
	apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -v security | sort -u | head -n 1
}

# enter ROOT: what a recording needs of the machine
enter()
{
	roots+=("$1")
	mkdir -p "$1"/{proc,sys,dev}
	mount -t proc proc "$1/proc" && mount --rbind /sys "$1/sys" && mount --make-rslave "$1/sys" &&
		mount --rbind /dev "$1/dev" && mount --make-rslave "$1/dev"
}

leave()
{
	# lazily: what closes tracepoints may still be there
	umount -lR "$1/dev" 2>/dev/null
	umount -lR "$1/sys" 2>/dev/null
	umount -l "$1/proc" 2>/dev/null
}

# in_root ROOT COMMAND...
in_root()
{
	local root=$1

	shift
	env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive chroot "$root" "$@"
}

# What it installed is in no list but apt's own, and what was there before is there again.
files_of()
{
	(cd "$1" && find . -xdev \( -path ./var/lib/apt -o -path ./var/lib/dpkg -o -path ./var/cache/apt -o -path ./var/cache/debconf \
		-o -path ./var/cache/ldconfig -o -path ./var/log \
		-o -path ./tmp -o -path ./run -o -path ./etc/ld.so.cache \) -prune -o -print | sort)
}

build_deb()
{
	mmdebstrap --variant=buildd --include=ca-certificates,debhelper,gawk,libbpfcc-dev,libdw-dev,libelf-dev,libjansson-dev,libncurses-dev,libsqlite3-dev,libssl-dev,libzstd-dev,pkg-config,zlib1g-dev \
		"$1" "$work/$1.build" "$(mirror)" || return
	mkdir -p "$work/$1.build/src" && cp "$tarball" "$work/$1.build/src" && cp -r "$here" "$work/$1.build/src" || return
	in_root "$work/$1.build" "/src/${here##*/}/deb.sh" "/src/${tarball##*/}" /debs || return
	mkdir -p "$work/$1.debs" && cp "$work/$1.build"/debs/* "$work/$1.debs"
}

install_deb()
{
	local root=$work/$1

	mmdebstrap --variant=apt "$1" "$root" "$(mirror)" && enter "$root" || return
	files_of "$root" >"$work/$1.before"
	cp /etc/resolv.conf "$root/etc/resolv.conf"
	mkdir "$root/tmp/debs" && cp "$work/$1.debs"/iotracer{,-readers}_*.deb "$root/tmp/debs" && in_root "$root" apt-get -q update &&
		in_root "$root" sh -c 'apt-get -qy --no-install-recommends install /tmp/debs/*.deb'
}

# What README begins with, in a release that has nothing but apt
readme()
{
	local root=$work/$1.readme unpacked=${tarball##*/}

	unpacked=/root/${unpacked%.tar.gz}
	mmdebstrap --variant=apt "$1" "$root" "$(mirror)" && enter "$root" && cp /etc/resolv.conf "$root/etc" &&
		tar -xzf "$tarball" -C "$root/root" || return
	awk '/^```/ { if (inside) exit; inside = 1; next } inside' "$root$unpacked/README.md" >"$root/root/first"
	grep -q 'apt-get install .*iotracer_\*\.deb' "$root/root/first" &&
		in_root "$root" sh -ec "cd $unpacked && . /root/first" && ls "$root"/root/trace/fs/*.csv
}

# The main thing that it is for; the trace is kept for readers elsewhere
record_and_read()
{
	in_root "$work/$1" sh -c 'cd /root && iotracer record -o trace -e fs -- tar cf /tmp/etc.tar /etc && iotracer files trace | grep /tmp/etc.tar &&
		iotracer report trace >/dev/null && iotracer verify trace && iotracer files --csv trace >answer' || return
	rm -rf "$work/kept" && mkdir "$work/kept" && mv "$work/$1"/root/{trace,answer} "$work/kept" &&
		rm -rf "$work/$1"/root/.cache "$work/$1/tmp/etc.tar"
}

# Of its files only those are left that it made itself, and, until a purge, its configuration and what systemd knows of its service.
removes()
{
	in_root "$work/$1" apt-get -qy --auto-remove remove iotracer iotracer-readers || return
	! in_root "$work/$1" sh -c 'command -v iotracer' && files_of "$work/$1" >"$work/$1.removed" &&
		diff "$work/$1.before" "$work/$1.removed" | grep '^>' >"$work/$1.left"
	! grep -vE '^> ./var/(cache|lib)/iotracer|^> ./etc/(iotracer|systemd/system/iotracer.service)|^> ./var/lib/systemd/deb-systemd-helper-' "$work/$1.left"
}

purge()
{
	in_root "$work/$1" apt-get -qy --auto-remove purge iotracer iotracer-readers || return
	files_of "$work/$1" >"$work/$1.after"
	diff "$work/$1.before" "$work/$1.after"
}

# By a cross compiler, in a chroot that has the libraries of both; apt could install it there
cross_deb()
{
	local root=$work/cross libraries

	libraries=$(printf 'lib%s:arm64,' bpfcc-dev dw-dev elf-dev jansson-dev ncurses-dev sqlite3-dev ssl-dev zstd-dev)
	mmdebstrap --variant=buildd --architectures=amd64,arm64 \
		--include="ca-certificates,crossbuild-essential-arm64,debhelper,gawk,pkg-config,pkg-config:arm64,${libraries}zlib1g-dev:arm64" \
		"$1" "$root" "$(mirror)" || return
	mkdir -p "$root/src" && cp "$tarball" "$root/src" && cp -r "$here" "$root/src" &&
		in_root "$root" "/src/${here##*/}/deb.sh" "/src/${tarball##*/}" /debs arm64 &&
		cp /etc/resolv.conf "$root/etc" && in_root "$root" apt-get -q update &&
		in_root "$root" sh -c 'apt-get -qs --no-install-recommends install /debs/iotracer_*_arm64.deb /debs/iotracer-readers_*_arm64.deb'
}

# guest DIRECTORY COMMAND: on an emulated machine of arm64, where the directory is /host-rw
guest()
{
	"$here/../tests/vm/run" 6.1 --arch arm64 --rw "$1" -- "$2"
}

# What is in them records there, with an image that was made here
cross_records()
{
	local rw=$work/guest root=$work/${suites##* } deb

	mkdir "$rw" && for deb in "$work"/cross/debs/iotracer{,-readers}_*_arm64.deb; do
		dpkg-deb -x "$deb" "$rw/root" || return
	done
	"$here/../tests/vm/get-root" arm64 && "$here/../tests/vm/get-kernel" --arch arm64 6.1 &&
		guest "$rw" '/host-rw/root/usr/bin/iotracer doctor --collect /host-rw/facts.tar.gz' &&
		cp "$rw/facts.tar.gz" "$root/tmp" && in_root "$root" iotracer build --root /tmp/facts.tar.gz --layout none -e fs -o /tmp/image &&
		cp "$root/tmp/image" "$rw" && rm "$root/tmp"/{facts.tar.gz,image} &&
		guest "$rw" 'PATH=/host-rw/root/usr/bin:$PATH; cd /tmp && iotracer record --image /host-rw/image -o trace -e fs -- tar cf etc.tar /etc &&
			iotracer files trace | tee /host-rw/files && iotracer verify trace' && grep /tmp/etc.tar "$rw/files"
}

lint_deb()
{
	lintian --fail-on error,warning "$work/$1.debs"/*.changes
}

# The RPMs hold what `make install` puts there.
rpm_files()
{
	local rpm

	"$here/rpm.sh" "$tarball" "$work/rpm" || return
	for rpm in "$work"/rpm/*.rpm; do
		case $rpm in
		*.src.rpm | *debug*) ;;
		*) rpm -qlp "$rpm" ;;
		esac
	done | sort -u >"$work/rpm.files"
	grep -qx /usr/libexec/iotracer/iotracer-bcc "$work/rpm.files" && grep -qx /usr/bin/iotracer "$work/rpm.files" &&
		[ "$(rpm -qp --requires "$work"/rpm/iotracer-readers-[0-9]*.rpm | grep -c bcc)" = 0 ] &&
		rpm -qp --requires "$work"/rpm/iotracer-[0-9]*[!c].rpm | grep -q '^iotracer-readers.*= '
}

lint_rpm()
{
	rpmlint -c "$here/rpmlint.toml" "$work"/rpm/*.rpm
}

# empty ROOT: no C library, no shell but busybox's
empty()
{
	mkdir -p "$1"/{bin,tmp} && cp "$(command -v busybox)" "$1/bin/busybox" && ln -s busybox "$1/bin/sh" && ln -s busybox "$1/bin/dirname"
}

static_reads()
{
	"$here/static.sh" "$tarball" "$work/static" && empty "$work/empty" && cp "$work/static/iotracer" "$work/empty/bin" &&
		cp -r "$work/kept/trace" "$work/empty" &&
		in_root "$work/empty" /bin/iotracer files --csv /trace | diff "$work/kept/answer" -
}

# The C library of the release is none of its business.
static_beside_libc()
{
	local root=$work/$1

	cp "$work/static/iotracer" "$root/tmp/static" && cp -r "$work/kept/trace" "$root/tmp" &&
		in_root "$root" /tmp/static files --csv /tmp/trace | diff "$work/kept/answer" - && rm -r "$root/tmp"/{static,trace}
}

# Made by the package of the newest release, for this kernel
bundle_records()
{
	local root=$work/empty

	in_root "$work/${suites##* }" sh -c 'iotracer doctor --collect /tmp/facts.tar.gz && iotracer build --root /tmp/facts.tar.gz -e fs -o /tmp/image' &&
		"$here/bundle.sh" "$tarball" "$work/bundle" "$work/${suites##* }/tmp/image" &&
		cp -r "$work/bundle" "$root/bundle" && enter "$root" &&
		in_root "$root" /bin/sh -c '/bundle/record -o /tmp/t -- /bin/busybox cp /bundle/iotracer /tmp/copy && /bundle/read files /tmp/t' | tee "$work/said.files" &&
		grep /tmp/copy "$work/said.files" && rm -r "$work/${suites##* }/tmp"/{facts.tar.gz,image}
}

[ "$(id -u)" = 0 ] || {
	echo 'SKIP: packages: needs root, for chroots'
	exit 77
}
for suite in $suites; do
	check "$suite: a package is built" build_deb "$suite"
	check "$suite: apt installs it" install_deb "$suite"
	check "$suite: it records and reads" record_and_read "$suite"
done
check 'the static program reads in an empty chroot, and says the same' static_reads
check "${suites%% *}: the static program reads, too" static_beside_libc "${suites%% *}"
check 'a bundle records in an empty chroot' bundle_records
check 'bookworm: packages of arm64 are built by a cross compiler' cross_deb bookworm
check 'they record on an emulated machine' cross_records
for suite in $suites; do
	check "$suite: when it is removed, its files are gone" removes "$suite"
	check "$suite: a purge leaves nothing" purge "$suite"
done
check "bookworm: README's first command" readme bookworm
check 'lintian has nothing to say' lint_deb bookworm
check 'RPMs are built, with the compiler apart from the readers' rpm_files
check 'rpmlint has nothing to say' lint_rpm
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
