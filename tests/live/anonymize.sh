#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Anonymised mode: of everything that has a name in this test, nothing is found
# anywhere in the directory, compressed or not; and still streams, snapshots and
# sessions join by their tokens.
. "$(dirname "$0")/lib.sh"

command -v python3 >/dev/null || skip_all 'python3 is missing'
command -v jq >/dev/null || skip_all 'jq is missing'

undo()
{
	umount -l "$tmp/quietmount" 2>/dev/null
}

# every name that is used, none of which is a word of the tracer
make_home()
{
	rm -rf homezebra
	mkdir homezebra
	cp scriptwalrus.py runbison.sh homezebra
	cp "$(type -P true)" homezebra/programlemur
}

cat >scriptwalrus.py <<'END'
import os, socket, sys
os.chdir('homezebra')
for name in ('fileocelot.txt', 'with blankpuma', 'comma,lynxes', 'quote"badger', 'newline\nferret'):
    with open(name, 'w') as file:
        file.write('x' * 5000)
os.rename('fileocelot.txt', 'renamedtapir.txt')
os.symlink('../targetibex/deepgecko', 'linkmarmot')
os.link('renamedtapir.txt', 'hardotter')
os.mkdir('dirheron')
os.rmdir('dirheron')
os.unlink('with blankpuma')
try:
    open('/missingcobra/absentviper')
except OSError:
    pass
os.stat('renamedtapir.txt')
server = socket.socket(socket.AF_UNIX)
server.bind('socketquail')
server.listen()
client = socket.socket(socket.AF_UNIX)
client.connect('socketquail')
abstract = socket.socket(socket.AF_UNIX)
abstract.bind('\0abstractfinch')
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for address in ('127.0.0.1', '198.51.100.7', '198.51.100.8'):
    try:
        udp.connect((address, 9))
    except OSError:
        pass
try:
    udp.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton('127.0.0.1'))
    udp.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton('239.17.34.51') + socket.inet_aton('127.0.0.1'))
except OSError:
    pass
tcp = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
try:
    tcp.setsockopt(socket.IPPROTO_TCP, 33, b'keyNkeyOkeyPkeyQ')
except OSError:
    pass
tcp.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 77824)
with open('renamedtapir.txt') as file:
    file.read()
END
cat >runbison.sh <<'END'
python3 homezebra/scriptwalrus.py --optionmoose=valuekoala 'an argstork' &&
	"$PWD/homezebra/programlemur" argumentcrane &&
	mkdir -p -- homezebra/madeturtle && exec sleep 1
END
names=(homezebra scriptwalrus fileocelot blankpuma lynxes badger ferret renamedtapir targetibex deepgecko linkmarmot
	hardotter dirheron missingcobra absentviper socketquail abstractfinch runbison optionmoose valuekoala argstork
	argumentcrane madeturtle "${tmp##*/}" quietmount hostpelican machinefalcon)
mkdir quietmount
mount -t tmpfs none quietmount 2>/dev/null

# host COMMAND...: under a name of its own, where that is allowed
host()
{
	if unshare -u true 2>/dev/null; then
		# shellcheck disable=SC2016 # for the shell inside
		unshare -u bash -c 'hostname hostpelican && exec "$@"' bash "$@"
	else
		"$@"
	fi
}

anonymous()
{
	local dir=$1

	shift
	make_home
	host "$IOTRACER" record -o "$dir" "${tier_options[@]}" --sockopt-levels all --snapshot-root "$tmp" "$@" -- bash homezebra/runbison.sh \
		2>"$dir.log"
}

# leaks DIR NAME...: which of these are found, in any case, in names of files or in them, compressed or not
leaks()
{
	local dir=$1 name found=1

	shift
	(cd "$dir" && find . && find . -type f -exec zcat -f {} +) >everything
	for name; do
		grep -qi -- "$name" everything || continue
		echo "$name: $(grep -i -m 1 -- "$name" everything | cut -c1-200)"
		found=0
	done
	return $found
}

found()
{
	leaks "$@" >/dev/null
}

none()
{
	! leaks "$@"
}

anonymous clear
check 'without -a: recorded' [ $? = 0 ]
missing=
for name in "${names[@]}"; do
	# what this kernel and this test cannot show
	case $name in quietmount | hostpelican | machinefalcon | abstractfinch | socketquail) continue ;; esac
	leaks clear "$name" >/dev/null || missing+=" $name"
done
check "without -a: the search finds the names$missing" [ -z "$missing" ]

for how in '-a' '-a --compress gz' '--anonimize --anon-keep-ext'; do
	dir=a$((++i))
	# shellcheck disable=SC2086 # options
	anonymous $dir $how --anon-key "$tmp/keyparrot"
	check "$how: recorded" [ $? = 0 ]
	check "$how: none of ${#names[@]} names is anywhere" none $dir "${names[@]}" "$(hostname)\"" keyparrot
	check "$how: whole" "$IOTRACER" verify -q $dir
	id=$(cat /etc/machine-id 2>/dev/null)
	[ -z "$id" ] || check "$how: nor is the machine's number" none $dir "$id"
done
# a machine's boot, the addresses and keys of options, as numbers: 127.0.0.1, 239.17.34.51 and "keyN"
numbers="16777343 857870831 1316578667 $(cat /proc/sys/kernel/random/boot_id) $(sed -n 's/^btime //p' /proc/stat)"
options()
{
	[ -d "$1/nw_sockopt" ] && cells "$1" nw_sockopt option_value
	[ ! -e "$1/system_spec/os_info.json" ] || jq -r '.boot_id, .boot_time' "$1/system_spec/os_info.json"
}
for number in $numbers; do
	[ ! -d clear/nw_sockopt ] || check "without -a: $number is there" grep -qx -- "$number" <(options clear)
	check "-a: and is not" [ -z "$(options a1 | grep -x -- "$number")" ]
done
[ ! -d a1/nw_sockopt ] || check '-a: sizes are there' grep -qx '77824\|155648' <(options a1)
check 'endings are kept when asked for' [ "$(cells a3 fs filename | grep -c '/[0-9a-f]\{15\}\.txt$')" -ge 4 ]
check 'and only then' [ "$(cells a1 fs filename | grep -c '\.txt$')" = 0 ]
check 'addresses are there when nothing else is asked' found a1 198.51.100.7
check 'names of threads are there' [ "$(cells a1 fs command | grep -c '^python3$')" -gt 10 ]

# the same name, the same token: a path of stream fs in a snapshot, in exec, in another session
token=$(cells a1 fs operation,filename | awk -F'\t' '$1 == "WRITE" { print $2 }' | head -1)
check "a written file, $token, is in the other session" grep -q -F "$token" <(cells a2 fs filename)
check 'and in the snapshot of files' grep -q "^${token%/*}/" <(cells a2 filesystem_snapshot path)
program=$(cells a1 exec event_type,filename,return_value | awk -F'\t' '$1 == "EXEC" && $3 == 0 { p = $2 } END { print p }')
check 'programs of exec are arguments and files, too' [ "$(cells a1 fs filename | grep -c -F "$program")" -ge 1 ]
make_home
echo x >homezebra/renamedtapir.txt
record other -a --anon-key "$tmp/otherkey" -e fs --no-snapshots -- cat homezebra/renamedtapir.txt
check 'under another key it has another token' [ "$(cells other fs filename | grep -c -F "${token##*/}")" = 0 ]
check 'both manifests tell which key' [ "$(jq -r .anonymized.key a1/manifest.json)" = "$(jq -r .anonymized.key a2/manifest.json)" ]
check 'and which is another' [ "$(jq -r .anonymized.key a1/manifest.json)" != "$(jq -r .anonymized.key other/manifest.json)" ]

anonymous more -a --anon-comm --anon-ip --anon-key "$tmp/keyparrot"
check '--anon-comm: no name of a program' none more programlemur 'python3,' ',bash,'
check '--anon-ip: no address' none more 198.51.100.7 198.51.100.8
if [ -d more/nw_conn ]; then
	cells more nw_conn event_type,remote_addr | awk -F'\t' '$1 == "CONNECT" && $2 ~ /^[0-9.]+$/ { print $2 }' | sort -u >addresses
	check '--anon-ip: loopback stays' grep -qx '127\.0\.0\.1' addresses
	# .7 and .8 share 28 bits
	check '--anon-ip: neighbours stay neighbours' [ "$(grep -v '^127\.' addresses | cut -d. -f1-3 | sort -u | wc -l)" = 1 \
		-a "$(grep -vc '^127\.' addresses)" = 2 ]
fi

# the key: for root alone, not in the directory, and not at all when it is none
check 'the key is for its owner alone' [ "$(stat -c '%a %u' keyparrot)" = '600 0' ]
check 'and nowhere in the directory' none a1 "$(cat keyparrot)"
chmod 644 keyparrot
record refused -a --anon-key "$tmp/keyparrot" -e fs -- touch ran
check 'a key that others may read is refused' [ $? = 1 -a ! -e ran -a ! -e refused ]
check 'with one message' one_message refused.log
record own -a -e fs --no-snapshots -- true
key=$(sed -n 's/.*the key is //p' own.log)
check 'without a file it is kept for root' [ -f "$key" -a "$(stat -c '%a %u' "$key")" = '600 0' ]
check 'under its own token' [ "${key##*/}" = "$(jq -r .anonymized.key own/manifest.json).key" ]
case $key in /*/*.key) rm -f "$key" ;; esac

mkdir named && cd named || exit 1
host "$IOTRACER" record "${tier_options[@]}" -a --anon-key "$tmp/otherkey" -e fs --no-snapshots -- true 2>log
check 'the directory is not called by the host' [ -d "$(echo iotracer_2*)" -a -z "$(find . -name '*pelican*')" ]
"$IOTRACER" snapshot process system fs -o shot --snapshot-root "$tmp" --anon-key "$tmp/otherkey" 2>log
check 'iotracer snapshot hides, too' none shot "${names[@]}"
