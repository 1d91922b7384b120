# The tables by which stacks are walked (x86-64).
set(frame_rules ${CMAKE_SOURCE_DIR}/preload/recorder/stacks/frame_rules.c ${CMAKE_SOURCE_DIR}/sync/base/bytes.c)
syn_unit_test(preload_frame_rules_test SOURCES preload_frame_rules_test.c ${frame_rules} LIBRARIES ${CMAKE_DL_LIBS})
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$")
  add_executable(frame_rules_program frame_rules_program.c ${frame_rules})
  target_link_libraries(frame_rules_program PRIVATE ${CMAKE_DL_LIBS})
  file(GLOB objects /usr/lib/x86_64-linux-gnu/libc.so.6 /usr/lib/x86_64-linux-gnu/libmpi.so.40 /usr/lib/x86_64-linux-gnu/libgfortran.so.5
       /usr/lib/x86_64-linux-gnu/libstdc++.so.6 /usr/lib64/libc.so.6 /usr/lib64/libstdc++.so.6 /usr/lib64/libgfortran.so.5 /usr/bin/hpcc)
  syn_test(frame_rules PLAIN COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/frame_rules.sh $<TARGET_FILE:frame_rules_program> ${objects}
           PROPERTIES LABELS unit TIMEOUT 900)
endif()
