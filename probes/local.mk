# SPDX-License-Identifier: GPL-2.0-or-later
# What each stream adds to the build.
#
# The texts of the BPF programs in the order of their compilation; embed.awk makes C strings of them. Of those in
# probes/arch a text has one machine's: its list before all others, its functions where they stand here.
bpf_texts = \
	probes/bpf/layout_base.h probes/schema/streams.def probes/schema/fs_ops.def \
	probes/schema/fs_calls.def probes/schema/net_calls.def probes/schema/record.h probes/schema/counts.h \
	probes/schema/control.h probes/schema/record_net.h \
	probes/schema/call_row.h probes/schema/pending.h \
	probes/schema/cast_numbers.h \
	probes/schema/pseudo_fs.def probes/bpf/prelude.bpf.c \
	probes/arch/x86_64.h probes/arch/x86_64.bpf.c probes/arch/arm64.h probes/arch/arm64.bpf.c \
	probes/bpf/budget.bpf.c probes/bpf/texts.bpf.c probes/bpf/pending.bpf.c probes/bpf/layers.bpf.c \
	probes/bpf/fs_caller.bpf.c probes/bpf/stacks.bpf.c probes/bpf/fs_row.bpf.c probes/bpf/fs_file.bpf.c probes/bpf/fs_call.bpf.c probes/bpf/fs_name.bpf.c probes/bpf/fs_slot.bpf.c \
	probes/bpf/fs_vfs.bpf.c probes/bpf/layers_vfs.bpf.c probes/bpf/layers_calls.bpf.c probes/bpf/fs_open.bpf.c probes/bpf/fs_async.bpf.c \
	probes/bpf/fs_moved.bpf.c probes/bpf/nw_call.bpf.c probes/bpf/nw_msgs.bpf.c \
	probes/bpf/fs_syscall.bpf.c probes/bpf/fs_lock.bpf.c probes/bpf/fs_ops.bpf.c probes/bpf/fs_ops_end.bpf.c \
	probes/bpf/fs_named.bpf.c probes/bpf/iouring_look.bpf.c probes/bpf/ds_doing.bpf.c probes/bpf/ds_owner.bpf.c probes/schema/count_request.h \
	probes/bpf/ds_journal.bpf.c probes/bpf/layers_ds.bpf.c probes/bpf/ds_key.bpf.c probes/bpf/ds_above.bpf.c probes/bpf/ds_bio.bpf.c probes/bpf/ds.bpf.c \
	probes/bpf/ds_raw.bpf.c probes/bpf/cache_page.bpf.c \
	probes/bpf/page_added.bpf.c probes/bpf/cache.bpf.c probes/bpf/cache_io.bpf.c \
	probes/bpf/pagefault.bpf.c probes/bpf/nw_epoll.bpf.c probes/bpf/nw_sockopt.bpf.c \
	probes/bpf/nw_conn.bpf.c probes/bpf/nw.bpf.c probes/bpf/nw_drop.bpf.c \
	probes/bpf/iouring.bpf.c probes/bpf/iouring_event.bpf.c \
	probes/bpf/iouring_step.bpf.c probes/bpf/iouring_func.bpf.c probes/bpf/iouring_ring.bpf.c \
	probes/bpf/netfs.bpf.c probes/bpf/sched.bpf.c probes/bpf/exec.bpf.c probes/bpf/calls.bpf.c

# The columns of each stream, and the lists that are no BPF text.
schema_lists = \
	probes/schema/bio.def probes/schema/cache.def probes/schema/ds.def probes/schema/exec.def \
	probes/schema/filesystem_snapshot.def probes/schema/fs.def probes/schema/iouring.def probes/schema/layers.def \
	probes/schema/lost.def probes/schema/netfs.def probes/schema/nw.def probes/schema/nw_conn.def probes/schema/nw_drop.def \
	probes/schema/nw_epoll.def probes/schema/nw_sockopt.def probes/schema/pagefault.def \
	probes/schema/process.def probes/schema/sched.def probes/schema/snapshots.def \
	probes/schema/stacks.def probes/schema/stream_id.h probes/schema/symbols.def

# From records to rows.
stream_sources = \
	src/events/bio.c \
	src/events/bio.h \
	src/events/cache.c \
	src/events/cache.h \
	src/events/ds.c \
	src/events/ds.h \
	src/events/ds_owner.c \
	src/events/ds_owner.h \
	src/events/exec.c \
	src/events/exec.h \
	src/events/fs.c \
	src/events/fs.h \
	src/events/fs_files.c \
	src/events/fs_files.h \
	src/events/fs_given.c \
	src/events/fs_given.h \
	src/events/fs_memory.c \
	src/events/fs_memory.h \
	src/events/fs_names.c \
	src/events/fs_names.h \
	src/events/fs_private.h \
	src/events/fs_records.c \
	src/events/fs_requests.c \
	src/events/fs_requests.h \
	src/events/fs_uring.c \
	src/events/fs_uring.h \
	src/events/iouring.c \
	src/events/iouring.h \
	src/events/layers.c \
	src/events/layers.h \
	src/events/lost.c \
	src/events/lost.h \
	src/events/netfs.c \
	src/events/netfs.h \
	src/events/nw.c \
	src/events/nw.h \
	src/events/nw_conn.c \
	src/events/nw_conn.h \
	src/events/nw_drop.c \
	src/events/nw_drop.h \
	src/events/nw_ends.c \
	src/events/nw_ends.h \
	src/events/nw_epoll.c \
	src/events/nw_epoll.h \
	src/events/nw_sockopt.c \
	src/events/nw_sockopt.h \
	src/events/pagefault.c \
	src/events/pagefault.h \
	src/events/sched.c \
	src/events/sched.h \
	src/events/stack_text.c \
	src/events/stack_text.h \
	src/events/stacks.c \
	src/events/stacks.h