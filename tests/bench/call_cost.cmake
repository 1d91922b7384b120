# Costs of a wrapped call, for each MPI: ctest -L bench -V, or call_cost.sh by hand. Among other tests they are no
# figures. Builds the programs of init_cost.sh and align_figures.sh, too.
foreach(mpi ${SYN_MPIS})
  set(directory ${CMAKE_CURRENT_BINARY_DIR}/${mpi})
  set(source ${CMAKE_CURRENT_SOURCE_DIR})
  add_custom_command(OUTPUT ${directory}/call_cost ${directory}/two_reads.so
    COMMAND ${CMAKE_COMMAND} -E make_directory ${directory}
    COMMAND ${SYN_${mpi}_CC} -std=gnu11 -O2 -Wall -Wextra ${SYN_ERRORS} -o ${directory}/call_cost ${source}/call_cost.c
    COMMAND ${SYN_${mpi}_CC} -std=gnu11 -D_GNU_SOURCE -O2 -Wall -Wextra ${SYN_ERRORS} -shared -fPIC -I${CMAKE_SOURCE_DIR}
            -o ${directory}/two_reads.so ${source}/two_reads.c -ldl
    DEPENDS call_cost.c two_reads.c VERBATIM)
  # Programs of comm_cost.sh (making and freeing a communicator), init_cost.sh, align_figures.sh, sustained_cost.sh and
  # first_call.sh.
  # (10,000 call sites of stack_cost take long to optimize, and are as good without.)
  foreach(program comm_cost init_time align_loop stack_cost sustained_cost first_call)
    add_custom_command(OUTPUT ${directory}/${program}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${directory}
      COMMAND ${SYN_${mpi}_CC} -std=gnu11 -D_GNU_SOURCE $<IF:$<STREQUAL:${program},stack_cost>,-O1,-O2> -Wall -Wextra ${SYN_ERRORS}
              -I${CMAKE_SOURCE_DIR} -o ${directory}/${program} ${source}/${program}.c -lpthread
      DEPENDS ${program}.c call_sites.h VERBATIM)
  endforeach()
  add_custom_target(bench_${mpi}_call_cost ALL DEPENDS ${directory}/call_cost ${directory}/two_reads.so)
  add_custom_target(bench_${mpi}_costs DEPENDS ${directory}/comm_cost ${directory}/init_time ${directory}/align_loop
                    ${directory}/stack_cost ${directory}/sustained_cost ${directory}/first_call)
  add_dependencies(bench_programs bench_${mpi}_costs)
  add_test(NAME bench_call_cost_${mpi}
           COMMAND ${source}/call_cost.sh ${directory}/call_cost ${directory}/two_reads.so $<TARGET_FILE:syncopate>
                   ${SYN_${mpi}_RUN} 3)
  set_tests_properties(bench_call_cost_${mpi} PROPERTIES LABELS bench TIMEOUT 900)
endforeach()
