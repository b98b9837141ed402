# SPDX-License-Identifier: MIT
# quarry_add_test: one GoogleTest program, built into bin/ and registered with ctest case by case.
# A program labelled `driver` needs a Vulkan driver; every other one runs with no GPU and no driver ("CPU tests").
# With QUARRY_TESTS=CPU the driver programs are neither built by default nor registered.
include(GoogleTest)

# Distributions ship GoogleTest for the native word size only; its sources serve the others.
if(NOT TARGET GTest::gtest_main)
  if(CMAKE_SIZEOF_VOID_P EQUAL 8)
    find_package(GTest REQUIRED)
  else()
    set(INSTALL_GTEST OFF CACHE BOOL "Install GoogleTest")
    add_subdirectory(/usr/src/googletest ${CMAKE_BINARY_DIR}/googletest EXCLUDE_FROM_ALL)
    foreach(part gtest gtest_main gmock gmock_main)
      if(NOT TARGET GTest::${part})
        add_library(GTest::${part} ALIAS ${part})
      endif()
    endforeach()
  endif()
endif()

# Everything that `ctest -LE driver` runs; the sanitizer and coverage builds make just this.
add_custom_target(quarry_cpu_tests)

# quarry_add_test(NAME [SOURCES] file... [LIBRARIES target...] [LABELS label...] [ENVIRONMENT VAR=value...]
#                 [TIMEOUT seconds] [INTERNAL] [WHOLE])
#   LIBRARIES    default quarry::quarry
#   INTERNAL     adds src/ to the include path, for tests of what is not public
#   WHOLE        one ctest entry for the program, for suites whose set-up costs more than their cases
#   TIMEOUT      seconds for each ctest entry, default 120
# The macros QUARRY_TEST_BINARY_DIR and QUARRY_TEST_SOURCE_DIR name this project's bin and root folders as strings.
function(quarry_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "INTERNAL;WHOLE" "TIMEOUT" "SOURCES;LIBRARIES;LABELS;ENVIRONMENT")
  if(NOT arg_LIBRARIES)
    set(arg_LIBRARIES quarry::quarry)
  endif()
  add_executable(${name} ${arg_UNPARSED_ARGUMENTS} ${arg_SOURCES})
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF)
  target_link_libraries(${name} PRIVATE quarry_build_settings ${arg_LIBRARIES} GTest::gtest_main Threads::Threads)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(${name} PRIVATE QUARRY_TEST_BINARY_DIR="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}"
    QUARRY_TEST_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  if(arg_INTERNAL)
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  endif()
  if("driver" IN_LIST arg_LABELS)
    if(QUARRY_TESTS STREQUAL "CPU")
      set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
      return()
    endif()
  else()
    add_dependencies(quarry_cpu_tests ${name})
  endif()
  if(arg_WHOLE)
    set(whole WHOLE)
  endif()
  quarry_add_test_run(${name} ${name} ${whole} LABELS ${arg_LABELS} ENVIRONMENT ${arg_ENVIRONMENT}
    TIMEOUT ${arg_TIMEOUT})
endfunction()

# quarry_add_test_run(PREFIX PROGRAM [LABELS ...] [ENVIRONMENT VAR=value...] [TIMEOUT seconds] [WHOLE])
#   registers a program of quarry_add_test once more, under another prefix and environment (another driver, say).
function(quarry_add_test_run prefix program)
  cmake_parse_arguments(PARSE_ARGV 2 arg "WHOLE" "TIMEOUT" "LABELS;ENVIRONMENT")
  if("driver" IN_LIST arg_LABELS AND QUARRY_TESTS STREQUAL "CPU")
    return()
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  if(arg_WHOLE)
    add_test(NAME ${prefix} COMMAND ${program})
    set_tests_properties(${prefix} PROPERTIES TIMEOUT ${arg_TIMEOUT} LABELS "${arg_LABELS}"
      ENVIRONMENT "${arg_ENVIRONMENT}")
  else()
    gtest_discover_tests(${program} TEST_PREFIX "${prefix}." TEST_LIST ${prefix}_cases DISCOVERY_MODE PRE_TEST
      DISCOVERY_TIMEOUT 60 NO_PRETTY_TYPES NO_PRETTY_VALUES)
    # gtest_discover_tests flattens lists among its PROPERTIES, so they are set in a file that ctest reads after its own.
    set(properties_file ${CMAKE_CURRENT_BINARY_DIR}/${prefix}_properties.cmake)
    file(WRITE ${properties_file} "if(${prefix}_cases)
  set_tests_properties(\${${prefix}_cases} PROPERTIES TIMEOUT ${arg_TIMEOUT}
    LABELS [==[${arg_LABELS}]==] ENVIRONMENT [==[${arg_ENVIRONMENT}]==])
endif()
")
    set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${properties_file})
  endif()
endfunction()
