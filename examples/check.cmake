# Runs an example and compares what it prints with NAME.txt, to the letter.
execute_process(COMMAND ${PROGRAM} OUTPUT_VARIABLE printed ERROR_VARIABLE complaints
                RESULT_VARIABLE status)
file(READ ${EXPECTED} expected)
if(NOT status EQUAL 0 OR NOT printed STREQUAL expected)
  message(FATAL_ERROR "status ${status}; printed\n${printed}${complaints}\nexpected\n${expected}")
endif()
