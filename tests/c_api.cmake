# Tests of the C ABI, of what is installed, and of the example hosts.
foreach(test c_api_test c_api_topics_test c_api_tuning_test c_api_errors_test)
  add_executable(${test} ${test}.c)
  set_target_properties(${test} PROPERTIES C_STANDARD 99 C_EXTENSIONS OFF)
  target_link_libraries(${test} PRIVATE kindred_shared kindred_build Threads::Threads m)
  add_test(NAME ${test} COMMAND ${test})
  set_tests_properties(${test} PROPERTIES TIMEOUT 600)
endforeach()
kindred_test(c_api_threads_test kindred_shared Threads::Threads)

add_test(NAME "install: libkindred.so exports kindred_* and kindred:: only"
  COMMAND ${CMAKE_CURRENT_LIST_DIR}/install/exports.sh
    $<TARGET_FILE:kindred_shared> ${PROJECT_SOURCE_DIR}/plugin/kindred.h)
add_test(NAME "install: CMake and pkg-config consumers build and run"
  COMMAND ${CMAKE_CURRENT_LIST_DIR}/install/consumers.sh ${CMAKE_COMMAND} ${PROJECT_BINARY_DIR})
set_tests_properties("install: CMake and pkg-config consumers build and run" PROPERTIES
  TIMEOUT 600
  ENVIRONMENT "CC=${CMAKE_C_COMPILER};CXX=${CMAKE_CXX_COMPILER};KINDRED_SANITIZE=${KINDRED_SANITIZE}")

add_test(NAME "hosts: docs/abi.md shows host.c as it is compiled"
  COMMAND ${CMAKE_CURRENT_LIST_DIR}/install/doc_shows_host.sh
    ${PROJECT_SOURCE_DIR}/docs/abi.md ${PROJECT_SOURCE_DIR}/examples/hosts/host.c)

# A host that is not built with the sanitizer has to load its runtime first; Python has leaks of its
# own, and is no host for ThreadSanitizer.
add_test(NAME "hosts: C"
  COMMAND ${CMAKE_CURRENT_LIST_DIR}/install/host.sh $<TARGET_FILE:kindred_shared>
    $<TARGET_FILE:kindred_host>)
if(NOT KINDRED_SANITIZE MATCHES "thread")
  find_program(PYTHON3 python3 REQUIRED)
  add_test(NAME "hosts: Python"
    COMMAND ${CMAKE_CURRENT_LIST_DIR}/install/host.sh $<TARGET_FILE:kindred_shared>
      ${PYTHON3} ${PROJECT_SOURCE_DIR}/examples/hosts/host.py)
  if(KINDRED_SANITIZE MATCHES "address")
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libasan.so
      OUTPUT_VARIABLE asan OUTPUT_STRIP_TRAILING_WHITESPACE)
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libstdc++.so
      OUTPUT_VARIABLE stdcxx OUTPUT_STRIP_TRAILING_WHITESPACE)
    set_tests_properties("hosts: Python" PROPERTIES
      ENVIRONMENT "HOST_PRELOAD=${asan} ${stdcxx};ASAN_OPTIONS=detect_leaks=0")
  endif()
endif()
