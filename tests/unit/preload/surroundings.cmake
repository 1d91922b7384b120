# Surroundings of the recorder: experimental factors, topology, loaded objects.
set(surroundings_sources ${CMAKE_SOURCE_DIR}/preload/base/environment.c ${CMAKE_SOURCE_DIR}/preload/facts/cpu_model.c ${CMAKE_SOURCE_DIR}/preload/facts/factors.c ${CMAKE_SOURCE_DIR}/preload/facts/modules.c
    ${CMAKE_SOURCE_DIR}/preload/facts/topology.c ${CMAKE_SOURCE_DIR}/sync/base/vector.c)
add_executable(surroundings_program surroundings_program.c ${surroundings_sources})
target_link_libraries(surroundings_program PRIVATE ${CMAKE_DL_LIBS})
target_link_options(surroundings_program PRIVATE -Wl,--build-id=sha1)
add_executable(surroundings_fixed_program surroundings_program.c ${surroundings_sources})
target_compile_options(surroundings_fixed_program PRIVATE -fno-pie)
target_link_options(surroundings_fixed_program PRIVATE -no-pie)
target_link_libraries(surroundings_fixed_program PRIVATE ${CMAKE_DL_LIBS})
foreach(plugin modules_plugin modules_other_plugin)
  add_library(${plugin} MODULE modules_plugin.c)
  set_target_properties(${plugin} PROPERTIES C_VISIBILITY_PRESET default)
  target_link_options(${plugin} PRIVATE -Wl,--build-id=sha1)
  target_compile_definitions(${plugin} PRIVATE PLUGIN_NAME="${plugin}")
endforeach()

foreach(test preload_factors_test preload_topology_test preload_modules_test)
  syn_unit_test(${test} SOURCES ${test}.c surroundings.c ${surroundings_sources} LIBRARIES ${CMAKE_DL_LIBS})
  target_link_options(${test} PRIVATE -Wl,--build-id=sha1)
  target_compile_definitions(${test} PRIVATE
    SURROUNDINGS_PROGRAM="$<TARGET_FILE:surroundings_program>"
    SURROUNDINGS_FIXED_PROGRAM="$<TARGET_FILE:surroundings_fixed_program>"
    MODULES_PLUGIN="$<TARGET_FILE:modules_plugin>"
    MODULES_OTHER_PLUGIN="$<TARGET_FILE:modules_other_plugin>")
  add_dependencies(${test} surroundings_program surroundings_fixed_program modules_plugin modules_other_plugin)
endforeach()
