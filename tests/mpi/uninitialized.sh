#!/bin/sh
# Nothing of ours sends or writes bytes that nobody has set: valgrind, under the library, sees no error with a frame of ours.
# The ranks talk by sockets, since into shared memory such bytes go unseen.
. "$(dirname "$0")/lib.sh"
# (Open MPI 5 takes lo only where it is named, and may find the ranks of one machine unreachable by the others.)
export OMPI_MCA_btl=tcp,self OMPI_MCA_btl_tcp_if_include=lo UCX_TLS=tcp,self
# (hwloc, which the MPIs ask, would load a graphics driver for its OpenCL.)
export HWLOC_PLUGINS_BLACKLIST=hwloc_opencl.so
if ! command -v valgrind >/dev/null 2>&1; then
    echo "skipped: no valgrind here"
    exit 77
fi
# RATIONALE: libunwind tries an address that it only guesses by writing the byte there into a pipe of its own; Open MPI greets
# a new peer from a structure with holes, bare too.
cat >"$work/supp" <<'END'
{
   libunwind tries an address
   Memcheck:Param
   write(buf)
   ...
   obj:*/libunwind.so*
}
{
   Open MPI greets a peer
   Memcheck:Param
   socketcall.sendto(msg)
   ...
   fun:mca_btl_tcp_send_blocking
}
END
watched() {
    recorded 2 valgrind -q --leak-check=no --num-callers=40 --fullpath-after= "--suppressions=$work/supp" "--log-file=$work/log.%p" \
        "$PROGRAMS/endings" thread >"$work/out" && grep -q '^finalized 1' "$work/out"
}
# valgrind parts errors by lines without a word.
without_ours() {
    cat "$work"/log.* | awk -v RS='\n==[0-9]*== \n' '/\/(preload|trace|sync)\/[a-z_\/]*\.[ch]:|libsyncopate/ { print; bad = 1 } END { exit bad }'
}
check "under valgrind: as bare" watched
check "  a log of each rank" [ "$(ls "$work"/log.* | wc -l)" = 2 ]
check "  no error with a frame of ours" without_ours
check "  recorded" "$DUMP" times "$trace"
finish
