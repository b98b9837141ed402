# SPDX-License-Identifier: MIT
# Compiles each public header alone: as a user would, without exceptions and RTTI, and those of quarry::core on an include
# path where a Vulkan header is an error.
separate_arguments(own_flags UNIX_COMMAND "${CXX_FLAGS}")
set(compile ${CXX} ${own_flags} -std=c++20 -fsyntax-only -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror
  -I${ROOT}/include)
set(core_headers buddy expected host_memory linear offset tlsf version)

set(trap ${WORK}/no_vulkan)
foreach(name vulkan.h vulkan_core.h vk_platform.h)
  file(WRITE ${trap}/vulkan/${name} "#error \"quarry::core includes Vulkan\"\n")
endforeach()

file(GLOB headers RELATIVE ${ROOT}/include ${ROOT}/include/quarry/*.hpp)
list(LENGTH headers count)
if(count LESS 15)
  message(FATAL_ERROR "only ${count} headers in ${ROOT}/include/quarry")
endif()
foreach(header IN LISTS headers)
  string(MAKE_C_IDENTIFIER ${header} name)
  # Twice: the second time proves that it may be included again.
  file(WRITE ${WORK}/${name}.cpp "#include <${header}>\n#include <${header}>\n")
  execute_process(COMMAND ${compile} ${WORK}/${name}.cpp COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${compile} -fno-exceptions -fno-rtti ${WORK}/${name}.cpp COMMAND_ERROR_IS_FATAL ANY)
endforeach()

foreach(header IN LISTS core_headers)
  execute_process(COMMAND ${compile} -I${trap} ${WORK}/quarry_${header}_hpp.cpp COMMAND_ERROR_IS_FATAL ANY)
endforeach()

# The trap itself must spring.
execute_process(COMMAND ${compile} -I${trap} ${WORK}/quarry_result_hpp.cpp RESULT_VARIABLE code
  OUTPUT_QUIET ERROR_VARIABLE complaint)
if(code EQUAL 0 OR NOT complaint MATCHES "quarry::core includes Vulkan")
  message(FATAL_ERROR "a Vulkan header on the path of quarry::core went unnoticed")
endif()
