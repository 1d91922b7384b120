# Damage, names and things in the place of files, through the commands.
syn_unit_test(hostile_test
  SOURCES hostile_test.c hostile_trace.c ../../fuzz/fuzz_capture.c ../../fuzz/fuzz_judge.c ../../fuzz/fuzz_require.c
  LIBRARIES syn_analyze)
