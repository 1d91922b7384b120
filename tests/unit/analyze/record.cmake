# The record command, without an MPI: its options, what launchers are told, starting and waiting.
add_executable(record_static_program record_static_program.c)
target_compile_options(record_static_program PRIVATE -fno-sanitize=all)
target_link_options(record_static_program PRIVATE -static -fno-sanitize=all)
# A library that says no name of its own, as plug-ins are.
add_library(record_plugin MODULE record_static_program.c)
target_link_options(record_plugin PRIVATE -fno-sanitize=all)
target_compile_options(record_plugin PRIVATE -fno-sanitize=all)
set_target_properties(record_plugin PROPERTIES NO_SONAME ON)
foreach(test record_options_test record_environment_test record_run_test)
  syn_unit_test(${test} SOURCES ${test}.c LIBRARIES syn_record)
  target_compile_definitions(${test} PRIVATE STATIC_PROGRAM="$<TARGET_FILE:record_static_program>"
                             PLUGIN="$<TARGET_FILE:record_plugin>")
  add_dependencies(${test} record_static_program record_plugin)
endforeach()
