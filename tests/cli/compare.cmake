# The compare command with each MPI; the program and its environment are those of record.cmake. Rules when to stop, and one program
# against itself, take many runs and no account of the MPI: with the first one, in the plain build.
foreach(mpi ${SYN_COMMAND_MPIS})
  set(rules "")
  list(FIND SYN_MPIS ${mpi} place)
  if(place EQUAL 0 AND NOT SYN_SANITIZE)
    set(rules yes)
  endif()
  add_test(NAME cli_compare_${mpi} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/compare_mpi.sh)
  set_tests_properties(cli_compare_${mpi} PROPERTIES LABELS cli TIMEOUT 600 COST 25 ENVIRONMENT
    "${record_environment};RULES=${rules};MPI=${mpi};MPIRUN=${SYN_${mpi}_RUN};PROGRAM=${CMAKE_CURRENT_BINARY_DIR}/${mpi}/record_program")
endforeach()
