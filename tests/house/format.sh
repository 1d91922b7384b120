#!/bin/sh
# Every C file is laid out as .clang-format has it. Other versions of clang-format lay out differently: 14 is asked alone.
# usage: format.sh CLANG_FORMAT SOURCE_DIRECTORY
cd "$2" || exit 2
"$1" --version 2>/dev/null | grep -q 'version 14\.' || { echo "skipped: no clang-format 14"; exit 77; }
find sync trace preload analyze tests docs -name '*.[ch]' -print0 | xargs -0 -n 60 "$1" --dry-run --Werror 2>&1 | grep -E 'error|warning' | head -20 |
    { if grep .; then echo "BROKEN: clang-format -i the files above"; exit 1; fi; }
