# A Python wheel brings hwloc, and what that needs, in lib/terrace/bundled. auditwheel could do it
# only for what lies in the folder of Python's modules.
find_program(PATCHELF patchelf REQUIRED)
set(bundled ${CMAKE_INSTALL_LIBDIR}/terrace/bundled)

# An rpath of the older kind counts for what hwloc needs, too.
function(find_bundled target folder)
  if(TARGET ${target})
    file(RELATIVE_PATH way /prefix/${folder} /prefix/${bundled})
    set_property(TARGET ${target} APPEND PROPERTY INSTALL_RPATH $ORIGIN/${way})
    target_link_options(${target} PRIVATE -Wl,--disable-new-dtags)
  endif()
endfunction()
find_bundled(terrace_cli ${CMAKE_INSTALL_BINDIR})
find_bundled(terrace ${CMAKE_INSTALL_LIBDIR})
find_bundled(terrace-communicators ${CMAKE_INSTALL_LIBDIR})
foreach(abi standard mpich openmpi)
  find_bundled(terrace-ranks-${abi} ${CMAKE_INSTALL_LIBDIR}/terrace/ranks)
endforeach()

# There are no symbolic links in wheels: one copy less of each library.
set_target_properties(terrace terrace-communicators PROPERTIES VERSION ${PROJECT_VERSION_MAJOR})

pkg_get_variable(hwloc_folder hwloc libdir)
find_library(HWLOC_LIBRARY hwloc HINTS ${hwloc_folder} REQUIRED)
configure_file(cmake/install_bundled.cmake.in ${CMAKE_BINARY_DIR}/cmake/install_bundled.cmake @ONLY)
install(SCRIPT ${CMAKE_BINARY_DIR}/cmake/install_bundled.cmake)
