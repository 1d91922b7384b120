#!/bin/sh
# facts.py on the golden traces. $SYNCOPATE_CLI, $MAKE_TRACE.
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
cd "$work" && sh "$here/golden_traces.sh" && LC_ALL=C COLUMNS='' python3 "$here/facts.py" "$here/facts.txt"
