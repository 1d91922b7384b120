#!/bin/sh
# facts.py on the golden traces. $SYNCOPATE_CLI, $MAKE_TRACE.
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
unset NO_COLOR TERM SYNCOPATE_OUTPUT
export COLUMNS= LC_ALL=C TZ=UTC
cd "$work" && sh "$here/golden_traces.sh" && python3 "$here/facts.py" "$here/facts.txt"
