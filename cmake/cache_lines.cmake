# TERRACE_LINE_BYTES: a cache line of the machines that the build is for. What ranks share is laid
# out by it, so it is a number of the build. A build for longer lines runs on machines of shorter
# ones; longer than a pair, ranks share lines that they should not, which `terrace doctor` tells.
set(terrace_line_bytes 64)
if(NOT CMAKE_CROSSCOMPILING)
  file(GLOB line_files /sys/devices/system/cpu/cpu0/cache/index*/coherency_line_size)
  foreach(line_file ${line_files})
    file(STRINGS ${line_file} bytes LIMIT_COUNT 1)
    if(bytes MATCHES "^(128|256)$" AND bytes GREATER terrace_line_bytes)
      set(terrace_line_bytes ${bytes})
    endif()
  endforeach()
endif()
set(TERRACE_LINE_BYTES ${terrace_line_bytes} CACHE STRING
    "Bytes of a cache line, 64, 128 or 256 (A64FX); by default those of the building machine")
if(NOT TERRACE_LINE_BYTES MATCHES "^(64|128|256)$")
  message(FATAL_ERROR "TERRACE_LINE_BYTES is `${TERRACE_LINE_BYTES}`, expected 64, 128 or 256")
endif()
if(NOT TERRACE_LINE_BYTES EQUAL 64)
  add_compile_definitions(TERRACE_LINE_BYTES=${TERRACE_LINE_BYTES})
endif()
