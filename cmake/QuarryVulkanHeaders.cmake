# SPDX-License-Identifier: MIT
# Makes sure of the target Vulkan::Headers. The library needs the headers alone: a machine without the loader, or with one
# of another word size, can build it. Used by the build and by the installed package.
if(NOT TARGET Vulkan::Headers)
  find_package(Vulkan QUIET)
endif()
if(NOT TARGET Vulkan::Headers)
  find_path(quarry_vulkan_headers vulkan/vulkan_core.h HINTS $ENV{VULKAN_SDK}/include)
  mark_as_advanced(quarry_vulkan_headers)
  if(quarry_vulkan_headers)
    add_library(Vulkan::Headers INTERFACE IMPORTED)
    set_target_properties(Vulkan::Headers PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${quarry_vulkan_headers}")
  endif()
endif()
