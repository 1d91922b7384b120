# The parts of the injected library that know no MPI.
set(preload ${CMAKE_SOURCE_DIR}/preload)
syn_unit_test(preload_options_test SOURCES preload_options_test.c ${preload}/base/options.c ${preload}/base/say.c
              ${preload}/base/environment.c ${preload}/base/lock.c ${preload}/base/signals.c LIBRARIES syn_trace syn_sync)
syn_unit_test(preload_lock_test SOURCES preload_lock_test.c ${preload}/base/lock.c LIBRARIES Threads::Threads ${CMAKE_DL_LIBS})
syn_unit_test(preload_comm_table_test SOURCES preload_comm_table_test.c ${preload}/comms/comm_table.c LIBRARIES Threads::Threads)
set(walks ${preload}/base/lock.c ${preload}/recorder/stacks/walk_records.c ${preload}/recorder/stacks/walk_rules.c ${preload}/recorder/stacks/walk_unwind.c
          ${preload}/recorder/stacks/outwards.c ${preload}/recorder/stacks/frame_rules.c)
syn_unit_test(preload_stacks_test SOURCES preload_stacks_test.c ${walks} ${preload}/recorder/stacks/stacks.c ${preload}/facts/modules.c ${preload}/base/own_code.c
              LIBRARIES syn_trace syn_sync syn_unwind Threads::Threads ${CMAKE_DL_LIBS})
syn_unit_test(preload_within_test SOURCES preload_within_test.c ${walks} ${preload}/recorder/stacks/within.c LIBRARIES syn_trace syn_unwind Threads::Threads ${CMAKE_DL_LIBS})
syn_unit_test(preload_nodes_test SOURCES preload_nodes_test.c ${preload}/facts/nodes.c LIBRARIES syn_sync)
syn_unit_test(preload_warm_up_test SOURCES preload_warm_up_test.c ${preload}/recorder/warm_up.c LIBRARIES syn_trace syn_sync)
syn_unit_test(preload_own_code_test SOURCES preload_own_code_test.c ${preload}/base/own_code.c LIBRARIES syn_sync)
# With the mpi.h of the standard ABI, which is ours: samples call no MPI.
syn_unit_test(preload_samples_test SOURCES preload_samples_test.c ${preload}/recorder/samples.c LIBRARIES syn_trace syn_sync)
target_include_directories(preload_samples_test PRIVATE ${preload}/abi)
target_compile_definitions(preload_samples_test PRIVATE SYN_BACKEND_NAME="abi")
syn_unit_test(preload_cpu_model_test SOURCES preload_cpu_model_test.c ${preload}/facts/cpu_model.c)
# With the mpi.h of the standard ABI, which is ours: the table does not care whose handles they are.
syn_unit_test(preload_requests_test SOURCES preload_requests_test.c ${preload}/base/lock.c ${preload}/calls/requests.c ${preload}/recorder/open_messages.c LIBRARIES syn_trace syn_sync Threads::Threads)
target_include_directories(preload_requests_test PRIVATE ${preload}/abi)
target_compile_definitions(preload_requests_test PRIVATE SYN_BACKEND_NAME="abi")
syn_unit_test(preload_attributes_test SOURCES preload_attributes_test.c ${preload}/calls/arguments/type_sizes.c LIBRARIES syn_trace syn_sync)
target_include_directories(preload_attributes_test PRIVATE ${preload}/abi)
target_compile_definitions(preload_attributes_test PRIVATE SYN_BACKEND_NAME="abi")
