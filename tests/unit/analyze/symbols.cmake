# Labels of call sites: fixtures whose lines are known, and copies of them as they occur in the field.
find_program(SYN_OBJCOPY NAMES ${CMAKE_OBJCOPY} objcopy REQUIRED)
find_program(SYN_CXX NAMES g++ c++)
find_program(SYN_FORTRAN NAMES gfortran)

add_library(symbols_fixture MODULE symbols_fixture.c)
add_library(symbols_fixture_other MODULE symbols_fixture.c)
add_library(symbols_fixture_no_build_id MODULE symbols_fixture.c)
foreach(fixture symbols_fixture symbols_fixture_other symbols_fixture_no_build_id)
  set_target_properties(${fixture} PROPERTIES C_VISIBILITY_PRESET default)
  target_compile_options(${fixture} PRIVATE -g -O2 -fno-sanitize=all)
endforeach()
target_link_options(symbols_fixture PRIVATE -Wl,--build-id=sha1)
target_link_options(symbols_fixture_other PRIVATE -Wl,--build-id=sha1 -Wl,-soname=other) # so its id is another
target_link_options(symbols_fixture_no_build_id PRIVATE -Wl,--build-id=none)

set(whole $<TARGET_FILE:symbols_fixture>)
set(copies ${CMAKE_CURRENT_BINARY_DIR}/symbols_copies)
file(MAKE_DIRECTORY ${copies})
add_custom_command(OUTPUT ${copies}/split.so
  COMMAND ${SYN_OBJCOPY} --remove-section .debug_aranges ${whole} ${copies}/no_aranges.so
  COMMAND ${SYN_OBJCOPY} --strip-all ${whole} ${copies}/stripped.so
  COMMAND ${SYN_OBJCOPY} --only-keep-debug ${whole} ${copies}/split.debug
  COMMAND ${SYN_OBJCOPY} --strip-all --add-gnu-debuglink=${copies}/split.debug ${whole} ${copies}/split.so
  DEPENDS symbols_fixture)
set(fixtures ${copies}/split.so)
set(definitions FIXTURE="${whole}" FIXTURE_NO_BUILD_ID="$<TARGET_FILE:symbols_fixture_no_build_id>"
    FIXTURE_OTHER="$<TARGET_FILE:symbols_fixture_other>" FIXTURE_STRIPPED="${copies}/stripped.so"
    FIXTURE_NO_ARANGES="${copies}/no_aranges.so" FIXTURE_SPLIT="${copies}/split.so")

# symbols_foreign_fixture(NAME COMPILER SOURCE): a fixture in a language that the project itself does not use.
function(symbols_foreign_fixture name compiler source)
  set(source ${CMAKE_CURRENT_SOURCE_DIR}/${source})
  add_custom_command(OUTPUT ${copies}/${name}.so DEPENDS ${source} WORKING_DIRECTORY ${copies}
    COMMAND ${compiler} -g -O1 -fPIC -shared -Wl,--build-id=sha1 -o ${copies}/${name}.so ${source})
endfunction()
if(SYN_CXX)
  symbols_foreign_fixture(cxx ${SYN_CXX} symbols_fixture_cxx.cpp)
  list(APPEND fixtures ${copies}/cxx.so)
  list(APPEND definitions FIXTURE_CXX="${copies}/cxx.so")
endif()
if(SYN_FORTRAN)
  symbols_foreign_fixture(fortran ${SYN_FORTRAN} symbols_fixture_fortran.f90)
  list(APPEND fixtures ${copies}/fortran.so)
  list(APPEND definitions FIXTURE_FORTRAN="${copies}/fortran.so")
endif()
add_custom_target(symbols_fixtures DEPENDS ${fixtures} symbols_fixture_other symbols_fixture_no_build_id)

syn_unit_test(symbols_label_test SOURCES symbols_label_test.c LIBRARIES syn_symbols)
syn_unit_test(symbols_wrappers_test SOURCES symbols_wrappers_test.c LIBRARIES syn_symbols syn_trace)
foreach(test symbols_object_test symbols_trace_test)
  syn_unit_test(${test} SOURCES ${test}.c ${CMAKE_SOURCE_DIR}/preload/facts/modules.c
                LIBRARIES syn_symbols syn_trace ${CMAKE_DL_LIBS})
  target_compile_definitions(${test} PRIVATE ${definitions})
  add_dependencies(${test} symbols_fixtures)
endforeach()
