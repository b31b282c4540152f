# SPDX-License-Identifier: GPL-2.0-or-later
# awk -f layers.awk FILE...: says where a file of src/ or compat/ includes one of a higher floor,
# where an include does not name its folder, where one in resolve/ or between the rooms of compat/ goes
# against its order, where a room of analysis/ looks into another one, and which files include each
# other in a circle.
# X.c, X.h and X_private.h count as one.
BEGIN {
	n = split("base compat row resolve code plan write image trace events snapshot read analysis screen session cmd", order)
	for (i = 1; i <= n; i++)
		rank[order[i]] = i
	# resolve/: a file includes those before it, and none after
	n = split("cgroup container_path container_files containers container_group targets drop_reasons rpc_servers names writers disks fs_types mountinfo other_mounts overlays mounts host_mounts loops procfs resolve " \
		  "procfs_maps mappings exec_image mapped " \
		  "procnet fd_table fd_scan links proc_view proc fd_opened procs_state procs procs_groups procs_names fd_calls fd_sockets", order)
	for (i = 1; i <= n; i++)
		step[order[i]] = i
	# compat/: a room includes its own files and those of the rooms before it
	n = split("sys layout learn host candidates", order)
	for (i = 1; i <= n; i++) {
		compat_rank[order[i]] = i
		rooms["compat", order[i]] = 1
	}
	# analysis/: every room includes its own files and those of common/, and of other rooms only these
	split("common files amp timeline uring why fio top watch report:files:why metrics:amp summary:files:amp:metrics", order)
	for (i in order) {
		n = split(order[i], part, ":")
		rooms["analysis", part[1]] = 1
		for (; n > 1; n--)
			sees[part[1], part[n]] = 1
	}
}
# The floor of a file whose path was split into n parts; room: which one of analysis/ or compat/, if it is there.
function floor_of(part, n) {
	room = ""
	if (n > 2 && (part[n - 2] == "analysis" || part[n - 2] == "compat"))
		room = part[n - 1]
	return room == "" ? part[n - 1] : part[n - 2]
}
function stem(name) {
	sub(/\.[ch]$/, "", name)
	return name
}
function module(path,   part, n) {
	n = split(path, part, "/")
	part[n] = stem(part[n])
	sub(/_private$/, "", part[n])
	return part[n - 1] "/" part[n]
}
# Depth first: what is met again while it is still open closes a circle.
function visit(name, way,   list, n, i) {
	open[name] = 1
	n = split(includes[name], list, " ")
	for (i = 1; i <= n; i++)
		if (list[i] in open) {
			if (open[list[i]]) {
				print "a circle of includes: " way " " list[i]
				bad = 1
			}
		} else {
			visit(list[i], way " " list[i])
		}
	open[name] = 0
}
FNR == 1 {
	n = split(FILENAME, part, "/")
	here = floor_of(part, n)
	here_room = room
	if (!(here in rank) || ((here == "analysis" || here == "compat") && !((here, room) in rooms))) {
		print FILENAME ": " here " is no floor"
		bad = 1
	}
	file = stem(part[n])
	if (here == "resolve" && !(file in step)) {
		print FILENAME ": has no place in the order of resolve/"
		bad = 1
	}
}
/^#include "/ {
	split($2, quoted, "\"")
	n = split(quoted[2], part, "/")
	there = floor_of(part, n)
	if (part[1] == "probes")
		next
	if (n < 2 || !(there in rank)) {
		print FILENAME ":" FNR ": \"" quoted[2] "\" does not name its folder"
		bad = 1
	} else if (rank[there] > rank[here]) {
		print FILENAME ":" FNR ": " here " must not include " quoted[2]
		bad = 1
	} else if (here == "compat" && there == here && compat_rank[room] > compat_rank[here_room]) {
		print FILENAME ":" FNR ": compat/" here_room " must not include " quoted[2]
		bad = 1
	} else if (here == "analysis" && here_room != "" && room != "" && there == here && room != here_room && room != "common" && !((here_room, room) in sees)) {
		print FILENAME ":" FNR ": the room " here_room " must not include " quoted[2]
		bad = 1
	} else if (here == "resolve" && there == here && step[stem(part[n])] > step[file]) {
		print FILENAME ":" FNR ": " file " must not include " quoted[2]
		bad = 1
	}
	edges++
	if (module(FILENAME) != module(quoted[2]) && !((module(FILENAME), module(quoted[2])) in known)) {
		known[module(FILENAME), module(quoted[2])] = 1
		includes[module(FILENAME)] = includes[module(FILENAME)] " " module(quoted[2])
	}
}
END {
	for (name in includes)
		if (!(name in open))
			visit(name, name)
	print edges " includes, " (bad ? "some of them upwards or in a circle" : "none of them upwards or in a circle")
	exit bad
}
