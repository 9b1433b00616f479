# terrace_options: the options of every target.
add_library(terrace_options INTERFACE)
target_compile_options(terrace_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow
  $<$<COMPILE_LANGUAGE:CXX>:-Wconversion>
  $<$<BOOL:${TERRACE_WERROR}>:-Werror>
  # gcc 12 sees an overlap inside std::string where there is none (GCC bug 105651).
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:-Wno-restrict>
  # gcc's -Wconversion leaves signs of C++ alone, clang's does not.
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:Clang>>:-Wno-sign-conversion>
  # Sums must not change between the vector body, the tail and the instruction sets.
  -ffp-contract=off)
if(TERRACE_ASSERTIONS)
  target_compile_definitions(terrace_options INTERFACE TERRACE_ASSERTIONS)
endif()
if(TERRACE_SANITIZE)
  # What sanitizers add hides from gcc that an empty std::optional is not destroyed.
  target_compile_options(terrace_options INTERFACE
    -fsanitize=${TERRACE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_link_options(terrace_options INTERFACE -fsanitize=${TERRACE_SANITIZE})
endif()
