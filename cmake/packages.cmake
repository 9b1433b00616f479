# Packages for Debian and its kin (`cpack -G DEB`) and for Fedora and its kin (`cpack -G RPM`):
# terrace-mpi, and terrace-mpi-dev or terrace-mpi-devel for building programs. ./dev packages
# configures a build for each, since libraries lie elsewhere, and tries what comes out.
# Debian wants an address. No mail goes to one that ends in .invalid (RFC 2606): whoever builds
# packages for others names the address at which these can ask.
set(TERRACE_CONTACT "The Terrace authors <authors@terrace.invalid>" CACHE STRING
    "Whom packages name as their maintainer: NAME <ADDRESS>")
set(CPACK_PACKAGE_NAME terrace-mpi)
set(CPACK_PACKAGE_VENDOR "The Terrace authors")
set(CPACK_PACKAGE_CONTACT "${TERRACE_CONTACT}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY
    "collectives of MPI and threaded programs that follow hardware")
set(CPACK_PACKAGE_DESCRIPTION
"Runs the collectives of unchanged MPI programs within a node over shared
memory, along the machine's hierarchy of caches, NUMA nodes and packages; has
an MPI whose ranks are threads; and proves, draws, predicts and times the
algorithms that it runs.")
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "${CPACK_PACKAGE_DESCRIPTION}")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
"${CPACK_PACKAGE_DESCRIPTION}
This package has what compiling needs: headers, also for terrace cc, and files
for CMake and pkg-config.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX ${CMAKE_INSTALL_PREFIX})
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL runtime development)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_GENERATOR TGZ)
set(CPACK_SOURCE_IGNORE_FILES /build/ /[.]git/ /[.]peers/ /[.]programs/ __pycache__)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/packaging/cpack/before.cmake)
set(CPACK_TERRACE_SOURCE ${PROJECT_SOURCE_DIR})

# ---- DEB
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME terrace-mpi)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION science)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
# Thread ranks' libraries have names of other packages' ones, which must not become dependencies.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS
    ${PROJECT_BINARY_DIR}/${CMAKE_INSTALL_LIBDIR}/terrace/ranks
    ${PROJECT_BINARY_DIR}/${CMAKE_INSTALL_LIBEXECDIR}/terrace)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_RECOMMENDS python3)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SUGGESTS
    "terrace-mpi-dev, python3-mpi4py, python3-matplotlib, libscotch-7.0")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME terrace-mpi-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "terrace-mpi (= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}), libc6-dev")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS "cmake, pkgconf, gfortran")
# Of its libraries, others link these two only; dpkg tells the loader of them.
file(WRITE ${PROJECT_BINARY_DIR}/cmake/debian/shlibs
"libterrace ${PROJECT_VERSION_MAJOR} terrace-mpi (>= ${PROJECT_VERSION})
libterrace-communicators ${PROJECT_VERSION_MAJOR} terrace-mpi (>= ${PROJECT_VERSION})
")
file(WRITE ${PROJECT_BINARY_DIR}/cmake/debian/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/cmake/debian/shlibs
                                               ${PROJECT_BINARY_DIR}/cmake/debian/triggers
                                               ${PROJECT_SOURCE_DIR}/packaging/cpack/prerm)

# ---- RPM
set(CPACK_RPM_COMPONENT_INSTALL ON)
set(CPACK_RPM_COMPRESSION_TYPE xz)
set(CPACK_RPM_MAIN_COMPONENT runtime)
set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
set(CPACK_RPM_PACKAGE_LICENSE BSD-3-Clause)
set(CPACK_RPM_PACKAGE_GROUP "Applications/Engineering")
set(CPACK_RPM_RUNTIME_PACKAGE_NAME terrace-mpi)
set(CPACK_RPM_RUNTIME_PACKAGE_SUMMARY "${CPACK_PACKAGE_DESCRIPTION_SUMMARY}")
set(CPACK_RPM_DEVELOPMENT_PACKAGE_NAME terrace-mpi-devel)
set(CPACK_RPM_DEVELOPMENT_PACKAGE_SUMMARY "headers and build files of terrace-mpi")
set(CPACK_RPM_DEVELOPMENT_PACKAGE_REQUIRES "terrace-mpi = ${PROJECT_VERSION}-1")
# As above: it must not seem to provide libmpi.so.12. Stripping has been done.
set(CPACK_RPM_SPEC_MORE_DEFINE
"%global __provides_exclude_from /terrace/.*\\\\.so
%global __requires_exclude ^lib(mpi|terrace-run)
%global debug_package %{nil}
%global _build_id_links none
%global __os_install_post %{nil}")
set(CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION)
get_filename_component(python ${TERRACE_PYTHON_FOLDER} DIRECTORY)
foreach(folder lib ${python} ${TERRACE_PYTHON_FOLDER} ${CMAKE_INSTALL_LIBDIR}/cmake
        ${CMAKE_INSTALL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_LIBEXECDIR}
        ${CMAKE_INSTALL_DATADIR}/bash-completion
        ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
        ${CMAKE_INSTALL_DATADIR}/zsh ${TERRACE_ZSH_FOLDER} ${TERRACE_MODULES_FOLDER}
        ${CMAKE_INSTALL_MANDIR} ${CMAKE_INSTALL_MANDIR}/man1)
  list(APPEND CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION ${CMAKE_INSTALL_PREFIX}/${folder})
endforeach()
set(CPACK_RPM_RUNTIME_POST_INSTALL_SCRIPT_FILE ${PROJECT_SOURCE_DIR}/packaging/cpack/ldconfig)
set(CPACK_RPM_RUNTIME_PRE_UNINSTALL_SCRIPT_FILE ${PROJECT_SOURCE_DIR}/packaging/cpack/prerm)
set(CPACK_RPM_RUNTIME_POST_UNINSTALL_SCRIPT_FILE ${PROJECT_SOURCE_DIR}/packaging/cpack/ldconfig)

include(CPack)
