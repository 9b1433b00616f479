# compile_together(TARGET ROOM...): the target's files of each of these folders of src/ or studies/
# become one translation unit, which reads the headers that they share once. Names in unnamed
# namespaces must differ within a room then. Files with options of their own, as kernels, are
# compiled alone.
function(compile_together target)
  if(NOT TERRACE_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  foreach(room ${ARGN})
    file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${room}/*.cpp
         ${PROJECT_SOURCE_DIR}/studies/${room}/*.cpp)
    string(MAKE_C_IDENTIFIER ${room} group)
    set_source_files_properties(${files} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${group})
  endforeach()
endfunction()

# compile_tests_together(TARGET): the same for a program of tests, some files at a time.
function(compile_tests_together target)
  if(TERRACE_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE BATCH
                                               UNITY_BUILD_BATCH_SIZE 12)
  endif()
endfunction()
