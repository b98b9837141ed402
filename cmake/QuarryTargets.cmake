# SPDX-License-Identifier: MIT
# Settings that every target built in this project shares. Nothing here leaks to users of the library.
add_library(quarry_build_settings INTERFACE)
target_compile_features(quarry_build_settings INTERFACE cxx_std_20)
target_compile_options(quarry_build_settings INTERFACE
  $<$<CXX_COMPILER_ID:GNU,Clang>:-Wall -Wextra -Wpedantic -Wconversion -Wshadow>
  $<$<AND:$<BOOL:${QUARRY_WARNINGS_AS_ERRORS}>,$<CXX_COMPILER_ID:GNU,Clang>>:-Werror>
  # g++ 12 sees an overlap in every `"text" + std::string` that it inlines (GCC bug 105651).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety>)
if(QUARRY_SANITIZE)
  target_compile_options(quarry_build_settings INTERFACE -fsanitize=${QUARRY_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  target_link_options(quarry_build_settings INTERFACE -fsanitize=${QUARRY_SANITIZE})
endif()

# quarry_add_library(NAME ALIAS): a static or shared library target with the shared settings, named quarry::ALIAS.
function(quarry_add_library name alias)
  add_library(${name})
  add_library(quarry::${alias} ALIAS ${name})
  set_target_properties(${name} PROPERTIES EXPORT_NAME ${alias} POSITION_INDEPENDENT_CODE ON CXX_EXTENSIONS OFF
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  target_compile_features(${name} PUBLIC cxx_std_20)
  target_link_libraries(${name} PRIVATE $<BUILD_INTERFACE:quarry_build_settings>)
  target_include_directories(${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
endfunction()
