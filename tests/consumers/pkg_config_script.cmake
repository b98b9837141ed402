# SPDX-License-Identifier: MIT
# Compiles and runs a program with what pkg-config says of PACKAGE (quarry or quarry-core), installed in PREFIX.
find_program(pkg_config NAMES pkg-config pkgconf REQUIRED)
set(ENV{PKG_CONFIG_PATH} ${PREFIX}/${LIBRARY_DIR}/pkgconfig)
execute_process(COMMAND ${pkg_config} --modversion ${PACKAGE} OUTPUT_VARIABLE version
  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
if(NOT version STREQUAL VERSION)
  message(FATAL_ERROR "pkg-config says version ${version}, not ${VERSION}")
endif()
execute_process(COMMAND ${pkg_config} --cflags --libs --static ${PACKAGE} OUTPUT_VARIABLE flags
  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(flags UNIX_COMMAND "${flags}")
separate_arguments(own_flags UNIX_COMMAND "${CXX_FLAGS}")

string(REPLACE "quarry-" "" program ${PACKAGE})
file(MAKE_DIRECTORY ${WORK})
execute_process(COMMAND ${CXX} ${own_flags} -std=c++20 "-DCONSUMER_EXPECTS_VERSION=\"${version}\""
  ${CMAKE_CURRENT_LIST_DIR}/project/${program}_main.cpp
  -o ${WORK}/${program} ${flags} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${PREFIX}/${LIBRARY_DIR} ${WORK}/${program}
  COMMAND_ERROR_IS_FATAL ANY)
