/* The command line of `compare`, and the order in which it runs. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/compare/compare.h"
#include "analyze/compare/words.h"
#include "sync/base/status.h"

/* The words joined by '|', or the fault. */
static const char *joined(const char *line)
{
    static char text[256];
    char **words = NULL;
    const char *why = NULL;
    int status = syn_words_split(line, &words, &why);
    text[0] = '\0';
    if (status)
        return why;
    for (size_t i = 0; words[i]; i++) {
        strcat(text, i ? "|" : "");
        strcat(text, words[i]);
    }
    syn_words_free(words);
    return text;
}

Test(words, are_parted_as_by_a_shell)
{
    static const char *const cases[][2] = {
        {"mpirun -n 4 ./a.out", "mpirun|-n|4|./a.out"},
        {"  a \t b\n", "a|b"},
        {"a", "a"},
        {"a 'b c' d", "a|b c|d"},
        {"a \"b c\" d", "a|b c|d"},
        {"a b\\ c", "a|b c"},
        {"a '' b", "a||b"},
        {"a x'y z'w", "a|xy zw"},
        {"a '\"' \"'\"", "a|\"|'"},
        {"a \"\\\"\\$x\\n\"", "a|\"$x\\n"},
        {"a '$HOME|*'", "a|$HOME|*"},
        {"a --b=c,d:e~#%", "a|--b=c,d:e~#%"},
        {"sh -c 'x | y > z'", "sh|-c|x | y > z"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        cr_expect_str_eq(joined(cases[i][0]), cases[i][1], "%s", cases[i][0]);
}

Test(words, that_need_a_shell_are_refused)
{
    static const char *const acted_upon[] = {"a | b", "a > b",    "a & b", "a; b",  "a $HOME",
                                             "a `b`", "a \"$b\"", "ls *",  "a (b)", "a ?"};
    for (size_t i = 0; i < sizeof acted_upon / sizeof *acted_upon; i++)
        cr_expect_not_null(strstr(joined(acted_upon[i]), "sh -c"), "%s", acted_upon[i]);
    cr_expect_str_eq(joined("a 'b"), "a quote is not closed");
    cr_expect_str_eq(joined("a \"b"), "a quote is not closed");
    cr_expect_str_eq(joined("a \"b\\"), "a quote is not closed");
    cr_expect_str_eq(joined("a b\\"), "nothing follows the last backslash");
    cr_expect_str_eq(joined(""), "the command is empty");
    cr_expect_str_eq(joined(" \t"), "the command is empty");
}

Test(compare_order, holds_both_in_each_pair_and_starts_with_each_in_half_of_them)
{
    unsigned char side[40], again[40], other[40];
    int differ = 0, late_half = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        int a_first = 0;
        syn_compare_order(seed, 20, side);
        syn_compare_order(seed, 20, again);
        syn_compare_order(seed + 1, 20, other);
        cr_assert_eq(memcmp(side, again, sizeof side), 0);
        differ += memcmp(side, other, sizeof side) != 0;
        for (int i = 0; i < 20; i++) {
            cr_assert_eq(side[2 * i] + side[2 * i + 1], 1);
            a_first += side[2 * i] == 0;
            late_half += i >= 10 && side[2 * i] == 0;
        }
        cr_assert_eq(a_first, 10);
    }
    cr_expect_gt(differ, 195);
    /* of 10 in each of 200 orders, half by chance: sd 16 */
    cr_expect(late_half > 900 && late_half < 1100, "%d", late_half);
}

Test(compare_order, of_an_odd_number_gives_the_extra_pair_to_either)
{
    unsigned char side[2];
    int a_first = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        syn_compare_order(seed, 1, side);
        a_first += side[0] == 0;
    }
    cr_expect(a_first > 60 && a_first < 140, "%d", a_first);
}
