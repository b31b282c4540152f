#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# record --stacks of programs that are not C: Go, whose functions all have frame pointers, and which may have no build
# id; Java with -XX:+PreserveFramePointer, whose compiled methods have their names from its perf map.
. "$(dirname "$0")/lib.sh"

[ -n "${IOTRACER_SYMBOLS:-}" ] || export IOTRACER_SYMBOLS=${IOTRACER%/*}/iotracer-symbols
[ -x "$IOTRACER_SYMBOLS" ] || skip_all 'no iotracer-symbols (libdw)'

# chain DIR FUNCTION...: a stack of report has these, one within the other
chain()
{
	local dir=$1

	shift
	"$IOTRACER" report "$dir" --section stacks --csv >"$dir.csv" &&
		python3 "$tests_dir/readers/stacks.py" chain "$@" <"$dir.csv"
}

# traced DIR PID: until it has 50 rows
traced()
{
	record_in_background "$1" -e fs,exec,stacks -p "$2" --stacks=1 &&
		eventually 30 has_rows "$1" && end_tracer
}

has_rows()
{
	[ "$(find "$1/stacks" -type f -exec cat {} + 2>/dev/null | wc -l)" -gt 50 ]
}

if command -v go >/dev/null; then
	mkdir go
	cat >go/main.go <<-'END'
		package main

		import (
			"os"
			"time"
		)

		//go:noinline
		func innermost(f *os.File, b []byte) { f.WriteAt(b, 0) }

		//go:noinline
		func middle(f *os.File, b []byte) { innermost(f, b) }

		func main() {
			f, _ := os.Create(os.Args[1])
			b := make([]byte, 4096)
			for {
				middle(f, b)
				time.Sleep(2 * time.Millisecond)
			}
		}
	END
	if (cd go && HOME=$tmp GOFLAGS=-mod=mod go build -o ../gone main.go) >go.log 2>&1; then
		./gone file.go &
		pids+=("$!")
		check 'go: traced' traced go.trace $!
		check 'go: its functions, one within the other' chain go.trace runtime.main main.main main.middle main.innermost \
			'os.(*File).WriteAt'
		check 'go: nothing is missing of them' [ -z "$(grep ',outer frames,.*main.innermost' go.trace.csv)" ]
	else
		fail "go: built: $(tail -n 1 go.log)"
	fi
else
	skip 'Go is not installed'
fi

if command -v javac >/dev/null && command -v jcmd >/dev/null; then
	cat >Loop.java <<-'END'
		import java.io.*;

		public class Loop {
		    static void innermost(RandomAccessFile f, byte[] b) throws IOException { f.seek(0); f.write(b); }
		    static void middle(RandomAccessFile f, byte[] b) throws IOException { innermost(f, b); }
		    public static void main(String[] a) throws Exception {
		        RandomAccessFile f = new RandomAccessFile(a[0], "rw");
		        byte[] b = new byte[4096];
		        for (long i = 0; ; i++) { middle(f, b); if (i == 60000) System.out.println("compiled"); if (i > 60000) Thread.sleep(2); }
		    }
		}
	END
	javac Loop.java >java.log 2>&1 || fail "java: built: $(tail -n 1 java.log)"
	: >compiled
	java -XX:+PreserveFramePointer -XX:CompileCommand=dontinline,Loop.\* Loop file.java >compiled 2>&1 &
	java=$!
	pids+=("$java")
	check 'java: its methods are compiled' eventually 30 grep -q '^compiled' compiled
	check 'java: it writes its perf map' eval 'jcmd $java Compiler.perfmap >jcmd.log 2>&1 && [ -s /tmp/perf-$java.map ]'
	check 'java: traced' traced java.trace $java
	check 'java: its methods, one within the other' chain java.trace \
		'void Loop.middle(java.io.RandomAccessFile, byte[])_[j]' 'void Loop.innermost(java.io.RandomAccessFile, byte[])_[j]' \
		'void java.io.RandomAccessFile.writeBytes(byte[], int, int)_[j]' 'Java_java_io_RandomAccessFile_writeBytes'
	rm -f "/tmp/perf-$java.map"
else
	skip 'Java is not installed'
fi
