# A library for each room of src/, and the arrows between them (src/rooms.cmake).

# terrace_room(NAME [SEPARATE] [BY_HAND] [NEEDS ROOM...] [WITH LIBRARY...]): the library
# terrace_NAME of all sources in src/NAME, linked with those of the rooms that it may include and no
# others.
# SEPARATE: each file is compiled alone. WITH: private libraries from outside. BY_HAND: the room's
# CMakeLists.txt says how it is built; here stands only what it may include.
# A room that is needed and not built, as machine without hwloc, is left out: what would refer to it
# is in files of their own, which no program takes from the library then.
function(terrace_room room)
  cmake_parse_arguments(THE "SEPARATE;BY_HAND" "" "NEEDS;WITH" ${ARGN})
  set_property(GLOBAL APPEND PROPERTY TERRACE_ROOMS ${room})
  set(needs ${THE_NEEDS})
  list(TRANSFORM needs PREPEND terrace_)
  set_property(GLOBAL PROPERTY TERRACE_NEEDS_OF_${room} "${needs}")
  if(THE_BY_HAND)
    return()
  endif()
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${room}/*.cpp
       ${PROJECT_SOURCE_DIR}/src/${room}/*.S)
  if(NOT sources)
    add_library(terrace_${room} INTERFACE)
    target_include_directories(terrace_${room} INTERFACE ${PROJECT_SOURCE_DIR}/src)
    foreach(need ${needs})
      target_link_libraries(terrace_${room} INTERFACE $<TARGET_NAME_IF_EXISTS:${need}>)
    endforeach()
    return()
  endif()
  add_library(terrace_${room} STATIC ${sources})
  target_include_directories(terrace_${room} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  terrace_link_needs(terrace_${room} ${room})
  target_link_libraries(terrace_${room} PUBLIC Threads::Threads PRIVATE ${THE_WITH} terrace_options)
  if(NOT THE_SEPARATE)
    compile_together(terrace_${room} ${room})
  endif()
  if(TERRACE_TESTS AND NOT TERRACE_SANITIZE AND NOT TERRACE_TEST_ROOMS)
    terrace_link_all_of(${room})
  endif()
endfunction()

# terrace_link_all_of(ROOM): links all objects of a room with what it needs, so that the build fails
# where one of them calls another room. Programs take only objects that they use.
function(terrace_link_all_of room)
  set(nothing ${PROJECT_BINARY_DIR}/rooms/nothing.cpp)
  if(NOT EXISTS ${nothing})
    file(WRITE ${nothing} "")
  endif()
  set(target terrace_all_of_${room})
  add_library(${target} MODULE ${nothing})
  target_link_options(${target} PRIVATE -Wl,-z,defs
    -Wl,--whole-archive,$<TARGET_FILE:terrace_${room}>,--no-whole-archive)
  target_link_libraries(${target} PRIVATE terrace_${room} ${CMAKE_DL_LIBS})
  set_target_properties(${target} PROPERTIES
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/rooms)
endfunction()

# terrace_link_needs(TARGET ROOM): links the libraries of the rooms that this room may include.
function(terrace_link_needs target room)
  get_property(needs GLOBAL PROPERTY TERRACE_NEEDS_OF_${room})
  foreach(need ${needs})
    target_link_libraries(${target} PUBLIC $<TARGET_NAME_IF_EXISTS:${need}>)
  endforeach()
endfunction()
