#!/bin/sh
# Many events, many threads, many ways to one call.
. "$(dirname "$0")/lib.sh"

counted() { # ENDS-LINE...
    "$DUMP" ends "$trace" >"$work/ends"
    printf '%s\n' "$@" | diff - "$work/ends"
}
check "buffers of 64 KiB are written away" recorded 2 SYNCOPATE_BUFFER=64K "$PROGRAMS/loop" 100 20000
check "  nothing is lost" counted '0 finalize 20100 0' '1 finalize 20100 0'
check "  times are in order" "$DUMP" times "$trace"
paused() { # LEAST MOST: so many events of each rank say that the profiler paused in or before them
    "$DUMP" pauses "$trace" | awk -v least="$1" -v most="$2" '{ print } $2 < least || $2 > most { bad = 1 } END { exit bad || NR == 0 }'
}
check "  who had to wait for a buffer says so" paused 10 200
check "buffers of 5 MiB are written away" recorded 1 SYNCOPATE_BUFFER=5M "$PROGRAMS/loop" 10 300000
check "  nothing is lost" counted '0 finalize 300010 0'
check "  times are in order" "$DUMP" times "$trace"
# A block has half as many calls then, and as many steps: so it stops at each 64th of them.
check "calls that each have a note" recorded 1 SYNCOPATE_BUFFER=5M "$PROGRAMS/loop" 0 20000 probe
check "  nothing is lost" counted '0 finalize 20000 0'
check "  steps are taken behind twice as many of them" paused 150 650
check "the end comes while a full buffer is on its way" recorded 1 SYNCOPATE_BUFFER=5M "$PROGRAMS/loop" 0 6500
check "  nothing is lost" counted '0 finalize 6500 0'
check "  times are in order" "$DUMP" times "$trace"

by_thread() { # THREADS CALLS: each communicator has all its calls on each rank, all from one thread
    "$DUMP" rows "$trace" | awk -v threads="$1" -v calls="$2" '
        $3 == "MPI_Allreduce" { n[$1 " " $5 " " $7]++; of[$1 " " $5 " " $7 " " $2]++ }
        function wrong(key, count) { return count != (key ~ /WORLD/ ? calls / 50 : calls) }
        END {
            for (k in n) { seen++; if (wrong(k, n[k])) { print "count", k, n[k]; bad = 1 } }
            for (k in of) if (wrong(k, of[k])) { print "thread", k, of[k]; bad = 1 }
            if (seen != 4 * threads) { print "communicators", seen; bad = 1 }
            exit bad
        }'
}
for buffer in 64M 64K; do
    check "3 threads, buffers of $buffer" recorded 2 SYNCOPATE_BUFFER=$buffer "$PROGRAMS/threads" 3 3000
    check "  each call once" by_thread 3 3000
    check "  communicators agree" "$DUMP" comms "$trace"
done

# Started and completed in the thread that owns the communicator; a communicator that a thread made is a child of its own.
by_thread_started() { # THREADS CALLS
    "$DUMP" rows "$trace" | awk -v threads="$1" -v calls="$2" '
        { n[$3]++ }
        $3 == "MPI_Iallreduce" { on[$1 " " $5 " " $7]++; of[$1 " " $2 " " $5 " " $7]++ }
        function want(what, got, wanted) { if (got != wanted) { print what, got, "not", wanted; bad = 1 } }
        function there(key) { return key ~ /WORLD/ ? calls / 50 : calls }
        END {
            for (k in on) { seen++; want("on " k, on[k], there(k)) }
            for (k in of) want("by " k, of[k], there(k))
            want("communicators", seen, 4 * threads)
            want("barriers", n["MPI_Barrier"], 2 * threads * calls / 10 + 2)
            want("dups", n["MPI_Comm_dup"], 2 * (threads * calls / 10 + 2 * threads))
            want("frees", n["MPI_Comm_free"], 2 * (threads * calls / 10 + 2 * threads))
            exit bad
        }'
}
# The first flag: the completion of a nonblocking collective was not seen.
all_completed() {
    exported_rows >"$work/rows" && ! awk '$6 % 2' "$work/rows" | grep .
}
for buffer in 64M 64K; do
    check "3 threads that start and complete, and make communicators, buffers of $buffer" recorded 2 \
        SYNCOPATE_BUFFER=$buffer "$PROGRAMS/threads" 3 3000 started
    check "  each call once" by_thread_started 3 3000
    check "  communicators agree" "$DUMP" comms "$trace"
    check "  times are in order" "$DUMP" times "$trace"
    check "  all completed" all_completed
done

stacks() {
    # One more is that of MPI_Finalize, which is an open call but no event.
    wanted=$(recorded 1 "$PROGRAMS/stacks") && [ "$("$DUMP" stacks "$trace" | wc -l)" = $((wanted + 1)) ]
}
check "every way to a call is a stack of its own, once" stacks
learned() { # the cache was used: far fewer walks than calls
    learned=$("$DUMP" meta stack.learned_count "$trace" | cut -d' ' -f2)
    walked=$("$DUMP" meta stack.walked_count "$trace" | cut -d' ' -f2)
    echo "learned $learned, walked $walked"
    [ "$learned" -gt 0 ] && [ $((learned + walked)) -lt 200 ]
}
check "  and most calls need no walk" learned
same_stacks() { # addresses differ from run to run, offsets do not
    "$DUMP" stacks "$trace" | sort >"$work/first"
    recorded 1 "$PROGRAMS/stacks" >/dev/null && "$DUMP" stacks "$trace" | sort | diff "$work/first" -
}
check "  the same in another run" same_stacks
no_stacks() {
    recorded 1 SYNCOPATE_STACK=0 "$PROGRAMS/stacks" >/dev/null && [ "$("$DUMP" stacks "$trace" | wc -l)" = 0 ]
}
check "depth 0 has none" no_stacks
for depth in 1 3 64; do
    check "depth $depth" recorded 1 SYNCOPATE_STACK=$depth "$PROGRAMS/stacks"
    check "  times are in order" "$DUMP" times "$trace"
done
finish
