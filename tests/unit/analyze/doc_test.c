/* A document: sentences by type, and what each renderer makes of the same sections. */
#include <criterion/criterion.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "analyze/doc/doc.h"

static struct syn_text said;

static const char *words(void)
{
    static char shown[512];
    snprintf(shown, sizeof shown, "%s", syn_text_chars(&said));
    syn_text_free(&said);
    return shown;
}

#define EXPECT_SAID(expected, ...)           \
    do {                                     \
        syn_words(&said, __VA_ARGS__);       \
        cr_expect_str_eq(words(), expected); \
    } while (0)

Test(say, units_by_type)
{
    const size_t count = 12345;
    const int32_t rank = 3;
    EXPECT_SAID("Rank 3 came last in 34.2 % of 12,345 instances",
                "Rank {rank} came last in {share} of {count} instances", rank, 0.342, count);
    EXPECT_SAID("3.41 us of 64 MiB, 178.8 %, p = 0.012", "{time} of {bytes}, {percent}, {p}", 3410,
                67108864.0, 1.788, 0.012);
    EXPECT_SAID("- and -", "{time} and {text}", NAN, (const char *)NULL);
    EXPECT_SAID("0.5, 0.50, 1e+03, -7", "{number}, {number.2}, {number.1g}, {n}", 0.5, 0.5, 1000,
                -7);
    EXPECT_SAID("[1.00 us, 2.00 us] [5.0 %, 6.0 %]", "{time..} {share..}", 1000.0, 2000.0, 0.05,
                0.06);
    EXPECT_SAID("1.00us|<64MiB|a b", "{time~}|<{bytes~}|{text}", 1000.0, 67108864, "a b");
    EXPECT_SAID("{as it is} and nothing more", "{{as it is} and nothing more");
}

Test(say, counts_have_a_sign)
{
    EXPECT_SAID("-12,345 and -1", "{count} and {count}", -12345, (int64_t)-1);
    EXPECT_SAID("0.00, 0, 0, -0.01", "{number.2}, {number.0}, {number}, {number.2}", -0.001, -0.5,
                -0.0, -0.006);
    EXPECT_SAID("[1.50, 2.00]", "{number.2..}", 1.5, 2.0);
}

/* Integers are no ratios. */
Test(say, a_share_of_an_integer_is_stopped, .signal = SIGABRT)
{
    syn_words(&said, "{share}", 1);
}

Test(say, words_follow_the_last_integer)
{
    EXPECT_SAID("1 rank was late", "{n} rank{s} {was|were} late", 1);
    EXPECT_SAID("2 ranks were late", "{n} rank{s} {was|were} late", 2);
    EXPECT_SAID("0 groups have it", "{count} group{s} ha{s|ve} it", (size_t)0);
    EXPECT_SAID("of 9, 1 group in 5 % of them", "of {n}, {n} group{s} in {number} % of them", 9, 1,
                5.0);
}

Test(say, pads_to_columns)
{
    EXPECT_SAID("   1.00 s|", "{time:9}|", 1e9);
    EXPECT_SAID("ab  |\xc3\xa4   |abcdef", "{text:-4}|{text:-4}|{text:2}", "ab", "\xc3\xa4",
                "abcdef");
}

/* ---- documents ---- */

static const struct syn_table_column columns[] = {
    {.title = "  rank", .key = "rank"},
    {.title = "node", .key = "node", .left = true, .flexible = true, .width_min = 4},
    {.key = "file_bytes"},
    {.title = "wait"},
};

static void tell_ranks(struct syn_doc *doc, const void *facts)
{
    (void)facts;
    syn_doc_heading(doc, "Ranks <1>");
    doc->tone = SYN_TONE_BAD;
    syn_say(doc, "Ranks {text} wait", "a|b\x1b");
    doc->tone = SYN_TONE_PLAIN;
    syn_say_more(doc, " for {time}.", 5.0);
    syn_say_item(doc, "one");
    syn_say_next(doc, "do it");
    syn_say_item(doc, "{text}", "");
    syn_doc_begin(doc, SYN_DOC_ITEM);
    struct syn_text *item = syn_doc_begin(doc, SYN_DOC_ITEM);
    syn_text_string(item, "tw");
    syn_text_char(item, 'o');
    syn_doc_next(doc, NULL);
    syn_say_pair(doc, 12, "took_ns", "took", "{time}", 2000.0);
    syn_say_pair(doc, 12, NULL, "words", "for people alone");
    syn_doc_table(doc, "ranks", columns, 4);
    for (int rank = 0; rank < 2; rank++) {
        syn_say_cell(doc, "{rank}", rank);
        syn_say_cell(doc, "{text}", rank ? "n,1" : NULL);
        if (rank)
            syn_say_cell(doc, "{bytes}", 2048);
        else
            syn_doc_no_cell(doc);
        syn_say_cell(doc, "{time}", 1500.0);
    }
}

static void tell_facts(struct syn_doc *doc, const void *facts)
{
    (void)facts;
    syn_doc_fact(doc, "name", "q\"");
    syn_doc_open_line(doc, "inner", '{');
    syn_doc_fact(doc, "yes", (_Bool)1);
    syn_doc_fact(doc, "unknown", NAN);
    syn_doc_close(doc);
}

static void tell_nothing(struct syn_doc *doc, const void *facts)
{
    (void)facts;
    syn_doc_heading(doc, "Nothing");
    cr_expect(syn_doc_is_silent(doc) || doc->format >= SYN_DOC_JSON);
}

static void draw(struct syn_doc *doc, const void *facts)
{
    syn_text_string(syn_doc_draw(doc), "<svg/>\n");
    (void)facts;
}

/* Advice without an item before it, and two of one item. */
static void tell_advice(struct syn_doc *doc, const void *facts)
{
    (void)facts;
    syn_say_next(doc, "a");
    syn_say_item(doc, "one");
    syn_say_next(doc, "b");
    syn_say_next(doc, "c");
    syn_say(doc, "Words.");
    syn_say_next(doc, "d");
}

/* Words for people behind a cell. */
static void tell_cell_and_words(struct syn_doc *doc, const void *facts)
{
    (void)facts;
    syn_doc_table(doc, "rows", columns + 1, 1);
    syn_say_cell(doc, "{text}", "n1");
    syn_say(doc, "Words");
    syn_say_more(doc, " and more.");
    syn_doc_pair(doc, 4, NULL, "label", SYN_VALUES("words"));
    syn_say_more(doc, " and more.");
}

static const struct syn_doc_section sections[] = {{tell_nothing, SYN_DOC_ALL, NULL},
                                                  {tell_ranks, SYN_DOC_ALL, NULL},
                                                  {tell_facts, SYN_DOC_ALL, NULL},
                                                  {draw, SYN_DOC_HTML, NULL}};

static void expect_sections(enum syn_doc_format format, const struct syn_doc_section *section,
                            size_t count, const char *expected)
{
    const struct syn_terminal terminal = {.width = 40};
    struct syn_doc doc = syn_doc_start(format, &terminal);
    struct syn_text text = {0};
    if (format == SYN_DOC_JSON)
        syn_doc_open(&doc, NULL, '{');
    syn_doc_build(&doc, section, count, NULL);
    if (format == SYN_DOC_JSON)
        syn_doc_close(&doc);
    syn_doc_write(&doc, &text);
    cr_expect_str_eq(syn_text_chars(&text), expected, "got:\n%s", syn_text_chars(&text));
    cr_expect(!text.failed);
    syn_text_free(&text);
    syn_doc_free(&doc);
}

static void expect_page(enum syn_doc_format format, const char *expected)
{
    expect_sections(format, sections, sizeof sections / sizeof *sections, expected);
}

Test(doc, as_text)
{
    expect_page(SYN_DOC_TEXT, "\nRanks <1>\n"
                              "Ranks a|b? wait for 5 ns.\n"
                              "  - one\n"
                              "    Next: do it\n"
                              "  - two\n"
                              "  took      2.00 us\n"
                              "  words     for people alone\n"
                              "  rank  node     wait\n"
                              "     0  -     1.50 us\n"
                              "     1  n,1   1.50 us\n");
}

Test(doc, as_html)
{
    expect_page(SYN_DOC_HTML,
                "<h2>Ranks &lt;1&gt;</h2>\n"
                "<p class=bad>Ranks a|b? wait for 5 ns.</p>\n"
                "<ul>\n<li>one<br><span class=next>Next: do it</span></li>\n<li>two</li>\n</ul>\n"
                "<dl>\n<dt>took<dd>2.00 us\n<dt>words<dd>for people alone\n</dl>\n"
                "<div class=wide tabindex=0><table><thead><tr><th>rank<th class=l>node<th>wait"
                "</thead>\n<tr><td>0<td class=l>-<td>1.50 us\n<tr><td>1<td class=l>n,1<td>1.50 us\n"
                "</table></div>\n<svg/>\n");
}

Test(doc, as_markdown)
{
    expect_page(SYN_DOC_MARKDOWN, "\n#### Ranks &lt;1>\n\n"
                                  "Ranks a\\|b? wait for 5 ns.\n\n"
                                  "- one *Next: do it*\n- two\n"
                                  "- **took** 2.00 us\n- **words** for people alone\n"
                                  "| rank | node | wait |\n|--:|---|--:|\n"
                                  "| 0 | - | 1.50 us |\n| 1 | n,1 | 1.50 us |\n");
}

Test(doc, as_json)
{
    expect_page(SYN_DOC_JSON, "{\n  \"took_ns\": 2000,\n  \"ranks\": [\n"
                              "    {\"rank\": 0, \"node\": null},\n"
                              "    {\"rank\": 1, \"node\": \"n,1\", \"file_bytes\": 2048}\n  ],\n"
                              "  \"name\": \"q\\\"\",\n"
                              "  \"inner\": {\"yes\": true, \"unknown\": null}\n"
                              "}\n");
}

Test(doc, as_csv)
{
    expect_page(SYN_DOC_CSV, "rank,node,file_bytes\n0,,\n1,\"n,1\",2048\n");
}

Test(doc, advice_is_never_lost)
{
    const struct syn_doc_section section = {tell_advice, SYN_DOC_ALL, NULL};
    expect_sections(SYN_DOC_HTML, &section, 1,
                    "<ul>\n<li><span class=next>Next: a</span></li>\n"
                    "<li>one<br><span class=next>Next: b</span><br><span class=next>Next: c</span>"
                    "</li>\n</ul>\n<p>Words.</p>\n"
                    "<ul>\n<li><span class=next>Next: d</span></li>\n</ul>\n");
    expect_sections(SYN_DOC_MARKDOWN, &section, 1,
                    "- *Next: a*\n- one *Next: b* *Next: c*\n\nWords.\n\n- *Next: d*\n");
}

Test(doc, words_for_people_leave_a_cell_as_it_is)
{
    const struct syn_doc_section section = {tell_cell_and_words, SYN_DOC_ALL, NULL};
    expect_sections(SYN_DOC_CSV, &section, 1, "node\nn1\n");
    expect_sections(SYN_DOC_JSON, &section, 1,
                    "{\n  \"rows\": [\n    {\"node\": \"n1\"}\n  ]\n}\n");
}

Test(doc, a_table_of_too_many_columns_fails)
{
    const struct syn_terminal terminal = {.width = 40};
    struct syn_table_column many[64] = {{.title = ""}};
    struct syn_doc doc = syn_doc_start(SYN_DOC_HTML, &terminal);
    struct syn_text text = {0};
    for (size_t i = 0; i < 64; i++)
        many[i] = columns[0];
    syn_doc_table(&doc, NULL, many, 64);
    for (size_t i = 0; i < 64; i++)
        syn_say_cell(&doc, "{rank}", 1);
    syn_doc_write(&doc, &text);
    cr_expect(text.failed);
    syn_text_free(&text);
    syn_doc_free(&doc);
}

Test(doc, a_heading_is_harmless)
{
    const struct syn_terminal terminal = {.width = 40};
    struct syn_doc doc = syn_doc_start(SYN_DOC_TEXT, &terminal);
    struct syn_text text = {0};
    syn_doc_heading(&doc, "rank\x1b[2J");
    syn_doc_write(&doc, &text);
    cr_expect_str_eq(syn_text_chars(&text), "\nrank?[2J\n");
    syn_text_free(&text);
    syn_doc_free(&doc);
}
