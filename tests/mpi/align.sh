#!/bin/sh
# --align: the program's results and records stay what they are; what was started together started together; what was
# not is flagged, counted and left out. How much is late depends on how busy the machine is; nothing asserted here does.
# usage: align.sh RANKS...
. "$(dirname "$0")/lib.sh"
syncopate=$(dirname "$SYNCOPATE")/../bin/syncopate
rounds=30

# Into $work/rows, of what may be aligned (blocking, two members and more): instance, start, whether late.
# Making and freeing communicators is never aligned.
# Communicators are told apart by their size, the two halves by who is in them.
rows() {
    "$syncopate" export --format csv -o "$work/csv" "$trace" >&2 || return 1
    sed 's/"[^"]*"/x/g' "$work/csv" | awk -F, -v ranks="$1" -v others="$work/others" 'NR > 1 && $4 !~ /^MPI_Comm_/ {
        late = int($16 / 16) % 2
        if ($6 < 2 || $4 ~ /MPI_I/) { print $2, late, $4 > others; next }
        print $6 "." ($6 < ranks ? $2 < int(ranks / 2) : "") "." $8, $12, late, $2 }' >"$work/rows"
    : >>"$work/others"
}

# Blocking, of each rank: 3 x rounds + 1 on the world, the rest on its half and on itself.
same_records() {
    awk -v rounds=$rounds 'FILENAME ~ /others/ { count[$1] += $3 !~ /MPI_I/; next } { count[$4]++ }
        END { for (r in count) if (count[r] != 5 * rounds + 1) { print "rank", r, "has", count[r]; exit 1 } }' "$work/others" "$work/rows"
}

# An instance that nobody started late has a spread of at most ALLOWANCE_NS.
starts_together() {
    awk -v allowed="$1" '{
            late[$1] += $3
            if (!($1 in first) || $2 < first[$1]) first[$1] = $2
            if (!($1 in last) || $2 > last[$1]) last[$1] = $2
        }
        END {
            for (key in first) {
                n++
                late_count += late[key] > 0
                if (!late[key] && last[key] - first[key] > worst) worst = last[key] - first[key]
            }
            print n, "instances,", late_count, "late, worst spread of the others", worst + 0, "of", allowed, "ns"
            exit !(n > 0 && worst <= allowed)
        }' "$work/rows"
}

late_count() { awk '$3 { late[$1] = 1 } END { for (key in late) n++; print n + 0 }' "$work/rows"; }

late_only_where_aligned() { awk '$2 { exit 1 }' "$work/others"; }

all_late() { awk '{ late[$1] += $3 } END { for (key in late) if (!late[key]) { print key; exit 1 } }' "$work/rows"; }

# report and info say the number that the rows have.
left_out() {
    "$syncopate" report --format json "$trace" | grep -o '"late_start": [0-9]*' |
        awk -v late="$(late_count)" '{ sum += $2 } END { print sum, late; exit sum != late }' || return 1
    [ "$(late_count)" = 0 ] && return
    COLUMNS=200 "$syncopate" report "$trace" >"$work/report"
    COLUMNS=200 "$syncopate" report --all "$trace" >"$work/report_all"
    "$syncopate" info "$trace" >"$work/info"
    grep "[0-9] are left out: they started late (--all keeps them)" "$work/report" &&
        grep "[0-9] instances started late. The figures include them." "$work/report_all" &&
        grep "[0-9] instances started late: left out of figures" "$work/info"
}

bound() { # the largest that info knows of
    "$syncopate" info --format json "$trace" | grep -o '"bound_[a-z]*_ns": [0-9]*' | awk '$2 > max { max = $2 } END { print max + 0 }'
}

for ranks in "$@"; do
    check "$ranks ranks, barrier" recorded "$ranks" SYNCOPATE_ALIGN=barrier "$PROGRAMS/align" $rounds
    rm -f "$work/others"
    rows "$ranks"
    check "  the records are the same" same_records
    check "  nothing is late" [ "$(late_count)" = 0 ]

    check "$ranks ranks, window" recorded "$ranks" SYNCOPATE_ALIGN=window=200us "$PROGRAMS/align" $rounds
    rm -f "$work/others"
    rows "$ranks"
    check "  the records are the same" same_records
    check "  starts are together" starts_together $((1000 + 4 * $(bound)))
    sed 's/^/    /' "$work/check"
    check "  late only where aligned" late_only_where_aligned
    check "  left out, and said so" left_out

    skew=seed=$ranks,offset_ns=1e9,drift_ppm=20
    check "$ranks ranks, window, clocks 1 s apart" recorded "$ranks" SYNCOPATE_ALIGN=window "SYNCOPATE_TEST_SKEW=$skew" "$PROGRAMS/align" $rounds
    rows "$ranks"
    # 100 us, or what the clocks know of themselves where the machine disturbed their measurement.
    known=$((1000 + 4 * $(bound)))
    check "  starts are together" starts_together $((known > 100000 ? known : 100000))
    sed 's/^/    /' "$work/check"

    check "$ranks ranks, clocks never compared" recorded "$ranks" SYNCOPATE_ALIGN=window SYNCOPATE_SYNC=none "SYNCOPATE_TEST_SKEW=$skew" "$PROGRAMS/align" $rounds
    rows "$ranks"
    check "  nobody waited for ever, and all is late" all_late
done
check "every collective, each after a barrier" recorded 3 SYNCOPATE_ALIGN=barrier "$PROGRAMS/collectives"
check "every collective in a window" recorded 3 SYNCOPATE_ALIGN=window "$PROGRAMS/collectives"
finish
