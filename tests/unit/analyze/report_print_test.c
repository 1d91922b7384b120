/* Printing: units, JSON, CSV, tables; hostile names among them. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/print/json.h"
#include "analyze/print/table.h"
#include "analyze/print/text.h"
#include "analyze/print/units.h"
#include "sync/base/names.h"

static const char hostile[] = "a\x1b[31m\n\xff\xc0\x80\"\\\xe2\x82\xac\x7f";

Test(units, times_have_three_digits)
{
    char buffer[SYN_UNIT_BYTES];
    cr_expect_str_eq(syn_unit_time(buffer, 0), "0 ns");
    cr_expect_str_eq(syn_unit_time(buffer, 812), "812 ns");
    cr_expect_str_eq(syn_unit_time(buffer, 999.4), "999 ns");
    cr_expect_str_eq(syn_unit_time(buffer, 999.6), "1.00 us");
    cr_expect_str_eq(syn_unit_time(buffer, 9994.9), "9.99 us");
    cr_expect_str_eq(syn_unit_time(buffer, 9995), "10.0 us");
    cr_expect_str_eq(syn_unit_time(buffer, 99950), "100 us");
    cr_expect_str_eq(syn_unit_time(buffer, 999500), "1.00 ms");
    cr_expect_str_eq(syn_unit_time(buffer, 3.21e9), "3.21 s");
    cr_expect_str_eq(syn_unit_time(buffer, 12345e9), "12345 s");
    cr_expect_str_eq(syn_unit_time(buffer, -1500), "-1.50 us");
    cr_expect_str_eq(syn_unit_time(buffer, NAN), "-");
    cr_expect_str_eq(syn_unit_time(buffer, -0.0), "0 ns");
    cr_expect_str_eq(syn_unit_time(buffer, -0.004), "0 ns");
    cr_expect_str_eq(syn_unit_time(buffer, -0.4), "-0.40 ns");
}

Test(units, bytes_and_counts)
{
    char buffer[SYN_UNIT_BYTES];
    cr_expect_str_eq(syn_unit_bytes(buffer, 0), "0 B");
    cr_expect_str_eq(syn_unit_bytes(buffer, 1023), "1023 B");
    cr_expect_str_eq(syn_unit_bytes(buffer, 1024), "1 KiB");
    cr_expect_str_eq(syn_unit_bytes(buffer, 1536), "1.5 KiB");
    cr_expect_str_eq(syn_unit_bytes(buffer, 64.0 * 1024 * 1024), "64 MiB");
    cr_expect_str_eq(syn_unit_count(buffer, 0), "0");
    cr_expect_str_eq(syn_unit_count(buffer, 999), "999");
    cr_expect_str_eq(syn_unit_count(buffer, 1000), "1,000");
    cr_expect_str_eq(syn_unit_count(buffer, UINT64_MAX), "18,446,744,073,709,551,615");
    cr_expect_str_eq(syn_unit_share(buffer, 0.00001), "<0.1 %");
    cr_expect_str_eq(syn_unit_share(buffer, -0.0004), "0.0 %");
    cr_expect_str_eq(syn_unit_share(buffer, -0.0), "0.0 %");
    cr_expect_str_eq(syn_unit_share(buffer, -0.0006), "-0.1 %");
    cr_expect_str_eq(syn_unit_share(buffer, 1), "100.0 %");
    cr_expect_str_eq(syn_unit_percent(buffer, 1.788), "178.8 %");
    cr_expect_str_eq(syn_unit_percent(buffer, -0.0004), "0.0 %");
    cr_expect_str_eq(syn_unit_percent(buffer, -0.0), "0.0 %");
    cr_expect_str_eq(syn_unit_p(buffer, 0.0004), "p < 0.001");
}

/* Valid until the next call. */
static const char *site(const char *name, size_t width)
{
    static char shown[256];
    struct syn_text text = {0};
    syn_unit_site(&text, name, width);
    snprintf(shown, sizeof shown, "%s", syn_text_chars(&text));
    syn_text_free(&text);
    return shown;
}

Test(units, sites_keep_their_function_and_its_line)
{
    cr_expect_str_eq(site("main.c:31 solve", 20), "main.c:31 solve");
    cr_expect_str_eq(site("main.c:31 a_long_function", 20), "a_long_function:31");
    cr_expect_str_eq(site("main.c:31 solve_it", 12), "solve_it:31");
    cr_expect_str_eq(site("a_very_long_file.c:1234", 12), "..ile.c:1234");
    cr_expect_str_eq(site("solve+0x1f (hpcc)", 12), "solve+0x1f");
    cr_expect_str_eq(site("L_NS::Neighbor::check_distance+0x1e2 (lmp)", 20),
                     "check_distance+0x1e2");
    cr_expect_str_eq(site("L_NS::Neighbor::check_distance+0x1e2 (lmp)", 17), "check_distance");
    cr_expect_str_eq(site("n.cpp:7 L_NS::Neighbor::check_distance", 22), "n.cpp:7 check_distance");
    cr_expect_str_eq(site("n.cpp:7 L_NS::Neighbor::check_distance", 16), "check_distance:7");
    cr_expect_str_eq(site("Grid<A::B>::fill(C::D)+0x8 (x)", 15), "fill(..)+0x8");
    cr_expect_str_eq(site("m.cpp:9 Grid<std::vector<double> >::exchange<Halo<3>, Op<int> >", 40),
                     "m.cpp:9 Grid<..>::exchange<..>");
    cr_expect_str_eq(site("m.cpp:9 Grid<std::vector<double> >::exchange<Halo<3>, Op<int> >", 22),
                     "m.cpp:9 exchange<..>");
    cr_expect_str_eq(site("main::{lambda(int, double)#1}::operator()+0x12 (x)", 42),
                     "main::{lambda(..)#1}::operator()+0x12");
    cr_expect_str_eq(site("m.cpp:9 (anonymous namespace)::operator< <std::string>", 48),
                     "m.cpp:9 (anonymous namespace)::operator< <..>");
    cr_expect_str_eq(site("libx.so.0+0x359c3f", 12), "..0+0x359c3f");
    cr_expect_eq(syn_unit_site_least("n.cpp:7 L_NS::Neighbor::check_distance"), 16);
    cr_expect_eq(syn_unit_site_least("hpcc+0x1f"), 9);
    for (size_t width = 3; width < 40; width++)
        cr_expect_leq(syn_utf8_count(site("gr\xc3\xb6\xc3\x9f"
                                          "e.c:77 \xce\xb1\xce\xb2\xce\xb3\xce\xb4 xyz",
                                          width)),
                      width);
}

Test(units, a_site_in_a_sentence_is_folded_where_it_is_long)
{
    struct syn_text text = {0};
    syn_unit_place(&text, "m.cpp:9 Grid<double>::step");
    cr_expect_str_eq(syn_text_chars(&text), "m.cpp:9 Grid<double>::step");
    syn_text_clear(&text);
    syn_unit_place(&text, "m.cpp:9 Grid<std::vector<double, std::allocator<double> > >::exchange"
                          "<Halo<3>, Operation<std::plus<int> > > (completion)");
    cr_expect_str_eq(syn_text_chars(&text), "m.cpp:9 Grid<..>::exchange<..> (completion)");
    syn_text_free(&text);
}

Test(text, that_is_too_long_for_memory_has_failed)
{
    struct syn_text text = {0};
    syn_text_string(&text, "kept");
    syn_text_repeat(&text, ' ', SIZE_MAX / 2);
    cr_expect(text.failed);
    syn_text_free(&text);
}

Test(text, what_a_terminal_would_obey_is_taken_out)
{
    struct syn_text text = {0};
    syn_text_harmless(&text, hostile);
    cr_expect_str_eq(syn_text_chars(&text), "a?[31m????\"\\\xe2\x82\xac?");
    syn_text_clear(&text);
    syn_text_harmless(&text, "\xc2\x9b"
                             "31m"); /* CSI as one character */
    cr_expect_str_eq(syn_text_chars(&text), "?31m");
    syn_text_free(&text);
}

Test(text, a_line_is_made_harmless_in_place)
{
    char line[64];
    snprintf(line, sizeof line, "%s", hostile);
    cr_expect_str_eq(syn_make_harmless(line), "a?[31m????\"\\\xe2\x82\xac?");
    snprintf(line, sizeof line, "plain");
    cr_expect_str_eq(syn_make_harmless(line), "plain");
}

Test(text, a_word_is_quoted_for_a_shell_where_it_must_be)
{
    static const struct {
        const char *word, *quoted;
    } words[] = {{"/a/b-1.old", "/a/b-1.old"}, {"", "''"},     {"a b", "'a b'"},
                 {"it's", "'it'\\''s'"},       {"$x", "'$x'"}, {"~", "'~'"}};
    char out[SYN_SHELL_BYTES(8)];
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        cr_expect_str_eq(syn_shell_word(words[i].word, out, sizeof out), words[i].quoted);
    cr_expect_str_eq(syn_shell_word("abcdef", out, 4), "abc"); /* cut */
}

Test(text, utf8_is_checked_strictly)
{
    cr_expect_eq(syn_utf8_length("a", 1), 1);
    cr_expect_eq(syn_utf8_length("\xc3\xa9", 2), 2);
    cr_expect_eq(syn_utf8_length("\xc3\xa9", 1), 0);         /* cut */
    cr_expect_eq(syn_utf8_length("\xc0\x80", 2), 0);         /* overlong */
    cr_expect_eq(syn_utf8_length("\xe0\x80\x80", 3), 0);     /* overlong */
    cr_expect_eq(syn_utf8_length("\xed\xa0\x80", 3), 0);     /* surrogate */
    cr_expect_eq(syn_utf8_length("\xf4\x90\x80\x80", 4), 0); /* beyond U+10FFFF */
    cr_expect_eq(syn_utf8_length("\xf0\x9f\x98\x80", 4), 4);
}

Test(json, strings_are_escaped)
{
    struct syn_text text = {0};
    struct syn_json json = syn_json_start(&text);
    syn_json_string(&json, NULL, hostile);
    cr_expect_str_eq(syn_text_chars(&text),
                     "\"a\\u001b[31m\\u000a\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\\\"\\\\"
                     "\xe2\x82\xac\\u007f\"");
    syn_text_free(&text);
}

Test(json, numbers_read_back_as_themselves)
{
    static const double values[] = {
        0, 1, -1, 0.1, 1.0 / 3, 1e15, 123456789012345678.0, 5e-324, 1.7976931348623157e308};
    char buffer[32];
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        syn_number_text(values[i], buffer);
        cr_expect_eq(strtod(buffer, NULL), values[i], "%s", buffer);
    }
    syn_number_text(0.1, buffer);
    cr_expect_str_eq(buffer, "0.1");
    syn_number_text(NAN, buffer);
    cr_expect_str_eq(buffer, "");
}

Test(json, structure)
{
    struct syn_text text = {0};
    struct syn_json json = syn_json_start(&text);
    syn_json_open(&json, NULL, '{');
    syn_json_number(&json, "zero", -0.0);
    syn_json_number(&json, "nan", NAN);
    syn_json_open_line(&json, "list", '[');
    syn_json_count(&json, NULL, 1);
    syn_json_bool(&json, NULL, true);
    syn_json_close(&json);
    syn_json_open(&json, "empty", '[');
    syn_json_close(&json);
    syn_json_close(&json);
    cr_expect_str_eq(
        syn_text_chars(&text),
        "{\n  \"zero\": 0,\n  \"nan\": null,\n  \"list\": [1, true],\n  \"empty\": []\n}\n");
    syn_text_free(&text);
}

/* Valid until the next call. */
static const char *field(const char *value)
{
    static char shown[256];
    struct syn_text text = {0};
    syn_csv_field(&text, value);
    snprintf(shown, sizeof shown, "%s", syn_text_chars(&text));
    syn_text_free(&text);
    return shown;
}

Test(csv, fields_are_quoted_where_they_must)
{
    cr_expect_str_eq(field("main.c:31 solve"), "main.c:31 solve");
    cr_expect_str_eq(field("f(int, int)"), "\"f(int, int)\"");
    cr_expect_str_eq(field("say \"hi\""), "\"say \"\"hi\"\"\"");
    cr_expect_str_eq(field(" x"), "\" x\"");
    cr_expect_str_eq(field("a\nb"), "\"a?b\"");
    cr_expect_str_eq(field(""), "");
}

/* Whatever the width, no row is wider, as long as the columns that must stay fit. */
Test(table, fits_the_terminal)
{
    static const struct syn_table_column columns[] = {
        {.title = "operation", .left = true},
        {.title = "site", .left = true, .flexible = true, .width_min = 6},
        {.title = "first", .optional = 1},
        {.title = "second", .optional = 2},
        {.title = "time"},
    };
    for (size_t width = 30; width < 120; width++) {
        struct syn_terminal terminal = {.width = width};
        struct syn_text text = {0};
        struct syn_table *table = syn_table_new(columns, 5);
        for (int row = 0; row < 3; row++) {
            syn_table_cell(table, "Allreduce");
            syn_table_cell(table, "a_file_name.c:123 some_function_name");
            syn_table_cell(table, "12.3us");
            syn_table_cell(table, "45.6ms");
            syn_table_cell(table, "7.89s");
        }
        syn_table_write(table, &terminal, &text);
        char *line = strtok((char *)syn_text_chars(&text), "\n");
        for (int row = 0; row < 4; row++, line = strtok(NULL, "\n")) {
            cr_assert_not_null(line);
            cr_assert_leq(strlen(line), width, "%zu: %s", width, line);
            cr_assert_not_null(strstr(line, row ? "7.89s" : "time"), "%s", line);
        }
        syn_table_free(table);
        syn_text_free(&text);
    }
}

Test(memory, that_ran_out_is_handed_on)
{
    static const struct syn_table_column column = {.title = "rank"};
    const struct syn_terminal terminal = {.width = 40};
    struct syn_table *table = syn_table_new(&column, 1);
    struct syn_text failed = {.failed = true}, text = {0};
    syn_table_cell(table, NULL);
    syn_table_write(table, &terminal, &text);
    cr_expect(text.failed);
    syn_table_free(table);
    syn_text_free(&text);
    syn_table_write(NULL, &terminal, &text);
    cr_expect(text.failed);
    text.failed = false;
    syn_text_add(&text, &failed);
    cr_expect(text.failed);
    cr_expect_eq(text.length, 0);
    syn_text_free(&text);
}
