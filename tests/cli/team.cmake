# A report by several processes is that of one. (The MPIs leak, which is not ours to mend.)
set(team_events 1400000)
if(SYN_SANITIZE)
  set(team_events 560000) # three slices instead of six
endif()
foreach(mpi ${SYN_LONG_MPIS})
  set(yielding "")
  if(SYN_${mpi}_YIELDING)
    set(yielding $<TARGET_FILE:mpi_yielding>)
  endif()
  add_test(NAME cli_team_${mpi} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/team.sh)
  set_tests_properties(cli_team_${mpi} PROPERTIES LABELS cli TIMEOUT 300 COST 30 PROCESSORS 2 ENVIRONMENT
    "SYNCOPATE_CLI=$<TARGET_FILE:syncopate_cli>;MAKE_TRACE=$<TARGET_FILE:make_trace>;EVENTS=${team_events};RUN=${SYN_${mpi}_RUN};TEAM=$<TARGET_FILE:syncopate_team_${mpi}>;YIELDING=${yielding};ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0")
endforeach()
