#!/bin/sh
# facts.sh [update] - facts.py on the golden traces, made anew. $SYNCOPATE_CLI, $MAKE_TRACE.
#
# "update" accepts the ten pages that are printed now: look at `git diff tests/cli/golden` before committing them.
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
unset NO_COLOR TERM SYNCOPATE_OUTPUT
export COLUMNS= LC_ALL=C TZ=UTC
cd "$work" && sh "$here/golden_traces.sh" && python3 "$here/facts.py" "$here/facts.txt" "$@"
