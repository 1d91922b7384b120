#!/bin/sh
# The schemas and the page of all figures are those that the rows of the figures give.
#
#   figures.sh WRITE_FIGURES SOURCE_DIRECTORY           a diff for each that differs
#   figures.sh WRITE_FIGURES SOURCE_DIRECTORY update    write them anew
set -u
write=$1 failed=0
cd "$2" || exit 2
got=$(mktemp)
trap 'rm -f "$got"' EXIT
while read -r what file; do
    "$write" "$what" >"$got" || failed=1
    if [ "${3:-}" = update ]; then
        cp "$got" "$file"
    elif ! diff -u "$file" "$got"; then
        echo "BROKEN: $file is not what the rows of the figures give: figures.sh ... update writes it"
        failed=1
    fi
done <<end
report docs/schema/report.schema.json
diff docs/schema/diff.schema.json
hang docs/schema/hang.schema.json
tune docs/schema/tune.schema.json
page docs/figures.md
end
exit $failed
