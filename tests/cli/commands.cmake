# Facts in what every command prints of small traces with a known truth (facts.txt), and the claims of the report's sentences,
# computed from the export.
find_program(SYN_PYTHON python3)
if(SYN_PYTHON)
  add_test(NAME cli_facts COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/facts.sh)
  set_tests_properties(cli_facts PROPERTIES LABELS cli TIMEOUT 900 COST 20 ENVIRONMENT
    "SYNCOPATE_CLI=$<TARGET_FILE:syncopate_cli>;MAKE_TRACE=$<TARGET_FILE:make_trace>")
  add_test(NAME cli_sentences COMMAND ${SYN_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/sentences.py
           $<TARGET_FILE:make_trace> $<TARGET_FILE:syncopate_cli>)
  add_test(NAME cli_pager COMMAND ${SYN_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/pager.py
    $<TARGET_FILE:make_trace> $<TARGET_FILE:syncopate_cli>)
  set_tests_properties(cli_pager PROPERTIES LABELS cli TIMEOUT 900 SKIP_RETURN_CODE 77)
  set_tests_properties(cli_sentences PROPERTIES LABELS cli TIMEOUT 900)
endif()

# Several slices: the same whatever the threads and the memory.
set(size_events 900000)
if(SYN_SANITIZE)
  set(size_events 630000) # three slices instead of four
  set(size_sanitized 1)   # what is freed stays
endif()
add_test(NAME cli_size COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/size.sh)
set_tests_properties(cli_size PROPERTIES LABELS cli TIMEOUT 900 COST 20 ENVIRONMENT
  "SYNCOPATE_CLI=$<TARGET_FILE:syncopate_cli>;MAKE_TRACE=$<TARGET_FILE:make_trace>;EVENTS=${size_events};SANITIZED=${size_sanitized}")

# The columnar export, by a reader of its own.
add_test(NAME cli_parquet COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/parquet.sh)
set_tests_properties(cli_parquet PROPERTIES LABELS cli TIMEOUT 900 ENVIRONMENT
  "SYNCOPATE_CLI=$<TARGET_FILE:syncopate_cli>;MAKE_TRACE=$<TARGET_FILE:make_trace>")

# Formats for build servers, code hosts and other programs. (The commands are those of cli_facts.)
syn_test(cli_ci_formats PLAIN COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/ci_formats.sh
  PROPERTIES LABELS cli TIMEOUT 900 COST 15 SKIP_RETURN_CODE 77 ENVIRONMENT
  "SYNCOPATE_CLI=$<TARGET_FILE:syncopate_cli>;MAKE_TRACE=$<TARGET_FILE:make_trace>;SCHEMAS=${CMAKE_SOURCE_DIR}/docs/schema")

# The tutorial's traces.
add_test(NAME cli_samples COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/samples.sh)
set_tests_properties(cli_samples PROPERTIES LABELS cli TIMEOUT 900 ENVIRONMENT
  "SYNCOPATE_CLI=$<TARGET_FILE:syncopate_cli>;SAMPLES=${CMAKE_SOURCE_DIR}/docs/samples")

# The events for Perfetto, against the definition of their format.
add_test(NAME cli_perfetto COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/perfetto.sh)
set_tests_properties(cli_perfetto PROPERTIES LABELS cli TIMEOUT 900 ENVIRONMENT
  "SYNCOPATE_CLI=$<TARGET_FILE:syncopate_cli>;MAKE_TRACE=$<TARGET_FILE:make_trace>")

# Nothing is lost between waiting and its causes, calls and segments, the run and its critical path.
syn_test(cli_conservation PLAIN COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/conservation.sh
  PROPERTIES LABELS cli TIMEOUT 900 SKIP_RETURN_CODE 77 ENVIRONMENT
  "SYNCOPATE_CLI=$<TARGET_FILE:syncopate_cli>;MAKE_TRACE=$<TARGET_FILE:make_trace>")

# Each reader, and each shell, is a test: what is not installed is counted as skipped.
foreach(reader python package r)
  syn_test(cli_readers_${reader} PLAIN COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/readers.sh ${reader}
    PROPERTIES LABELS cli TIMEOUT 900 SKIP_RETURN_CODE 77 ENVIRONMENT
    "SYNCOPATE_CLI=$<TARGET_FILE:syncopate_cli>;MAKE_TRACE=$<TARGET_FILE:make_trace>;READERS=${CMAKE_SOURCE_DIR}/readers")
endforeach()
foreach(shell bash zsh)
  syn_test(cli_completion_${shell} PLAIN COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/completion.sh ${shell}
    PROPERTIES LABELS cli TIMEOUT 900 SKIP_RETURN_CODE 77 ENVIRONMENT "SYNCOPATE_CLI=$<TARGET_FILE:syncopate_cli>")
endforeach()
