/* tests/fuzz/fuzz_judge.h - is what a command printed what its format allows, whatever the trace's
 * names were? Shared with the tests of hostile names (tests/unit/analyze). */
#ifndef FUZZ_JUDGE_H
#define FUZZ_JUDGE_H

#include <stddef.h>

enum fuzz_format { FUZZ_TEXT, FUZZ_JSON, FUZZ_CSV, FUZZ_HTML };

/* NULL where all is well, else a constant text that says what is wrong.
 * All: valid UTF-8, lines end in \n, no control characters (also those of U+0080..U+009F, and none
 * that reorders text), nothing but whole lines. JSON: one value by RFC 8259. CSV: as many fields in
 * each line, quoted as in RFC 4180, none that a spreadsheet takes for a formula. HTML: tags and
 * entities of ours alone. */
const char *fuzz_judge(enum fuzz_format format, const char *text, size_t bytes);

#endif
