#!/bin/sh
# compilers.sh [COMPILER...]: every source builds without a warning as Release, Debug and MinSizeRel. Run by hand: it takes some
# four minutes of processor time a compiler. Default: those of gcc-12, gcc-14 and clang that are there, else gcc.
#
#   tests/house/compilers.sh                                  on this system
#   tests/package/bare_root.sh trixie './bootstrap build && tests/house/compilers.sh gcc'      with the gcc of Debian 13
set -u
cd "$(dirname "$0")/../.." || exit 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ $# -gt 0 ] || for compiler in gcc-12 gcc-14 clang; do
    if command -v $compiler >/dev/null; then set -- "$@" $compiler; fi
done
[ $# -gt 0 ] || set -- gcc
failed=0
for compiler; do
    for type in Release Debug MinSizeRel; do
        build=$work/$compiler-$type
        start=$(date +%s)
        if cmake -S . -B "$build" -G Ninja -DCMAKE_C_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=$type -DSYN_TESTS=OFF -DSYN_WERROR=ON >"$work/log" 2>&1 &&
            cmake --build "$build" -- -k 0 >"$work/log" 2>&1; then
            echo "$compiler $type: no warnings, $(($(date +%s) - start)) s"
        else
            echo "FAILED: $compiler $type"
            grep -E 'error:|Error' "$work/log" | sort -u | head -n 20
            failed=1
        fi
        rm -rf "$build"
    done
done
exit $failed
