// SPDX-License-Identifier: MIT
// Concatenates the meshes and uploads them.
#include "viewer/scene_buffers.hpp"

#include <span>

namespace quarry::viewer {

namespace {

template <class T>
Outcome<UniqueBuffer> upload(Memory& memory, SetupCommands& setup, const std::vector<T>& data,
                             VkBufferUsageFlags usage, const char* name) {
  auto info = structure<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
  info.size = data.size() * sizeof(T);
  info.usage = usage | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  auto buffer = memory.create_buffer(info, {.tag = memory.frame_tag(), .name = name});
  if (!buffer) return failure(std::string(name) + ": " + describe(buffer.error()));
  UniqueBuffer owned(memory.allocator(), *buffer);
  if (auto filled = setup.fill_buffer(buffer->buffer, 0, std::as_bytes(std::span(data))); !filled) {
    return failure(filled.error());
  }
  return owned;
}

}  // namespace

Outcome<SceneBuffers> SceneBuffers::create(Memory& memory, SetupCommands& setup,
                                           const Scene& scene) {
  SceneBuffers buffers;
  std::vector<Vertex> vertices;
  std::vector<std::uint32_t> indices;
  const std::array<Mesh, 3> meshes{sphere_mesh(), slab_mesh(), ground_mesh(scene.radius + 200.0f)};
  for (std::size_t i = 0; i < meshes.size(); ++i) {
    buffers.ranges_[i] = {static_cast<std::uint32_t>(indices.size()),
                          static_cast<std::uint32_t>(meshes[i].indices.size()),
                          static_cast<std::int32_t>(vertices.size())};
    vertices.insert(vertices.end(), meshes[i].vertices.begin(), meshes[i].vertices.end());
    indices.insert(indices.end(), meshes[i].indices.begin(), meshes[i].indices.end());
  }
  auto commands = setup.begin();
  if (!commands) return failure(commands.error());
  auto vertex_buffer =
      upload(memory, setup, vertices, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, "scene vertices");
  if (!vertex_buffer) return failure(vertex_buffer.error());
  auto index_buffer =
      upload(memory, setup, indices, VK_BUFFER_USAGE_INDEX_BUFFER_BIT, "scene indices");
  if (!index_buffer) return failure(index_buffer.error());
  auto visible = structure<VkMemoryBarrier2>(VK_STRUCTURE_TYPE_MEMORY_BARRIER_2);
  visible.srcStageMask = VK_PIPELINE_STAGE_2_COPY_BIT;
  visible.srcAccessMask = VK_ACCESS_2_TRANSFER_WRITE_BIT;
  visible.dstStageMask = VK_PIPELINE_STAGE_2_VERTEX_INPUT_BIT;
  visible.dstAccessMask = VK_ACCESS_2_VERTEX_ATTRIBUTE_READ_BIT | VK_ACCESS_2_INDEX_READ_BIT;
  auto dependency = structure<VkDependencyInfo>(VK_STRUCTURE_TYPE_DEPENDENCY_INFO);
  dependency.memoryBarrierCount = 1;
  dependency.pMemoryBarriers = &visible;
  vkCmdPipelineBarrier2(*commands, &dependency);
  if (auto finished = setup.finish(); !finished) return failure(finished.error());
  buffers.vertices_ = std::move(*vertex_buffer);
  buffers.indices_ = std::move(*index_buffer);
  return buffers;
}

void SceneBuffers::bind(VkCommandBuffer commands) const {
  const VkDeviceSize offset = 0;
  vkCmdBindVertexBuffers(commands, 0, 1, &vertices_->buffer, &offset);
  vkCmdBindIndexBuffer(commands, indices_->buffer, 0, VK_INDEX_TYPE_UINT32);
}

void SceneBuffers::draw(VkCommandBuffer commands, Shape shape) const {
  const Range& range = ranges_[static_cast<std::size_t>(shape)];
  vkCmdDrawIndexed(commands, range.index_count, 1, range.first_index, range.first_vertex, 0);
}

}  // namespace quarry::viewer
