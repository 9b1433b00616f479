# How the kernel files are compiled: optimized in every build, also in debug and sanitizer builds,
# because each vector operation would be a call there otherwise. The loops are vectors already, so
# the compiler need not look for more (it would only triple the portable baseline).
foreach(name sums products extremes logic complex copies)
  set_source_files_properties(
    ${CMAKE_CURRENT_LIST_DIR}/${name}.cpp TARGET_DIRECTORY terrace_kernels
    PROPERTIES COMPILE_OPTIONS "-O2;-fno-tree-vectorize;-fno-tree-slp-vectorize")
endforeach()
# A fused multiplication rounds once where others round twice; all sets must give the same bits.
foreach(name complex plain)
  set_property(SOURCE ${CMAKE_CURRENT_LIST_DIR}/${name}.cpp TARGET_DIRECTORY terrace_kernels
               APPEND PROPERTY COMPILE_OPTIONS "-O2;-ffp-contract=off")
endforeach()
# AddressSanitizer tests every access of a vector: as calls, and less optimized, these tests take
# half the time to compile and find the same.
if(TERRACE_SANITIZE MATCHES "address")
  foreach(name sums products extremes logic complex copies)
    set_property(SOURCE ${CMAKE_CURRENT_LIST_DIR}/${name}.cpp TARGET_DIRECTORY terrace_kernels
                 APPEND PROPERTY COMPILE_OPTIONS
                 "-Og;--param=asan-instrumentation-with-call-threshold=0;-fno-sanitize=null")
  endforeach()
endif()
