#!/bin/sh
# Names that a program gives, with what has a meaning in JSON, HTML, CSV and on a terminal: as text in every output, and
# as themselves where a format can say them.
. "$(dirname "$0")/lib.sh"
syncopate=$(dirname "$SYNCOPATE")/../bin/syncopate
mkdir "$SYNCOPATE_TEST_FILE.d"
check "names runs recorded" recorded 2 "$PROGRAMS/names"

output() { # FILE COMMAND...
    file=$1
    shift
    "$syncopate" "$@" >"$work/$file" 2>"$work/said"
}

# shown FILE TEXT...: each is in it; and it has no control but line ends, nor a byte that is no UTF-8
shown() {
    file=$1
    shift
    for text in "$@"; do
        grep -qF -e "$text" "$work/$file" || { echo "not there: $text"; grep -a -m3 'c,' "$work/$file"; return 1; }
    done
    tr -d '\n' <"$work/$file" | LC_ALL=C grep -qa '[[:cntrl:]]' && { echo "a control character"; return 1; }
    iconv -f UTF-8 -t UTF-8 "$work/$file" >/dev/null
}

check "perfetto" output perfetto export --format perfetto "$trace"
check "  has each name, escaped" shown perfetto '"comm":"a\"b\\c,<i>&'"'"'\u0001\u001b[31m�é"' \
    'file 1 <b>\"&'"'"'.dat of a\"b\\c' 'window 1 of a\"b\\c'
check "json" output json report --format json --top 0 "$trace"
check "  has each name, escaped" shown json '"a\"b\\c,<i>&'"'"'\u0001\u001b[31m�é"' 'file 1 <b>\"&'"'"'.dat of a\"b\\c' 'window 1 of a\"b\\c'
check "html" output html report --format html --top 0 "$trace"
check "  has each name, escaped" shown html 'a&quot;b\c,&lt;i&gt;&amp;&#39;??[31m?é' 'file 1 &lt;b&gt;&quot;&amp;&#39;.dat of a&quot;b\c' \
    'window 1 of a&quot;b\c'
check "  and no element of theirs" sh -c "! grep -qE '<i>&|<b>(&quot;|\")' '$work/html'"
check "csv" output csv export --format csv "$trace"
check "  has each name, quoted" shown csv ',"a""b\c,<i>&'"'" ',"file 1 <b>""&'"'"'.dat of a""b\c' ',"window 1 of a""b\c'
if command -v otf2-print >/dev/null && "$syncopate" export --format otf2 -o "$work/archive" "$trace" 2>"$work/said"; then
    otf2-print -G "$work/archive/traces.otf2" >"$work/otf2"
    check "otf2 has each name, without controls" shown otf2 'a"b\c,<i>&'"'"'??[31m?é' 'file 1 <b>"&'"'"'.dat of a"b\c' 'window 1 of a"b\c'
fi

# The recorder names such a directory in one line, and quotes it in the command that it tells.
trace=$work/$(printf "it's\033[2J\nhere")
check "a directory with such a name" recorded 2 "$PROGRAMS/names"
check "  two lines" said_lines 2
check "  without controls" shown said "recording 2 ranks to $work/it's?[2J?here (" "; syncopate report '$work/it'\\''s?[2J?here'"
finish
