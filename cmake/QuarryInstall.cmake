# SPDX-License-Identifier: MIT
# Install rules, the CMake package and the pkg-config files. Each library is an export set and a package component of its
# own, so that a user of quarry::core needs no Vulkan and a user of quarry::quarry no ImGui.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(quarry_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/quarry)

foreach(component core quarry volk hud)
  if(NOT TARGET quarry::${component})
    continue()
  endif()
  get_target_property(target quarry::${component} ALIASED_TARGET)
  install(TARGETS ${target} EXPORT quarry_${component}_targets COMPONENT ${component}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(EXPORT quarry_${component}_targets FILE quarry-${component}-targets.cmake NAMESPACE quarry::
    DESTINATION ${quarry_package_dir} COMPONENT ${component})
endforeach()

# The headers are small and useful to read even where the library that implements them is not installed.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/quarry DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT core
  FILES_MATCHING PATTERN "*.hpp")
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT core)

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/quarry-config.cmake.in
  ${CMAKE_CURRENT_BINARY_DIR}/quarry-config.cmake INSTALL_DESTINATION ${quarry_package_dir}
  NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/quarry-config-version.cmake
  COMPATIBILITY SameMinorVersion)
if(TARGET quarry::hud)
  install(FILES ${PROJECT_SOURCE_DIR}/cmake/QuarryImGui.cmake DESTINATION ${quarry_package_dir} COMPONENT hud)
endif()
install(FILES
    ${CMAKE_CURRENT_BINARY_DIR}/quarry-config.cmake
    ${CMAKE_CURRENT_BINARY_DIR}/quarry-config-version.cmake
    ${PROJECT_SOURCE_DIR}/cmake/QuarryVulkanHeaders.cmake
  DESTINATION ${quarry_package_dir} COMPONENT core)

# pkg-config: the prefix is found from the file's own place, so that an installed tree can be moved.
file(RELATIVE_PATH quarry_pc_to_prefix
  ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
foreach(name quarry quarry-core)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${name}.pc.in ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc @ONLY)
endforeach()
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/quarry-core.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT core)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/quarry.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT quarry)
