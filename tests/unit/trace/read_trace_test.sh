#!/bin/sh
# read_trace_test.sh DUMP_RANK READER: the format document's reader agrees with ours, and zstd accepts the file.
# Exit status 77 (skipped) where python3 or the zstd command is missing.
set -eu
command -v python3 >/dev/null && command -v zstd >/dev/null || { echo "skipped: no python3, or no zstd command"; exit 77; }
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
"$1" --make "$directory/rank-000003.syn"
zstd -tq "$directory/rank-000003.syn"
"$1" "$directory/rank-000003.syn" >"$directory/ours"
python3 "$2" "$directory/rank-000003.syn" >"$directory/theirs"
test "$(wc -l <"$directory/ours")" -eq 4020
cmp "$directory/ours" "$directory/theirs"
# A killed program's: its file without an end, and raw blocks that it has a part of.
"$1" --make-killed "$directory/rank-000003"
"$1" "$directory/rank-000003.syn.part" >"$directory/ours" || true # it says that the file has no end
python3 "$2" "$directory/rank-000003.syn.part" "$directory/rank-000003.raw" >"$directory/theirs"
test "$(wc -l <"$directory/ours")" -eq 1350
cmp "$directory/ours" "$directory/theirs"
# A node file of three ranks: of each the same as its own file said.
mkdir "$directory/node"
"$1" --make-node "$directory/node"
for rank in 3 4 5; do "$1" "$directory/node/rank-00000$rank.syn" >"$directory/ours.$rank"; done
cmp -s "$directory/ours.3" "$directory/ours.5" && exit 1
# Short files, as they are at the end of a run.
mkdir "$directory/short"
cp "$directory"/node/rank-00000[345].syn "$directory/short"
"$1" --shorten "$directory/short"
for rank in 3 4 5; do
    zstd -tq "$directory/short/rank-00000$rank.syn"
    "$1" "$directory/short/rank-00000$rank.syn" | cmp - "$directory/ours.$rank"
    python3 "$2" "$directory/short/rank-00000$rank.syn" | cmp - "$directory/ours.$rank"
done
"$1" --pack "$directory/node"
zstd -tq "$directory/node/node-000003.syn"
for rank in 3 4 5; do
    python3 "$2" "$directory/node/node-000003.syn" $rank >"$directory/theirs"
    cmp "$directory/ours.$rank" "$directory/theirs"
done
# A flipped byte is zstd's to find as well: in the content of the file's last frame with data.
frame=$(LC_ALL=C grep -abo "$(printf '\050\265\057\375')" "$directory/rank-000003.syn" | tail -1 | cut -d: -f1)
printf '\377' | dd of="$directory/rank-000003.syn" bs=1 seek=$((frame + 12)) conv=notrunc 2>/dev/null
! zstd -tq "$directory/rank-000003.syn" 2>/dev/null
