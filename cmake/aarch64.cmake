# Cross-compiles for AArch64 with Debian's compiler and the libraries that `./dev setup` unpacks in
# build/aarch64-libraries; programs are run by qemu's user mode. The C library, and the compiler's
# own, are those that come with the cross compiler.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
# Without one there is no Fortran: this machine's own would be taken.
find_program(terrace_gfortran aarch64-linux-gnu-gfortran)
set(CMAKE_Fortran_COMPILER ${terrace_gfortran})
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

get_filename_component(terrace_source ${CMAKE_CURRENT_LIST_DIR} DIRECTORY)
set(terrace_libraries ${terrace_source}/build/aarch64-libraries)
set(CMAKE_FIND_ROOT_PATH ${terrace_libraries} /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${terrace_libraries})
set(terrace_library_folder ${terrace_libraries}/usr/lib/aarch64-linux-gnu)
set(ENV{PKG_CONFIG_LIBDIR}
    ${terrace_library_folder}/pkgconfig:${terrace_libraries}/usr/share/pkgconfig)

# Headers that differ between machines: of the system's, Debian's compilers know the folder.
foreach(language C CXX)
  set(CMAKE_${language}_FLAGS_INIT "-isystem ${terrace_libraries}/usr/include/aarch64-linux-gnu")
endforeach()
# hwloc's library needs others from the same folder.
foreach(kind EXE SHARED)
  set(CMAKE_${kind}_LINKER_FLAGS_INIT -Wl,-rpath-link,${terrace_library_folder})
endforeach()
set(CMAKE_CROSSCOMPILING_EMULATOR
    qemu-aarch64-static;-L;/usr/aarch64-linux-gnu;-E;LD_LIBRARY_PATH=${terrace_library_folder})
