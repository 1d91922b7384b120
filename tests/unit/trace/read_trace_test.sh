#!/bin/sh
# read_trace_test.sh DUMP_RANK READER: the format document's reader agrees with ours, and zstd accepts the file.
# Exit status 77 (skipped) where python3 or the zstd command is missing.
set -eu
command -v python3 >/dev/null && command -v zstd >/dev/null || exit 77
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
"$1" --make "$directory/rank-000003.syn"
zstd -tq "$directory/rank-000003.syn"
"$1" "$directory/rank-000003.syn" >"$directory/ours"
python3 "$2" "$directory/rank-000003.syn" >"$directory/theirs"
test "$(wc -l <"$directory/ours")" -eq 2018
cmp "$directory/ours" "$directory/theirs"
# A killed program's: its file without an end, and raw blocks that it has a part of.
"$1" --make-killed "$directory/rank-000003"
"$1" "$directory/rank-000003.syn.part" >"$directory/ours" || true # it says that the file has no end
python3 "$2" "$directory/rank-000003.syn.part" "$directory/rank-000003.raw" >"$directory/theirs"
test "$(wc -l <"$directory/ours")" -eq 1346
cmp "$directory/ours" "$directory/theirs"
# A flipped byte is zstd's to find as well: in the content of the file's last frame with data.
frame=$(LC_ALL=C grep -abo "$(printf '\050\265\057\375')" "$directory/rank-000003.syn" | tail -1 | cut -d: -f1)
printf '\377' | dd of="$directory/rank-000003.syn" bs=1 seek=$((frame + 12)) conv=notrunc 2>/dev/null
! zstd -tq "$directory/rank-000003.syn" 2>/dev/null
