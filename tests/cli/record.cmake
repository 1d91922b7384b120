# The record command as a user has it.
set(record_asan "")
if(SYN_SANITIZE)
  execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=libasan.so OUTPUT_VARIABLE record_asan
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
set(record_environment "SYNCOPATE_CLI=$<TARGET_FILE:syncopate_cli>" "ASAN=${record_asan}"
    "STATIC_PROGRAM=$<TARGET_FILE:record_static_program>" "OWN_MPI_PROGRAM=$<TARGET_FILE:record_own_mpi>")
add_executable(record_own_mpi record_own_mpi.c)
target_compile_options(record_own_mpi PRIVATE -fno-sanitize=all)
target_link_options(record_own_mpi PRIVATE -fno-sanitize=all)

add_test(NAME cli_record_alone COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/record_alone.sh)
set_tests_properties(cli_record_alone PROPERTIES LABELS cli TIMEOUT 900 ENVIRONMENT "${record_environment}")

foreach(mpi ${SYN_MPIS})
  set(program ${CMAKE_CURRENT_BINARY_DIR}/${mpi}/record_program)
  syn_recorded_program(${program} DEPENDS record_program.c ../mpi/resting.h
    COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_CURRENT_BINARY_DIR}/${mpi}
    COMMAND ${SYN_${mpi}_CC} -g -O2 -o ${program} ${CMAKE_CURRENT_SOURCE_DIR}/record_program.c ${SYN_${mpi}_YIELDING})
  add_custom_target(cli_${mpi}_record_program ALL DEPENDS ${program})
  if(mpi IN_LIST SYN_COMMAND_MPIS)
    add_test(NAME cli_record_${mpi} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/record_mpi.sh)
    set_tests_properties(cli_record_${mpi} PROPERTIES LABELS cli TIMEOUT 600 COST 30 ENVIRONMENT
      "${record_environment};MPI=${mpi};MPIRUN=${SYN_${mpi}_RUN};PROGRAM=${program}")
  endif()
  if(mpi STREQUAL openmpi)
    syn_test(cli_examples PLAIN COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/examples.sh
      PROPERTIES LABELS cli TIMEOUT 900 COST 30
      ENVIRONMENT "${record_environment};MPIRUN=${SYN_${mpi}_RUN};PROGRAM=${CMAKE_BINARY_DIR}/tests/mpi/${mpi}/pause")
  endif()
  # Programs with their MPI linked in, if this MPI allows it: MPICH as Debian has it.
  set(linked ${CMAKE_CURRENT_BINARY_DIR}/${mpi}/record_program_linked)
  set(link_it ${SYN_${mpi}_CC} -O2 -DINIT_THREAD -o ${linked} ${CMAKE_CURRENT_SOURCE_DIR}/record_program.c
      -l:libmpich.a -lhwloc -lucp -lucs -lpthread -lm -Wl,--as-needed)
  if(NOT DEFINED SYN_${mpi}_LINKS_IN)
    execute_process(COMMAND ${SYN_${mpi}_CC} -E -dM -include mpi.h -x c /dev/null OUTPUT_VARIABLE mpi_macros ERROR_QUIET)
    set(links_in FALSE)
    if(mpi_macros MATCHES "define MPICH_VERSION ")
      file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/${mpi})
      execute_process(COMMAND ${link_it} RESULT_VARIABLE does_not_link OUTPUT_QUIET ERROR_QUIET)
      string(COMPARE EQUAL "${does_not_link}" 0 links_in)
    endif()
    set(SYN_${mpi}_LINKS_IN ${links_in} CACHE INTERNAL "a program can have this MPI in itself")
  endif()
  if(SYN_${mpi}_LINKS_IN)
    syn_recorded_program(${linked} DEPENDS record_program.c COMMAND ${link_it} VERBATIM)
    add_custom_target(cli_${mpi}_record_program_linked ALL DEPENDS ${linked})
  else()
    set(linked "")
  endif()
  if(mpi IN_LIST SYN_COMMAND_MPIS)
    add_test(NAME cli_record_absent_${mpi} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/record_absent.sh)
    set_tests_properties(cli_record_absent_${mpi} PROPERTIES LABELS cli TIMEOUT 900 COST 30 SKIP_RETURN_CODE 77 ENVIRONMENT
      "${record_environment};MPIRUN=${SYN_${mpi}_RUN};PROGRAM=${program};LINKED_PROGRAM=${linked}")
  endif()
  # (Debian's Open MPI is deaf to what MPICH's launcher says, and the other way round.)
  set(others ${SYN_MPIS})
  list(REMOVE_ITEM others ${mpi})
  foreach(other ${others})
    add_test(NAME cli_record_${mpi}_under_${other} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/record_crossed.sh)
    set_tests_properties(cli_record_${mpi}_under_${other} PROPERTIES LABELS cli TIMEOUT 900 ENVIRONMENT
      "${record_environment};MPIRUN=${SYN_${mpi}_RUN};OTHER_MPIRUN=${SYN_${other}_RUN};PROGRAM=${program}")
  endforeach()
  # (In front of Slurm's daemons a sanitizer has no business.)
  set(slurm_mpich SRUN_MPI=pmi2)
  set(slurm_openmpi SRUN_MPI=pmix)
  if(slurm_${mpi})
    syn_test(cli_slurm_${mpi} PLAIN COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/slurm.sh
      PROPERTIES LABELS cli TIMEOUT 900 SKIP_RETURN_CODE 77 RUN_SERIAL TRUE
      ENVIRONMENT "${record_environment};${slurm_${mpi}};PROGRAM=${program}")
  endif()
  set(install_driver "")
  if(NOT SYN_SANITIZE)
    set(install_driver ${SYN_${mpi}_CC})
  endif()
  add_test(NAME cli_install_${mpi} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/install.sh)
  set_tests_properties(cli_install_${mpi} PROPERTIES LABELS cli TIMEOUT 900 COST 30 ENVIRONMENT
    "${record_environment};CMAKE=${CMAKE_COMMAND};BUILD=${CMAKE_BINARY_DIR};MPIRUN=${SYN_${mpi}_RUN};PROGRAM=${program};MPI=${mpi};MPICC=${install_driver}")
  syn_test(cli_oracle_${mpi} PLAIN COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/oracle_mpi.sh
    PROPERTIES LABELS cli TIMEOUT 600 COST 35 SKIP_RETURN_CODE 77 ENVIRONMENT
    "${record_environment};MPI=${mpi};MPIRUN=${SYN_${mpi}_RUN};PROGRAM=${program};ORACLE=${CMAKE_SOURCE_DIR}/tests/unit/analyze/oracle.R;DEMO=${CMAKE_SOURCE_DIR}/tests/demo")
  syn_test(cli_sample_programs_${mpi} PLAIN COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/sample_programs.sh
    PROPERTIES LABELS cli TIMEOUT 900 ENVIRONMENT
    "${record_environment};MPICC=${SYN_${mpi}_CC};MPIRUN=${SYN_${mpi}_RUN};SAMPLES=${CMAKE_SOURCE_DIR}/docs/samples")
  if(OTF2_FOUND AND mpi IN_LIST SYN_COMMAND_MPIS)
    add_test(NAME cli_otf2_${mpi} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/otf2.sh)
    set_tests_properties(cli_otf2_${mpi} PROPERTIES LABELS cli TIMEOUT 900 SKIP_RETURN_CODE 77 ENVIRONMENT
      "${record_environment};MPIRUN=${SYN_${mpi}_RUN};MAKE_TRACE=$<TARGET_FILE:make_trace>;PROGRAMS=${CMAKE_BINARY_DIR}/tests/mpi/${mpi}")
  endif()
endforeach()
