# SPDX-License-Identifier: MIT
# Makes the target quarry::imgui from an installed Dear ImGui (Debian, Ubuntu: libimgui-dev). A project with an ImGui of its
# own makes a target of that name first, and the HUD is built against that. Used by the build and by the package.
if(NOT TARGET quarry::imgui)
  find_path(QUARRY_IMGUI_INCLUDE_DIR imgui.h PATH_SUFFIXES imgui DOC "Folder of imgui.h")
  find_library(QUARRY_IMGUI_LIBRARY imgui DOC "Dear ImGui")
  # What Debian's archive was built with.
  find_library(QUARRY_IMGUI_FREETYPE freetype DOC "FreeType, for Dear ImGui")
  find_library(QUARRY_IMGUI_STB stb DOC "stb, for Dear ImGui")
  mark_as_advanced(QUARRY_IMGUI_INCLUDE_DIR QUARRY_IMGUI_LIBRARY QUARRY_IMGUI_FREETYPE QUARRY_IMGUI_STB)
  if(QUARRY_IMGUI_INCLUDE_DIR AND QUARRY_IMGUI_LIBRARY)
    set(quarry_imgui_libraries ${QUARRY_IMGUI_LIBRARY})
    foreach(library QUARRY_IMGUI_FREETYPE QUARRY_IMGUI_STB)
      if(${library})
        list(APPEND quarry_imgui_libraries ${${library}})
      endif()
    endforeach()
    add_library(quarry::imgui INTERFACE IMPORTED GLOBAL)
    set_target_properties(quarry::imgui PROPERTIES
      INTERFACE_INCLUDE_DIRECTORIES "${QUARRY_IMGUI_INCLUDE_DIR}"
      INTERFACE_LINK_LIBRARIES "${quarry_imgui_libraries}")
  endif()
endif()
