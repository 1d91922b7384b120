#!/bin/sh
# Each example of the manual pages works as it stands there: with two ranks instead of four, two runs instead of ten, and traces and
# programs of the names that it has. (Those of syncopate-backend are run in install.sh.) $SYNCOPATE_CLI, $MPIRUN, $PROGRAM.
. "$(dirname "$0")/../plain_tmpdir.sh"
. "$(dirname "$0")/record_lib.sh"
export PATH="$(dirname "$SYNCOPATE_CLI"):$PATH"

# Programs that leave nothing to be tuned; traces, and experiments of as many runs as a difference takes.
mkdir given
cd given || exit 1
printf '#!/bin/sh\nexec "%s" 300\n' "$PROGRAM" >program
chmod +x program
for name in old new p; do cp program $name; done
run syncopate record -o trace -- "$MPIRUN" -n 2 ./program
expect "status of a trace for the examples" "$status" 0
run syncopate record -o before --runs 4 -- "$MPIRUN" -n 2 ./program
expect "status of an experiment for the examples" "$status" 0
for name in syncopate-trace job-4711; do cp -r trace $name; done
for name in after experiment; do cp -r before $name; done

# example PAGE LINE: in a directory of its own. What it writes by -o or > is there.
example()
{
    rm -rf "$work/try"
    cp -r "$work/given" "$work/try"
    cd "$work/try" || exit 1
    printf '%s\n' "$2" | sed "s|mpirun -n 4|$MPIRUN -n 2|g; s/--runs 10/--runs 2/; s/--until 2%/& --runs 2/" >line
    run sh ./line
    expect "status of an example of $1: $2" "$status" 0
    for file in $(printf '%s\n' "$2" | sed -n 's/.* -o \([^ ]*\).*/\1/p; s/.*>\([^ ]*\)$/\1/p'); do
        [ -e "$file" ] || fail "an example of $1 wrote no $file: $2"
    done
}

count=0
for page in "" $(syncopate --help | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do
    syncopate help --man $page | sed -n '/^\.SH EXAMPLES/,/^\.SH SEE/{s/\\-/-/g; s/\\e/\\/g; s/^  //p}' >"$work/examples"
    [ "$(wc -l <"$work/examples")" -ge 2 ] || fail "syncopate $page: fewer than two examples"
    while read -r line; do
        example "syncopate $page" "$line"
        count=$((count + 1))
    done <"$work/examples"
done
[ $count -ge 20 ] || fail "$count examples"
finish
