/* tests/unit/analyze/stats_equal_r_test.c - every figure equals R's on the same numbers.
 * Where R is looked up: make_stats_reference.R. */
#include <criterion/criterion.h>

#include "stats_reference.h"

Test(stats_equal_r, figures_of_one_column)
{
    check_figures(&column_figures);
}

Test(stats_equal_r, figures_across_samples)
{
    check_figures(&group_figures);
}

Test(stats_equal_r, figures_of_a_pair)
{
    check_figures(&pair_figures);
}

Test(stats_equal_r, figures_of_counts)
{
    check_figures(&count_figures);
}

Test(stats_equal_r, no_stored_figure_is_left_out)
{
    const struct figure_table *all[] = {&column_figures, &group_figures, &pair_figures,
                                        &count_figures};
    check_that_all_have_figures(all, sizeof all / sizeof *all);
}
