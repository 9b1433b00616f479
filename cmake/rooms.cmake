# A library for each room of src/, and the arrows between them (src/rooms.cmake).

# terrace_room(NAME [SEPARATE] [BY_HAND] [NEEDS ROOM...] [WITH LIBRARY...]): the library
# terrace_NAME of all sources in src/NAME, linked with those of the rooms in NEEDS, and so with what
# these need. SEPARATE: each file is compiled alone. WITH: private libraries from outside. BY_HAND:
# the room's own CMakeLists.txt builds it; the line here says what it may include.
# A need that is not built, as machine without hwloc, is left out: only separate files refer to it,
# and no program takes those from the library then.
function(terrace_room room)
  cmake_parse_arguments(THE "SEPARATE;BY_HAND" "" "NEEDS;WITH" ${ARGN})
  set_property(GLOBAL APPEND PROPERTY TERRACE_ROOMS ${room})
  set_property(GLOBAL PROPERTY TERRACE_NEEDS_OF_${room} ${THE_NEEDS})
  set(folder ${PROJECT_SOURCE_DIR}/src/${room})
  if(NOT IS_DIRECTORY ${folder})
    message(FATAL_ERROR "src/rooms.cmake: there is no folder ${folder}")
  elseif(THE_BY_HAND)
    return()
  endif()
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp ${folder}/*.S)
  set(kind STATIC)
  set(how PUBLIC)
  if(NOT sources)  # headers alone
    set(kind INTERFACE)
    set(how INTERFACE)
  endif()
  add_library(terrace_${room} ${kind} ${sources})
  target_include_directories(terrace_${room} ${how} ${PROJECT_SOURCE_DIR}/src)
  terrace_link_needs(terrace_${room} ${room} ${how})
  if(NOT sources)
    return()
  endif()
  target_link_libraries(terrace_${room} PUBLIC Threads::Threads PRIVATE ${THE_WITH} terrace_options)
  if(NOT THE_SEPARATE)
    compile_together(terrace_${room} ${room})
  endif()
  if(TERRACE_TESTS AND NOT TERRACE_SANITIZE AND NOT TERRACE_TEST_ROOMS)
    terrace_link_all_of(${room})
  endif()
endfunction()

# terrace_link_needs(TARGET ROOM PUBLIC|INTERFACE): links the libraries of what this room needs.
function(terrace_link_needs target room how)
  get_property(needs GLOBAL PROPERTY TERRACE_NEEDS_OF_${room})
  foreach(need ${needs})
    target_link_libraries(${target} ${how} $<TARGET_NAME_IF_EXISTS:terrace_${need}>)
  endforeach()
endfunction()

# terrace_link_all_of(ROOM): links all objects of a room with what it needs, so that the build fails
# where one of them calls a room that it does not reach. Programs take only objects that they use.
function(terrace_link_all_of room)
  get_property(needs GLOBAL PROPERTY TERRACE_NEEDS_OF_${room})
  foreach(need ${needs})
    if(NOT TARGET terrace_${need})
      return()
    endif()
  endforeach()
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
