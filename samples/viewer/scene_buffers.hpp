// SPDX-License-Identifier: MIT
// The meshes of the scene on the device: one vertex buffer, one index buffer.
#pragma once

#include <array>

#include <quarry/unique.hpp>

#include "viewer/scene.hpp"
#include "viewer/setup_commands.hpp"

namespace quarry::viewer {

class SceneBuffers {
 public:
  static Outcome<SceneBuffers> create(Memory& memory, SetupCommands& setup, const Scene& scene);

  void bind(VkCommandBuffer commands) const;
  void draw(VkCommandBuffer commands, Shape shape) const;

 private:
  struct Range {
    std::uint32_t first_index = 0;
    std::uint32_t index_count = 0;
    std::int32_t first_vertex = 0;
  };
  UniqueBuffer vertices_;
  UniqueBuffer indices_;
  std::array<Range, 3> ranges_;  ///< by Shape
};

}  // namespace quarry::viewer
