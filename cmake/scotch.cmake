# Scotch divides networks that are no trees. Its header is all that the build needs: the library is
# loaded, by the name below, when a description of a network asks for it.
find_path(SCOTCH_INCLUDE_DIR scotch.h PATH_SUFFIXES scotch)
find_library(SCOTCH_LIBRARY scotch)
if(SCOTCH_INCLUDE_DIR AND SCOTCH_LIBRARY AND CMAKE_OBJDUMP)
  execute_process(COMMAND ${CMAKE_OBJDUMP} -p ${SCOTCH_LIBRARY} OUTPUT_VARIABLE headers ERROR_QUIET)
  if(headers MATCHES "SONAME +([^ \n]+)")
    set_property(SOURCE ${PROJECT_SOURCE_DIR}/src/machine/scotch.cpp APPEND PROPERTY
                 COMPILE_DEFINITIONS TERRACE_SCOTCH="${CMAKE_MATCH_1}")
    set_property(SOURCE ${PROJECT_SOURCE_DIR}/src/machine/scotch.cpp APPEND PROPERTY
                 INCLUDE_DIRECTORIES ${SCOTCH_INCLUDE_DIR})
    message(STATUS "Scotch, for networks that are no trees: ${CMAKE_MATCH_1}")
  endif()
else()
  message(STATUS "Without Scotch, networks that are no trees cannot be described as graphs")
endif()
