/* analyze/doc/say.h - sentences with typed places: each place takes one value and names its unit.
 *
 *     syn_words(&text, "Rank {rank} came last in {share} of {count} instance{s}", rank, share, n);
 *
 * The name of a place says how its value is written. Three checks keep values and places together:
 *   - the compiler accepts integers, doubles, bools and strings only;
 *   - tests/house/say.py reads the sources: each place has a known name, and there are as many
 * values as places;
 *   - a value of a type that its place does not accept is written as "{?}", and stops a build with
 *     assertions.
 *
 *     {time}     a double or an integer in ns: "3.41 us"; "-" for NAN
 *     {share}    a double, 0..1: "34.2 %";  {percent} any ratio: "178.8 %";  {p} "p = 0.012"
 *     {factor}   a double, a ratio of times: "3.42", from 9.95 on "15"
 *     {bytes}    a double or an integer: "64 MiB"
 *     {count}    an integer: "12,345";  {rank} and {n} an integer: "12345"
 *     {number}   a double or an integer, as %g;  {number.2} with that many decimals, as %.2f;
 *                {number.3g} with that many digits, as %.3g
 *     {yes}      a bool: "yes" or "no"
 *     {text}     a string, NULL is "-";  {place} a call site in a sentence (print/units.h)
 *     {shell}    a string as a shell reads it: a name with blanks is in quotes
 *     {time..}   two values, low and high: "[3.41 us, 5.00 us]"; also with every other unit of
 * doubles {s}        "" if the last integer before it was 1, else "s";  {was|were} the first word
 * if it was 1, else the second {time~}    without the blank before the unit: "3.41us" {time:9}   at
 * least nine columns, aligned to the right;  {text:-9} to the left
 *     {{         a brace
 *
 * Values are copied into the text unchanged. Names may contain any character: each format escapes
 * the text when it writes the text. */
#ifndef SYN_SAY_H
#define SYN_SAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/print/text.h"

struct syn_value {
    enum syn_value_kind {
        SYN_VALUE_NONE,
        SYN_VALUE_INTEGER,
        SYN_VALUE_COUNT,
        SYN_VALUE_NUMBER,
        SYN_VALUE_BOOL,
        SYN_VALUE_TEXT
    } kind;
    union {
        int64_t integer;
        uint64_t count;
        double number; /* NAN: unknown */
        bool truth;
        const char *text; /* borrowed; may be NULL */
    };
};

/* Appends a sentence. value [count]: the sentence with its places, then a value for each place. */
void syn_words_of(struct syn_text *out, const struct syn_value *value, size_t count);
#define syn_words(out, ...) syn_words_of(out, SYN_VALUES(__VA_ARGS__))
/* Appends the sentence, escaped for HTML. */
void syn_html_words_of(struct syn_text *out, const struct syn_value *value, size_t count);
#define syn_html_words(out, ...) syn_html_words_of(out, SYN_VALUES(__VA_ARGS__))
/* Adds the sentence as the table's next cell. */
struct syn_table;
void syn_table_say_of(struct syn_table *table, const struct syn_value *value, size_t count);
#define syn_table_say(table, ...) syn_table_say_of(table, SYN_VALUES(__VA_ARGS__))
/* Prints the sentence as a line on standard output. Control characters become '?'. */
void syn_print_of(const struct syn_value *value, size_t count);
#define syn_print(...) syn_print_of(SYN_VALUES(__VA_ARGS__))

static inline struct syn_value syn_value_integer(int64_t value)
{
    return (struct syn_value){.kind = SYN_VALUE_INTEGER, .integer = value};
}

static inline struct syn_value syn_value_count(uint64_t value)
{
    return (struct syn_value){.kind = SYN_VALUE_COUNT, .count = value};
}

static inline struct syn_value syn_value_number(double value)
{
    return (struct syn_value){.kind = SYN_VALUE_NUMBER, .number = value};
}

static inline struct syn_value syn_value_bool(bool value)
{
    return (struct syn_value){.kind = SYN_VALUE_BOOL, .truth = value};
}

static inline struct syn_value syn_value_text(const char *value)
{
    return (struct syn_value){.kind = SYN_VALUE_TEXT, .text = value};
}

/* Converts an argument to a struct syn_value by its type. */
#define SYN_VALUE(x) \
    _Generic((x),                          \
             _Bool: syn_value_bool,        \
             short: syn_value_integer,     \
             int: syn_value_integer,       \
             long: syn_value_integer,      \
             long long: syn_value_integer, \
             unsigned short: syn_value_count,     \
             unsigned: syn_value_count,           \
             unsigned long: syn_value_count,      \
             unsigned long long: syn_value_count, \
             float: syn_value_number,             \
             double: syn_value_number,            \
             char *: syn_value_text,              \
             const char *: syn_value_text)(x)

/* Expands to an array of up to 16 values, a comma, and their number. */
#define SYN_VALUES(...)                                      \
    (const struct syn_value[]){SYN_EACH_VALUE(__VA_ARGS__)}, \
        sizeof((const struct syn_value[]){SYN_EACH_VALUE(__VA_ARGS__)}) / sizeof(struct syn_value)
#define SYN_EACH_VALUE(...)                                                                   \
    SYN_PICK_17(__VA_ARGS__, SYN_EACH_16, SYN_EACH_15, SYN_EACH_14, SYN_EACH_13, SYN_EACH_12, \
                SYN_EACH_11, SYN_EACH_10, SYN_EACH_9, SYN_EACH_8, SYN_EACH_7, SYN_EACH_6,     \
                SYN_EACH_5, SYN_EACH_4, SYN_EACH_3, SYN_EACH_2, SYN_EACH_1, 0)                \
    (__VA_ARGS__)
#define SYN_PICK_17(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, name, \
                    ...)                                                                         \
    name
#define SYN_EACH_1(x)       SYN_VALUE(x)
#define SYN_EACH_2(x, ...)  SYN_VALUE(x), SYN_EACH_1(__VA_ARGS__)
#define SYN_EACH_3(x, ...)  SYN_VALUE(x), SYN_EACH_2(__VA_ARGS__)
#define SYN_EACH_4(x, ...)  SYN_VALUE(x), SYN_EACH_3(__VA_ARGS__)
#define SYN_EACH_5(x, ...)  SYN_VALUE(x), SYN_EACH_4(__VA_ARGS__)
#define SYN_EACH_6(x, ...)  SYN_VALUE(x), SYN_EACH_5(__VA_ARGS__)
#define SYN_EACH_7(x, ...)  SYN_VALUE(x), SYN_EACH_6(__VA_ARGS__)
#define SYN_EACH_8(x, ...)  SYN_VALUE(x), SYN_EACH_7(__VA_ARGS__)
#define SYN_EACH_9(x, ...)  SYN_VALUE(x), SYN_EACH_8(__VA_ARGS__)
#define SYN_EACH_10(x, ...) SYN_VALUE(x), SYN_EACH_9(__VA_ARGS__)
#define SYN_EACH_11(x, ...) SYN_VALUE(x), SYN_EACH_10(__VA_ARGS__)
#define SYN_EACH_12(x, ...) SYN_VALUE(x), SYN_EACH_11(__VA_ARGS__)
#define SYN_EACH_13(x, ...) SYN_VALUE(x), SYN_EACH_12(__VA_ARGS__)
#define SYN_EACH_14(x, ...) SYN_VALUE(x), SYN_EACH_13(__VA_ARGS__)
#define SYN_EACH_15(x, ...) SYN_VALUE(x), SYN_EACH_14(__VA_ARGS__)
#define SYN_EACH_16(x, ...) SYN_VALUE(x), SYN_EACH_15(__VA_ARGS__)

#endif
