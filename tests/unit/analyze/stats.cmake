# The statistics: equality with R on stored numbers, and what must hold for any numbers.
syn_unit_test(stats_equal_r_test
  SOURCES stats_equal_r_test.c stats_reference.c stats_column_figures.c stats_count_figures.c stats_group_figures.c
          stats_pair_figures.c
  LIBRARIES syn_stats m)
foreach(test stats_sort_test stats_interval_test stats_compare_test stats_series_test
        stats_change_test stats_together_test)
  syn_unit_test(${test} SOURCES ${test}.c LIBRARIES syn_stats m)
endforeach()

# The whole way from events to the report, recomputed by R from the export. (The commands themselves run under sanitizers in
# tests/cli.)
foreach(oracle stats diff causes messages tune)
  set(script oracle_${oracle}.R)
  if(oracle STREQUAL stats)
    set(script oracle.R)
  endif()
  syn_test(${oracle}_oracle_test PLAIN
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/${oracle}_oracle_test.sh $<TARGET_FILE:make_trace> $<TARGET_FILE:syncopate_cli>
            ${CMAKE_CURRENT_SOURCE_DIR}/${script}
    # (The longest, that of causes, takes 165 s, and 300 s beside five others.)
    PROPERTIES LABELS unit TIMEOUT 900 COST 40 SKIP_RETURN_CODE 77)
endforeach()
