#!/bin/sh
# pictures.sh HPCC_TRACE OUT - the screens of docs/pictures, taken again: pages as a screen of 1,280 pixels, a phone of 390
# and paper show them. HPCC_TRACE: a trace of `mpirun -n 4 hpcc`, as ./bootstrap demo makes it. Needs SYNCOPATE_CLI,
# MAKE_TRACE, chromium, convert (imagemagick) and pdftoppm (poppler-utils). No test: look at what comes out.
set -eu
hpcc=$(realpath "$1")
mkdir -p "$2"
out=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

chrome() {
    HOME=$work timeout 120 chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$work/profile" \
        "$@" >/dev/null 2>&1
}

# screen PAGE PICTURE WIDTH HEIGHT. A window has at least 500 pixels, so a phone is a frame in one.
screen() {
    printf '<!DOCTYPE html><body style="margin:0"><iframe src="%s" width=%s height=%s style="border:0;display:block"></iframe>\n' \
        "$1" "$3" "$4" >frame.html
    chrome --window-size="1300,$4" --screenshot="$work/shot.png" "file://$work/frame.html"
    convert shot.png -crop "$3x$4+0+0" +repage -colors 256 "PNG8:$out/$2"
}

"$MAKE_TRACE" ranks64 ranks=64 events=320000 groups=6 late=5 late_share=0.3 late_ns=20000 >/dev/null
"$SYNCOPATE_CLI" report --format html -o ranks64.html ranks64
screen ranks64.html report-desktop.png 1280 1500
screen ranks64.html report-phone.png 390 1500
chrome --print-to-pdf="$work/page.pdf" --no-pdf-header-footer "file://$work/ranks64.html"
pdftoppm -r 90 -f 1 -l 1 -png -singlefile page.pdf page
convert page.png -colors 256 "PNG8:$out/report-print.png"

"$SYNCOPATE_CLI" report --format html -o hpcc.html "$hpcc"
screen hpcc.html report-hpcc.png 1280 1500

"$MAKE_TRACE" many events=200000 groups=5000 seed=7 >/dev/null
"$SYNCOPATE_CLI" report --format html -o many.html many
screen many.html report-5000-groups.png 1280 1500

for run in 1 2 3 4 5 6 7 8; do
    "$MAKE_TRACE" a/run-000$run events=4800 groups=8 run_effect=0.005 run=$run >/dev/null
    "$MAKE_TRACE" b/run-000$run events=4800 groups=8 run_effect=0.005 seed=2 slow=1.15 slow_group=1 run=$run >/dev/null
done
"$SYNCOPATE_CLI" diff --format html -o diff.html --metric operation a -- b
screen diff.html diff-desktop.png 1280 1800
