#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Network amplification: a primary that gives what a client sends to two replicas on another host
# (a network namespace with an address of its own) sends twice what it received.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib-corpus.sh source-path=SCRIPTDIR
. "$tests_dir/live/lib-corpus.sh"

for tool in ip nsenter python3; do
	command -v $tool >/dev/null || skip_all "$tool is not installed"
done
unshare -n true 2>/dev/null || skip_all 'there are no network namespaces'
unshare -n ip link add v0 type veth 2>/dev/null || skip_all 'this kernel has no veth'

cat >nodes.py <<'END'
import ctypes, socket, sys, threading, time
ctypes.CDLL(None).prctl(15, sys.argv[1].encode(), 0, 0, 0)
def listen(port, host):
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.bind((host, port))
    s.listen()
    return s
def connect(host, port):
    for i in range(200):
        try:
            return socket.create_connection((host, port))
        except OSError:
            time.sleep(0.05)
def all_of(s):
    n = 0
    while True:
        data = s.recv(10000)
        if not data:
            return n
        n += len(data)
if sys.argv[1] == "primary":
    listener = listen(7001, "10.9.0.1")
    replicas = [connect("10.9.0.2", 7002 + i) for i in range(2)]
    client, _ = listener.accept()
    while True:
        data = client.recv(10000)
        if not data:
            break
        for r in replicas:
            r.sendall(data)
    for r in replicas:
        r.close()
    # what it says to itself is no replication
    own = listen(7009, "127.0.0.1")
    a = socket.create_connection(("127.0.0.1", 7009))
    b, _ = own.accept()
    a.sendall(b"x" * 5000)
    a.close()
    assert all_of(b) == 5000
else:
    listeners = [listen(7002 + i, "10.9.0.2") for i in range(2)]
    got = []
    threads = [threading.Thread(target=lambda l=l: got.append(all_of(l.accept()[0]))) for l in listeners]
    [t.start() for t in threads]
    client = connect("10.9.0.1", 7001)
    for i in range(100):
        client.sendall(b"y" * 1000)
    client.close()
    [t.join() for t in threads]
    assert got == [100000, 100000], got
END
cat >hosts.sh <<'END'
unshare -n sleep 60 &
other=$!
for i in $(seq 100); do [ "$(readlink /proc/$other/ns/net)" != "$(readlink /proc/self/ns/net)" ] && break; sleep 0.05; done
ip link set lo up
ip link add v0 type veth peer name v1 netns $other
ip address add 10.9.0.1/24 dev v0
ip link set v0 up
nsenter -t $other -n ip address add 10.9.0.2/24 dev v1
nsenter -t $other -n ip link set v1 up
nsenter -t $other -n python3 nodes.py replicas &
python3 nodes.py primary
wait $!
status=$?
kill $other
exit $status
END

cell()
{
	"$IOTRACER" amp trace --net --by comm --csv -q | column net_received_bytes,net_sent_bytes,net_amp comm="$1"
}

record trace -e fs,ds,nw -m 512 -- unshare -n bash hosts.sh
check 'the nodes end well' [ $? = 0 ]
check 'no event was lost' no_loss trace
check 'primary: twice what it received' [ "$(cell primary)" = '100000 200000 2.000000' ]
check 'replicas and client' [ "$(cell replicas)" = '200000 100000 0.500000' ]
check 'as text' sh -c '"$1" amp trace --net --by comm -q | grep -qE "^ +97\.7K +195\.3K +2\.00 +primary$"' - "$IOTRACER"
check 'as JSON, with what the stream lacks' sh -c '"$1" amp trace --net --by comm --json | python3 "$tests_dir/readers/amp_checks.py" net_amp' - "$IOTRACER"
check 'not where nobody asks' sh -c '! "$1" amp trace --csv -q | grep -q net_' - "$IOTRACER"
corpus only-fs
check 'without nw: said' sh -c '"$1" amp only-fs --net | grep -q "^nw was not recorded"' - "$IOTRACER"
"$IOTRACER" amp trace --net --by device 2>said
check 'a disk sends nothing: usage' [ $? = 2 ]
