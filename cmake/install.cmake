# What `cmake --install BUILD --prefix PLACE` puts in place; needs no root.
#   include/terrace/   headers             lib/           the C library, the preload libraries
#   bin/terrace        the command         lib/cmake/, lib/pkgconfig/   how others find it
# The command and the preload libraries are installed where they are built.
if(NOT TARGET terrace)
  message(STATUS "No C library in this build: the package files are not installed")
  return()
endif()
include(CMakePackageConfigHelpers)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/terrace)
set(TERRACE_PYTHON_FOLDER lib/python3/dist-packages CACHE STRING
    "Where Python modules lie; as here, or lib/python3.11/site-packages")
set(TERRACE_MODULES_FOLDER ${CMAKE_INSTALL_DATADIR}/modulefiles CACHE STRING
    "Where environment modules lie")
get_target_property(library_type terrace TYPE)
if(NOT library_type STREQUAL "SHARED_LIBRARY")
  # A static one would drag the engine, Highway and hwloc into every user's link line.
  message(WARNING "The C library is not shared: the package files are not installed")
  return()
endif()
get_target_property(library_soversion terrace SOVERSION)
if(NOT library_soversion)
  set_target_properties(terrace PROPERTIES VERSION ${PROJECT_VERSION}
                                           SOVERSION ${PROJECT_VERSION_MAJOR})
endif()

target_include_directories(terrace INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
install(TARGETS terrace EXPORT terrace-targets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} NAMELINK_COMPONENT development)
if(TARGET terrace-communicators)
  target_include_directories(terrace-communicators
                             INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  install(TARGETS terrace-communicators EXPORT terrace-targets
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} NAMELINK_COMPONENT development)
  # They find the library and the command from their own place upwards.
  if(NOT SKBUILD)
    install(DIRECTORY python/terrace DESTINATION ${TERRACE_PYTHON_FOLDER}
            FILES_MATCHING PATTERN "*.py")
  endif()
  # Modules are of one compiler and one MPI, so programs compile them; the package files say where.
  install(DIRECTORY fortran DESTINATION ${CMAKE_INSTALL_DATADIR}/terrace COMPONENT development
          FILES_MATCHING PATTERN "*.f90")
endif()
install(DIRECTORY include/terrace DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
        FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp" PATTERN "*.fh" PATTERN "*.f90")
install(EXPORT terrace-targets NAMESPACE terrace:: DESTINATION ${package_folder}
        COMPONENT development)

configure_package_config_file(cmake/terrace-config.cmake.in
  ${CMAKE_BINARY_DIR}/cmake/terrace-config.cmake
  INSTALL_DESTINATION ${package_folder} PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_DATADIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/cmake/terrace-config-version.cmake
  COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_BINARY_DIR}/cmake/terrace-config.cmake
              cmake/terrace-fortran.cmake
              ${CMAKE_BINARY_DIR}/cmake/terrace-config-version.cmake
        DESTINATION ${package_folder} COMPONENT development)

# From lib/pkgconfig back to the prefix, however deep lib lies (lib/x86_64-linux-gnu).
file(RELATIVE_PATH TERRACE_PC_TO_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
set(TERRACE_PC_NAME terrace)
set(TERRACE_PC_DESCRIPTION "${PROJECT_DESCRIPTION}")
configure_file(cmake/terrace.pc.in ${CMAKE_BINARY_DIR}/cmake/terrace.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/cmake/terrace.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
if(TARGET terrace-communicators)
  set(TERRACE_PC_NAME terrace-communicators)
  set(TERRACE_PC_DESCRIPTION "MPI communicators that follow the hardware")
  set(TERRACE_PC_VARIABLES "fortrandir=\${prefix}/${CMAKE_INSTALL_DATADIR}/terrace/fortran\n")
  configure_file(cmake/terrace.pc.in ${CMAKE_BINARY_DIR}/cmake/terrace-communicators.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/cmake/terrace-communicators.pc
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
endif()

# `module load terrace`, for Lmod and Environment Modules; an installation may be moved.
file(RELATIVE_PATH to_prefix /prefix/${TERRACE_MODULES_FOLDER}/terrace /prefix)
configure_file(packaging/modulefile.in ${CMAKE_BINARY_DIR}/cmake/modulefile @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/cmake/modulefile DESTINATION ${TERRACE_MODULES_FOLDER}/terrace
        RENAME ${PROJECT_VERSION})

if(TERRACE_TESTS AND NOT TERRACE_SANITIZE AND NOT CMAKE_CROSSCOMPILING)
  add_test(NAME install.a_program_finds_the_installed_library
           COMMAND ${CMAKE_COMMAND} -DBUILD=${CMAKE_BINARY_DIR} -DSOURCE=${CMAKE_SOURCE_DIR}
                   -DLIBDIR=${CMAKE_INSTALL_LIBDIR} -DC_COMPILER=${CMAKE_C_COMPILER}
                   -DCXX_COMPILER=${CMAKE_CXX_COMPILER}
                   -P ${CMAKE_SOURCE_DIR}/cmake/consumer/check.cmake)
  set_tests_properties(install.a_program_finds_the_installed_library
                       PROPERTIES LABELS slow TIMEOUT 120)
endif()
