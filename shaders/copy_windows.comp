// SPDX-License-Identifier: MIT
// Moves buffer contents as copy_addresses.comp does, without device addresses: source and
// destination are windows into two blocks, the list holds offsets in words of 4 bytes. Committed as
// words in src/copy/shader_words.hpp.
#version 450

layout(local_size_x_id = 0, local_size_y_id = 1) in;

layout(set = 0, binding = 0, std430) readonly buffer SourceQuads {
  uvec4 source_quads[];
};
layout(set = 0, binding = 0, std430) readonly buffer SourceWords {
  uint source_words[];
};
layout(set = 0, binding = 1, std430) writeonly buffer DestinationQuads {
  uvec4 destination_quads[];
};
layout(set = 0, binding = 1, std430) writeonly buffer DestinationWords {
  uint destination_words[];
};
// x: source, y: destination, both in words; z: units of 16 bytes, with the top bit set of 4.
layout(set = 0, binding = 2, std430) readonly buffer List {
  uvec4 entries[];
};

layout(push_constant) uniform Push {
  uint first;
  uint count;
}
push;

const uint kWords = 0x80000000u;

void main() {
  const uint row = gl_WorkGroupID.x * gl_WorkGroupSize.y + gl_LocalInvocationID.y;
  if (row >= push.count) return;
  const uvec4 entry = entries[push.first + row];
  const uint units = entry.z & ~kWords;
  const uint step = gl_WorkGroupSize.x;
  uint i = gl_LocalInvocationID.x;
  if ((entry.z & kWords) == 0u) {
    const uint from = entry.x / 4u;
    const uint to = entry.y / 4u;
    for (; i + 3u * step < units; i += 4u * step) {
      const uvec4 a = source_quads[from + i];
      const uvec4 b = source_quads[from + i + step];
      const uvec4 c = source_quads[from + i + 2u * step];
      const uvec4 d = source_quads[from + i + 3u * step];
      destination_quads[to + i] = a;
      destination_quads[to + i + step] = b;
      destination_quads[to + i + 2u * step] = c;
      destination_quads[to + i + 3u * step] = d;
    }
    for (; i < units; i += step) destination_quads[to + i] = source_quads[from + i];
  } else {
    for (; i < units; i += step) destination_words[entry.y + i] = source_words[entry.x + i];
  }
}
