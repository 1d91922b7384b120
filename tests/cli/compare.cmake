# The compare command with each MPI; the program and its environment are those of record.cmake.
foreach(mpi ${SYN_COMMAND_MPIS})
  add_test(NAME cli_compare_${mpi} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/compare_mpi.sh)
  set_tests_properties(cli_compare_${mpi} PROPERTIES LABELS cli TIMEOUT 600 ENVIRONMENT
    "${record_environment};MPI=${mpi};MPIRUN=${SYN_${mpi}_RUN};PROGRAM=${CMAKE_CURRENT_BINARY_DIR}/${mpi}/record_program")
endforeach()
