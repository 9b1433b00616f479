# Installs the build into a new prefix, moves the prefix, and builds and runs a program against it:
# once through find_package, once through pkg-config.
set(work ${BUILD}/consumer)
file(REMOVE_RECURSE ${work})

function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE status OUTPUT_VARIABLE output
                  ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    string(JOIN " " command ${ARGV})
    message(FATAL_ERROR "`${command}` gave ${status}:\n${output}")
  endif()
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${work}/first)
file(RENAME ${work}/first ${work}/moved)

run(${CMAKE_COMMAND} -S ${SOURCE}/cmake/consumer -B ${work}/build
    -DCMAKE_PREFIX_PATH=${work}/moved -DCMAKE_C_COMPILER=${C_COMPILER}
    -DCMAKE_CXX_COMPILER=${CXX_COMPILER})
run(${CMAKE_COMMAND} --build ${work}/build)
run(${work}/build/consumer)
run(${work}/build/consumer_cpp)

# Thread ranks: compiled, linked and run by what is installed.
if(EXISTS ${work}/moved/${LIBDIR}/terrace/ranks/libmpi_abi.so.1)
  run(${work}/moved/bin/terrace cc ${SOURCE}/tests/threadranks/calls.c -o ${work}/calls)
  run(${work}/moved/bin/terrace run -n 2 ${work}/calls)
  find_program(gfortran NAMES gfortran)
  if(gfortran)
    set(ENV{XDG_CACHE_HOME} ${work}/cache)
    run(${work}/moved/bin/terrace fc -w -J${work} ${SOURCE}/tests/threadranks/calls_fortran.F90
        -DWITH_MODULE -o ${work}/calls_fortran)
    run(${work}/moved/bin/terrace run -n 2 ${work}/calls_fortran)
  endif()
endif()

find_program(pkg_config NAMES pkg-config pkgconf)
if(pkg_config)
  set(ENV{PKG_CONFIG_PATH} ${work}/moved/${LIBDIR}/pkgconfig)
  execute_process(COMMAND ${pkg_config} --cflags --libs terrace OUTPUT_VARIABLE flags
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags UNIX_COMMAND "${flags}")
  run(${C_COMPILER} ${SOURCE}/cmake/consumer/consumer.c -o ${work}/by_pkg_config ${flags}
      -Wl,-rpath,${work}/moved/${LIBDIR})
  run(${work}/by_pkg_config)

  # The library of communicators, with any one MPI: its calls are tested in tests/mpi.
  find_program(mpicc NAMES mpicc.mpich mpicc.openmpi mpicc)
  if(mpicc)
    execute_process(COMMAND ${pkg_config} --cflags --libs terrace-communicators
                    OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE
                    COMMAND_ERROR_IS_FATAL ANY)
    separate_arguments(flags UNIX_COMMAND "${flags}")
    run(${mpicc} ${SOURCE}/cmake/consumer/communicators.c -o ${work}/communicators ${flags}
        -Wl,-rpath,${work}/moved/${LIBDIR})
    set(ENV{OMPI_ALLOW_RUN_AS_ROOT} 1)
    set(ENV{OMPI_ALLOW_RUN_AS_ROOT_CONFIRM} 1)
    run(${work}/communicators)
  endif()

  # Its modules, with any one MPI that has Fortran: by hand, and as a component of the package.
  find_program(mpifort NAMES mpifort.mpich mpifort.openmpi mpifort)
  if(mpifort)
    execute_process(COMMAND ${pkg_config} --variable=fortrandir terrace-communicators
                    OUTPUT_VARIABLE modules OUTPUT_STRIP_TRAILING_WHITESPACE
                    COMMAND_ERROR_IS_FATAL ANY)
    file(MAKE_DIRECTORY ${work}/by_hand)
    set(example ${SOURCE}/examples/communicators.f90)
    execute_process(COMMAND ${mpifort} ${modules}/terrace_mpix.f90 ${modules}/terrace_mpix_f08.f90
                            ${example} -o communicators ${flags} -Wl,-rpath,${work}/moved/${LIBDIR}
                    WORKING_DIRECTORY ${work}/by_hand COMMAND_ERROR_IS_FATAL ANY)
    run(${work}/by_hand/communicators)
    run(${CMAKE_COMMAND} -S ${SOURCE}/cmake/consumer/fortran -B ${work}/fortran
        -DCMAKE_PREFIX_PATH=${work}/moved -DMPI_Fortran_COMPILER=${mpifort} -DEXAMPLE=${example})
    run(${CMAKE_COMMAND} --build ${work}/fortran)
    run(${work}/fortran/communicators)
  endif()
endif()
