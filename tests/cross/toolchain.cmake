# tests/cross/toolchain.cmake - CMake toolchain file: build for another processor with Debian's cross compiler, run by QEMU.
#   cmake -S . -B BUILD -DCMAKE_TOOLCHAIN_FILE=tests/cross/toolchain.cmake -DSYN_CROSS_CPU=aarch64 -DSYN_CROSS_ROOT=DIR
#         -DSYN_CROSS_TOOLS=TOOLS -DSYN_MPI_CC="TOOLS/mpicc.mpich;TOOLS/mpicc.openmpi"
# DIR is made by sysroot.sh, TOOLS by drivers.sh; cross.sh does all of it.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES SYN_CROSS_CPU SYN_CROSS_ROOT SYN_CROSS_TOOLS)
set(triplet ${SYN_CROSS_CPU}-linux-gnu)
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${SYN_CROSS_CPU})

set(CMAKE_C_COMPILER ${triplet}-gcc)
set(CMAKE_ASM_COMPILER ${triplet}-gcc)
set(CMAKE_SYSROOT ${SYN_CROSS_ROOT})
set(CMAKE_FIND_ROOT_PATH ${SYN_CROSS_ROOT})
set(CMAKE_LIBRARY_ARCHITECTURE ${triplet})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_CROSSCOMPILING_EMULATOR ${SYN_CROSS_TOOLS}/emulated)

# Libraries that libraries need; and some packages put theirs into folders of their own.
set(libraries ${SYN_CROSS_ROOT}/usr/lib/${triplet})
# (First of all: the compiler may come with another libc.)
set(CMAKE_SHARED_LINKER_FLAGS_INIT "-L${libraries} -Wl,-rpath-link,${libraries}")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-L${libraries} -Wl,-rpath-link,${libraries} ${SYN_CROSS_TOOLS}/exec_shim.o") # its execve is everybody's
set(CMAKE_MODULE_LINKER_FLAGS_INIT ${CMAKE_SHARED_LINKER_FLAGS_INIT})

set(ENV{PKG_CONFIG_SYSROOT_DIR} ${SYN_CROSS_ROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${libraries}/pkgconfig:${SYN_CROSS_ROOT}/usr/share/pkgconfig)
