# How the kernel files are compiled: optimized in every build, also in debug and sanitizer builds,
# where each vector operation would else be a call. The loops are vectors already, so the compiler
# need not look for more (it would only triple the portable baseline).
foreach(name sums products extremes logic copies)
  set_source_files_properties(
    ${CMAKE_CURRENT_LIST_DIR}/${name}.cpp TARGET_DIRECTORY terrace_engine
    PROPERTIES COMPILE_OPTIONS "-O2;-fno-tree-vectorize;-fno-tree-slp-vectorize")
endforeach()
