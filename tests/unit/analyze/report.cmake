# Matching, groups, figures, and what is printed.
syn_unit_test(match_test SOURCES match_test.c made_trace.c LIBRARIES syn_analyze)
syn_unit_test(match_drawn_test SOURCES match_drawn_test.c made_trace.c LIBRARIES syn_analyze)
syn_unit_test(column_test SOURCES column_test.c LIBRARIES syn_analyze)
syn_unit_test(report_groups_test SOURCES report_groups_test.c made_trace.c LIBRARIES syn_analyze)
syn_unit_test(report_late_test SOURCES report_late_test.c LIBRARIES syn_analyze)
syn_unit_test(report_print_test SOURCES report_print_test.c LIBRARIES syn_analyze)
syn_unit_test(diff_test SOURCES diff_test.c made_diff.c LIBRARIES syn_analyze)
syn_unit_test(compare_test SOURCES compare_test.c LIBRARIES syn_compare)
