// SPDX-License-Identifier: MIT
// Which mip the camera needs: the level of detail that the sampler will compute, estimated on the
// CPU by projecting the derivatives of the parametric surface. Pure. About 300 points an object.
#pragma once

#include <cstdint>

#include "viewer/camera.hpp"
#include "viewer/scene.hpp"

namespace quarry::viewer {

struct SurfaceNeed {
  bool visible = false;  ///< some of it is inside the picture and faces the eye
  /// log2 of texels a pixel where the texture is magnified most, for a texture one texel wide: add
  /// log2 of the texture's width. Meaningless when not visible.
  float detail = 0.0f;
  float pixels = 0.0f;  ///< covered, roughly; occlusion by other objects is not looked at
};

/// `anisotropy` as the sampler has it; 1 for none.
SurfaceNeed surface_need(const Object& object, const View& view, float anisotropy);

/// The mip that a need asks of a square texture: 0 is the finest. `current` is the answer of the
/// frame before; a finer one is taken at once, a coarser one only past a margin, so that a camera
/// on the border does not make textures come and go.
std::uint32_t wanted_mip(float detail, std::uint32_t texture_size, std::uint32_t coarsest,
                         std::uint32_t current);

}  // namespace quarry::viewer
