#!/bin/sh
# look.sh - the pages of HTML in a browser: every picture has a name, axes and ticks, text can be read, nothing is cut
# on a screen of 1,280 pixels, on a phone, on paper and in the dark, nothing is loaded, and the console has no errors.
# Needs SYNCOPATE_CLI, MAKE_TRACE, and chromium; skipped where that is not there.
set -u
here=$(cd "$(dirname "$0")" && pwd)
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || {
    echo "skipped: no chromium"
    exit 77
}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0

# look PAGE WIDTH WHAT SED...: the page, changed by sed, in a frame of that width; $script looks at it.
script=check.js
look() {
    page=$1 width=$2 what=$3
    shift 3
    {
        sed "$@" "$page"
        printf '<script data-width=%s>\n' "$width"
        cat "$here/$script"
        printf '</script>\n'
    } >changed.html
    { # in a frame: a browser's own window is at least 500 pixels wide
        printf '<!DOCTYPE html><body><iframe width=%s height=2000 style="border:0" srcdoc="' "$width"
        sed 's/&/\&amp;/g; s/"/\&quot;/g' changed.html
        printf '"></iframe></body>\n'
    } >looked.html
    HOME=$work timeout 120 "$browser" --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
        --disable-background-networking --disable-dev-shm-usage --hide-scrollbars --user-data-dir="$work/profile" \
        --enable-logging=stderr --window-size=1400,2000 --virtual-time-budget=60000 --dump-dom "file://$work/looked.html" >dom 2>log
    if grep -q 'CONSOLE' log || ! grep -q '<pre id="found">LOOKED AT' dom; then
        echo "$page, $what:"
        sed -n '/<pre id="found">/,/<\/pre>/p' dom | head -20
        grep -m 5 CONSOLE log
        [ -s dom ] || tail -5 log
        failed=1
    else
        echo "$page, $what: $(sed -n 's/.*<pre id="found">LOOKED AT \([^<]*\).*/\1/p' dom)"
    fi
}

look_everywhere() {
    if grep -nE '<script[^>]|<link|@import|src=|url\(|fetch\(|XMLHttp|import\(|import ' "$1" | cut -c1-120 | grep .; then
        echo "$1: not complete in itself"
        failed=1
    fi
    look "$1" 1280 'screen' ''
    look "$1" 390 'phone' ''
    look "$1" 1031 'paper' 's/@media print/@media all/g'
    look "$1" 1280 'dark' 's/@media(prefers-color-scheme:dark)/@media all/g'
    look "$1" 1280 'without its script' '/^<script>$/,/^<\/script>$/d'
    script=use.js
    look "$1" 1280 'in use' ''
    script=zoom.js
    look "$1" 1280 'zoomed' ''
    script=check.js
}

$MAKE_TRACE ranks64 ranks=64 events=32000 groups=6 late=5 late_share=0.3 late_ns=20000 split=1 || exit 1
"$SYNCOPATE_CLI" report --format html -o report.html ranks64 || exit 1
look_everywhere report.html
# The look itself has to notice: a table that is not sorted, a link that leads nowhere, an axis that does not follow.
notices() { # SCRIPT FAULT
    if (failed=0 script=$1 && look report.html 1280 'broken' "$2" && exit $failed) >/dev/null; then
        echo "a page whose script is broken passed: $2"
        failed=1
    fi
}
notices use.js 's/figure(b) - figure(a)/0/'
notices use.js 's/filter.value = site/filter.value = ""/'
notices use.js 's/|| svg).append(mark)/|| svg)/'
notices zoom.js 's/view.left + x \* (view.right - view.left)/x/'
notices zoom.js 's/const within = .*/const within = at => at;/'

for run in 1 2 3 4 5 6; do
    $MAKE_TRACE a/run-000$run events=2400 groups=8 run_effect=0.005 run=$run || exit 1
    $MAKE_TRACE b/run-000$run events=2400 groups=8 run_effect=0.005 seed=2 slow=1.05 slow_group=1 run=$run || exit 1
done
"$SYNCOPATE_CLI" diff --format html -o diff.html --metric operation a -- b || exit 1
look_everywhere diff.html

if [ "$(grep -c 'B minus A</title>' diff.html)" -ne 4 ]; then
    echo "diff.html: no quantile regression"
    failed=1
fi
# Sizes of one operation.
"$SYNCOPATE_CLI" diff --format html -o sizes.html --by op,bytes --metric operation a -- b || exit 1
if ! grep -q 'B/A by size' sizes.html; then
    echo "sizes.html: no ratio by size"
    failed=1
fi
look sizes.html 1280 'screen' ''

$MAKE_TRACE steps events=24000 groups=12 seed=3 || exit 1
"$SYNCOPATE_CLI" report --format html -o steps.html --by op,bytes steps || exit 1
if [ "$(grep -c 'median by size</title>' steps.html)" -lt 2 ]; then
    echo "steps.html: no medians by size"
    failed=1
fi
look steps.html 1280 'screen' ''

# A report by call site.
"$SYNCOPATE_CLI" report --by op,stack --format html -o callers.html ranks64 || exit 1
look callers.html 1280 'screen' ''
look callers.html 390 'phone' ''

# A table of thousands of groups opens on what matters.
$MAKE_TRACE many events=20000 groups=5000 seed=7 || exit 1
"$SYNCOPATE_CLI" report --format html -o many.html many || exit 1
if [ "$(wc -c <many.html)" -gt 1000000 ]; then
    echo "many.html: more than 1 MB"
    failed=1
fi
# All of them: still a page that a browser takes.
"$SYNCOPATE_CLI" report --top 0 --format html -o all.html many || exit 1
if [ "$(wc -c <all.html)" -gt 1000000 ]; then
    echo "all.html: more than 1 MB"
    failed=1
fi
exit $failed
