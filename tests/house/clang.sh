#!/bin/sh
# clang takes every source without a warning, with the flags of the build. (Each once: one backend stands for all.)
# usage: clang.sh BUILD_DIRECTORY [CLANG]        exit status 77: there is no clang
set -u
build=$1
clang=${2:-$(command -v clang || command -v clang-19 || command -v clang-16 || command -v clang-14)} || { echo "skipped: no clang"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sed -n 's/^ *"command": "\(.*\)",\{0,1\}$/\1/p' "$build/compile_commands.json" | sed 's/\\"/"/g; s/\\\\/\\/g' | grep '\.c$' |
    awk '!seen[$NF]++' | sed "s|^[^-]* -|'$clang' -fsyntax-only -Wno-unknown-warning-option -|; s| -o [^ ]*||" >"$work/commands"
count=$(wc -l <"$work/commands")
[ "$count" -gt 100 ] || { echo "clang.sh: $build/compile_commands.json has $count sources: is it a build with tests?"; exit 1; }
cd "$build" || exit 1
# Two at a time, each half in a shell of its own.
split -n l/2 "$work/commands" "$work/half."
for half in "$work"/half.*; do
    { while IFS= read -r command; do printf '%s || echo %s >>%s\n' "$command" failed "$work/failed"; done <"$half" | sh >"$half.out" 2>&1; } &
done
wait
cat "$work"/half.*.out
[ ! -e "$work/failed" ] || { echo "clang: $(wc -l <"$work/failed") of $count sources"; exit 1; }
echo "clang takes all $count sources"
