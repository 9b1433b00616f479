# What packages want otherwise than an installation: manual pages are compressed, and Debian's
# packages have their licence and changes in a folder of the package's name.
file(GLOB_RECURSE pages ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*.1)
list(FILTER pages INCLUDE REGEX "/man1/")
if(pages)
  execute_process(COMMAND gzip -9nf ${pages} COMMAND_ERROR_IS_FATAL ANY)
endif()
if(NOT CPACK_GENERATOR STREQUAL "DEB")
  return()
endif()

string(TIMESTAMP day "%a, %d %b %Y %H:%M:%S +0000" UTC)
set(version ${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})
foreach(component runtime development)
  string(TOUPPER ${component} upper)
  set(package ${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  set(folder ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/${component}${CPACK_PACKAGING_INSTALL_PREFIX})
  set(folder ${folder}/share/doc/${package})
  file(MAKE_DIRECTORY ${folder})
  file(READ ${CPACK_TERRACE_SOURCE}/LICENSE licence)
  file(WRITE ${folder}/copyright "${licence}")
  file(READ ${CPACK_TERRACE_SOURCE}/CHANGELOG.md changes)
  file(WRITE ${folder}/changelog "${changes}")
  file(WRITE ${folder}/changelog.Debian
"terrace-mpi (${version}) unstable; urgency=medium

  * Made from the sources of ${CPACK_PACKAGE_VERSION}: see changelog.gz.

 -- ${CPACK_PACKAGE_CONTACT}  ${day}
")
  execute_process(COMMAND gzip -9nf ${folder}/changelog ${folder}/changelog.Debian
                  COMMAND_ERROR_IS_FATAL ANY)
endforeach()
