# The parts of the injected library that know no MPI.
set(preload ${CMAKE_SOURCE_DIR}/preload)
syn_unit_test(preload_options_test SOURCES preload_options_test.c ${preload}/base/options.c ${preload}/base/say.c
              ${preload}/base/signals.c LIBRARIES syn_trace syn_sync)
syn_unit_test(preload_comm_table_test SOURCES preload_comm_table_test.c ${preload}/comms/comm_table.c LIBRARIES Threads::Threads)
syn_unit_test(preload_stacks_test SOURCES preload_stacks_test.c ${preload}/recorder/stacks.c ${preload}/recorder/walk_records.c
              ${preload}/recorder/walk_tables.c ${preload}/facts/modules.c LIBRARIES syn_trace syn_unwind Threads::Threads ${CMAKE_DL_LIBS})
syn_unit_test(preload_cpu_model_test SOURCES preload_cpu_model_test.c ${preload}/facts/cpu_model.c)
