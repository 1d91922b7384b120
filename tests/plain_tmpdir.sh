# Sourced by tests of programs for which a blank in TMPDIR will not do: LD_PRELOAD takes no path with one or with a colon, nor do a
# sanitizer's options, and R (4.2) removes its temporary directory by an unquoted `rm -Rf`, which for "/tmp/mine and yours" removes /tmp/mine.
case ${TMPDIR-} in
*[[:space:]:]*)
    TMPDIR=/tmp
    export TMPDIR
    ;;
esac
