# The statistics: equality with R on stored numbers, and what must hold for any numbers.
syn_unit_test(stats_equal_r_test
  SOURCES stats_equal_r_test.c stats_reference.c stats_column_figures.c stats_count_figures.c stats_group_figures.c
          stats_pair_figures.c
  LIBRARIES syn_stats m)
foreach(test stats_sort_test stats_interval_test stats_compare_test stats_series_test
        stats_change_test)
  syn_unit_test(${test} SOURCES ${test}.c LIBRARIES syn_stats m)
endforeach()

# The whole way from events to the report, recomputed by R from the export. (Figures are the same under a sanitizer, and what
# runs there is R; the commands themselves run under it in tests/cli.)
if(NOT SYN_SANITIZE)
  add_test(NAME stats_oracle_test
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/stats_oracle_test.sh $<TARGET_FILE:make_trace> $<TARGET_FILE:syncopate_cli>
            ${CMAKE_CURRENT_SOURCE_DIR}/oracle.R)
  set_tests_properties(stats_oracle_test PROPERTIES LABELS unit TIMEOUT 300 COST 35 SKIP_RETURN_CODE 77)
  add_test(NAME diff_oracle_test
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/diff_oracle_test.sh $<TARGET_FILE:make_trace> $<TARGET_FILE:syncopate_cli>
            ${CMAKE_CURRENT_SOURCE_DIR}/oracle_diff.R)
  set_tests_properties(diff_oracle_test PROPERTIES LABELS unit TIMEOUT 300 COST 40 SKIP_RETURN_CODE 77)
  add_test(NAME causes_oracle_test
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/causes_oracle_test.sh $<TARGET_FILE:make_trace> $<TARGET_FILE:syncopate_cli>
            ${CMAKE_CURRENT_SOURCE_DIR}/oracle_causes.R)
  set_tests_properties(causes_oracle_test PROPERTIES LABELS unit TIMEOUT 300 COST 30 SKIP_RETURN_CODE 77)
endif()
