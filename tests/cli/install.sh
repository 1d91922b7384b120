#!/bin/sh
# The installed tree, in a prefix that nobody knew when it was built, and moved once more: $CMAKE, $BUILD, $MPIRUN, $PROGRAM.
. "$(dirname "$0")/../plain_tmpdir.sh"
. "$(dirname "$0")/record_lib.sh"
unset SYNCOPATE_LIBRARY
run "$CMAKE" --install "$BUILD" --prefix "$work/first"
expect "status of the installation" "$status" 0
mv first second
syncopate=$work/second/bin/syncopate
library=$(find "$work/second" -name libsyncopate.so)

run "$syncopate" --version
expect "version" "$(cut -d' ' -f1 out)" syncopate
run "$syncopate" record -q -o trace -- "$MPIRUN" -n 2 "$PROGRAM"
expect "status of recording" "$status" 0
expect "output of the program" "$(cat out)" "sum 2"
run "$syncopate" check trace
expect "the trace is whole" "$status" 0
run "$syncopate" report trace
expect_line out "^Allreduce .* 10 "
run env LD_PRELOAD="${LD_PRELOAD:+$LD_PRELOAD }$library" SYNCOPATE_OUTPUT="$work/by_hand" "$MPIRUN" -n 2 "$PROGRAM"
[ -f by_hand/manifest ] || fail "nothing recorded by hand"

# A part for one more MPI, added to what is installed. (Under a sanitizer what is compiled apart would lack it: MPICC is not set.)
if [ -n "${MPICC-}" ]; then
    part=$(basename "$(ls -d "$work"/second/lib*/syncopate/libsyncopate-"$MPI".so "$work"/second/lib/*/syncopate/libsyncopate-"$MPI".so 2>/dev/null)")
    rm "$(dirname "$library")/$part"
    run "$syncopate" record -o without -- "$MPIRUN" -n 2 "$PROGRAM"
    expect "status without the part" "$status" 0
    [ "$(grep -c 'there is no part for' err)" = 1 ] || fail "without the part: $(cat err)"
    # (Whether it compiles is asked, and what it records, not how fast: the compiler that is found first does not optimize, and has
    # for the second example the objects of the first.)
    compiler=$(command -v cc)
    mkdir "$work/quick" "$work/objects"
    cat >"$work/quick/cc" <<END
#!/bin/sh
command=
for word; do
    case \$word in *.o) object=\$word ;; *) command="\$command \$word" ;; esac
done
kept=$work/objects/\$(echo "\$command" | md5sum | cut -c1-32)
case \$command in
*" -c "*) [ -e "\$kept" ] || "$compiler" "\$@" -O0 -g0 -o "\$kept"; cp "\$kept" "\$object" ;;
*) exec "$compiler" "\$@" ;;
esac
END
    chmod +x "$work/quick/cc"
    # It is called as in the examples of its page: with the part in DIR at the end, and before that beside the others.
    printf '#!/bin/sh\nexec "%s" "$@"\n' "$MPICC" >"$work/quick/mpicc"
    chmod +x "$work/quick/mpicc"
    sed -n '/^\.SH EXAMPLES/,/^\.SH SEE/{s/\\-/-/g; s#/opt/mpich-4.2/bin#'"$work"'/quick#; s/^  //p}' "$work/second/share/man/man1/syncopate-backend.1" >examples
    expect "examples of syncopate-backend" "$(wc -l <examples)" 2
    PATH=$work/quick:$work/second/bin:$PATH HOME=$work timeout 500 sh -e examples >out 2>err
    status=$?
    expect "status of syncopate-backend's examples" "$status" 0
    rm "$(dirname "$library")/$part" || fail "the first example of syncopate-backend left no part"
    run env "SYNCOPATE_BACKENDS=$work/parts" "$syncopate" record -q -o with -- "$MPIRUN" -n 2 "$PROGRAM"
    expect "status with the part" "$status" 0
    run "$syncopate" check with
    expect "the trace by the new part is whole" "$status" 0
    # A user without rights keeps the part in the home directory.
    mkdir -p "$work/home/.local/lib"
    mv "$work/parts" "$work/home/.local/lib/syncopate-$("$syncopate" --version | cut -d' ' -f2)"
    run env "HOME=$work/home" "$syncopate" record -q -o of_user -- "$MPIRUN" -n 2 "$PROGRAM"
    run "$syncopate" check of_user
    expect "the trace by the user's part is whole" "$status" 0
    run "$work/second/bin/syncopate-backend" /bin/true
    expect "status of a driver that is none" "$status" 2
fi

# some WHAT LIST NUMBER: the list has at least so many words, or a loop over it would check nothing.
some()
{
    [ "$(echo "$2" | wc -w)" -ge "$3" ] || fail "$1: fewer than $3 found: $2"
}

# Each manual page has examples, and that of record names every variable that the sources read.
sources=$(cd "$(dirname "$0")/../.." && pwd)
pages=$work/second/share/man/man1
commands=$("$syncopate" --help | sed -n 's/^  \([a-z]*\)  .*/syncopate-\1/p')
some "commands in the help" "$commands" 8
for page in syncopate syncopate-backend $commands; do
    grep -q '^\.SH EXAMPLES' "$pages/$page.1" || fail "no examples in $page.1"
done
variables=$(grep -rhoE '"SYNCOPATE_[A-Z_]*[A-Z]"' "$sources/preload" "$sources/analyze" "$sources/readers" --include='*.[chR]' --include='*.py' | tr -d '"' | sort -u)
some "variables in the sources" "$variables" 15
for variable in $variables; do
    grep -q "^.fB$variable.fR" "$pages/syncopate-record.1" || fail "syncopate-record.1 does not list $variable"
done

# Each file that the help and README.md refer to is installed.
[ -f "$work/second/share/doc/syncopate/copyright" ] || fail "no copyright file"
documents=$work/second/share/doc/syncopate
files=$(grep -o '](\([^):#]*\)' "$documents/README.md" | cut -c3- | sort -u)
some "links in README.md" "$files" 6
for file in $files docs/reports.md; do
    [ -f "$documents/$file" ] || fail "README.md refers to $file, which is not installed"
done
finish
