#!/bin/sh
# ci_formats.py on the golden traces. $SYNCOPATE_CLI, $MAKE_TRACE, $SCHEMAS.
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
cd "$work" && sh "$here/golden_traces.sh" && /usr/bin/env python3 "$here/ci_formats.py" "$SYNCOPATE_CLI" "$SCHEMAS"
