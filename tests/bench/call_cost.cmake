# What a wrapped call costs, for each MPI: ctest -L bench -V, or tests/bench/call_cost.sh by hand.
foreach(mpi ${SYN_MPIS})
  add_executable(call_cost_${mpi} call_cost.c)
  add_library(two_reads_${mpi} MODULE two_reads.c)
  target_link_libraries(two_reads_${mpi} PRIVATE ${CMAKE_DL_LIBS})
  foreach(target call_cost_${mpi} two_reads_${mpi})
    target_include_directories(${target} SYSTEM PRIVATE ${SYN_${mpi}_INCLUDES})
  endforeach()
  target_link_libraries(call_cost_${mpi} PRIVATE ${SYN_${mpi}_LIBRARIES})
  add_test(NAME bench_call_cost_${mpi}
           COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/call_cost.sh $<TARGET_FILE:call_cost_${mpi}> $<TARGET_FILE:two_reads_${mpi}>
                   $<TARGET_FILE:syncopate> ${SYN_${mpi}_RUN} 3)
  set_tests_properties(bench_call_cost_${mpi} PROPERTIES LABELS "bench" TIMEOUT 300)
endforeach()
