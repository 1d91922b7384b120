#!/bin/sh
# clang takes every source without a warning, with the flags of the build. (Each once: one backend stands for all.)
# usage: clang.sh BUILD_DIRECTORY [CLANG]        exit status 77: there is no clang
set -u
build=$1
clang=${2:-$(command -v clang || command -v clang-19 || command -v clang-16 || command -v clang-14)} || { echo "skipped: no clang"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$build" || exit 1
sed -n 's/^ *"command": "\(.*\)",\{0,1\}$/\1/p' compile_commands.json | sed 's/\\"/"/g; s/\\\\/\\/g' | grep '\.c$' |
    awk '!seen[$NF]++' | sed "s|^[^-]* -|'$clang' -fsyntax-only -Werror -Wno-unknown-warning-option -|; s| -o [^ ]*||; s| -c \([^ ]*\)\$| \1|" >"$work/commands"
count=$(wc -l <"$work/commands")
[ "$count" -gt 100 ] || { echo "clang.sh: $build/compile_commands.json has $count sources: is it a build with tests?"; exit 1; }

# Starting clang takes longer than most sources do: those with the same flags are given to one compiler proper, 25 at a time, two of
# them at once. (The driver says by which command it would start that, for the first source.)
awk '{ source = $NF; sub(/ [^ ]*$/, "") }
     seen[$0]++ % 25 == 0 { file[$0] = sprintf("%s/half%d.%04d", work, made % 2, made++); print >file[$0] }
     { print source >file[$0] }' work="$work" "$work/commands"
compile() { # FILE: flags, then sources, a line each
    proper=$(sh -c "$(sed -n 1p "$1") -### $(sed -n 2p "$1")" 2>&1 | grep '^ "[^"]*" "-cc1" ') || { echo "no compiler proper: $(sed -n 1p "$1")"; return 1; }
    sh -c "$proper $(sed 1,2d "$1" | tr '\n' ' ')"
}
for half in half0 half1; do
    for file in "$work/$half".*; do
        compile "$file" || echo "$file" >>"$work/failed"
    done >"$work/$half" 2>&1 &
done
wait
cat "$work/half0" "$work/half1"
[ ! -e "$work/failed" ] || { echo "clang does not take all $count sources"; exit 1; }
echo "clang takes all $count sources"
