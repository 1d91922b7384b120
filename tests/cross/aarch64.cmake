# tests/cross/aarch64.cmake - CMake toolchain file: build for aarch64 Linux with Debian's cross compiler, run by QEMU.
#   cmake -S . -B BUILD -DCMAKE_TOOLCHAIN_FILE=tests/cross/aarch64.cmake -DSYN_SYSROOT=DIR
# DIR has an arm64 Debian's packages unpacked, its absolute links made relative (tests/cross/aarch64.sh makes one).
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES SYN_SYSROOT)

set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_ASM_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_SYSROOT ${SYN_SYSROOT})
set(CMAKE_FIND_ROOT_PATH ${SYN_SYSROOT})
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static -L ${SYN_SYSROOT})

# Libraries that libraries need; and several packages put theirs into folders of their own.
set(libraries ${SYN_SYSROOT}/usr/lib/aarch64-linux-gnu)
set(CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,-rpath-link,${libraries} -Wl,-rpath-link,${SYN_SYSROOT}/lib/aarch64-linux-gnu")
set(CMAKE_SHARED_LINKER_FLAGS_INIT ${CMAKE_EXE_LINKER_FLAGS_INIT})
set(CMAKE_MODULE_LINKER_FLAGS_INIT ${CMAKE_EXE_LINKER_FLAGS_INIT})

set(ENV{PKG_CONFIG_SYSROOT_DIR} ${SYN_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${libraries}/pkgconfig:${SYN_SYSROOT}/usr/share/pkgconfig)
