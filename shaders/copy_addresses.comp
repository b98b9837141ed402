// SPDX-License-Identifier: MIT
// Moves buffer contents listed as (source address, destination address, size). Each row of the work
// group (local y) takes one entry; its lanes (local x) copy 16 bytes a step, or 4 where the
// addresses are not multiples of 16. Committed as words in src/copy/shader_words.hpp.
#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require

layout(local_size_x_id = 0, local_size_y_id = 1) in;

layout(buffer_reference, std430, buffer_reference_align = 16) buffer Quads {
  uvec4 at[];
};
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words {
  uint at[];
};

struct Entry {
  uvec2 source;
  uvec2 destination;
  uint units;  // of 16 bytes; with the top bit set, of 4
  uint unused;
};
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer List {
  Entry entries[];
};

layout(push_constant) uniform Push {
  uvec2 list;
  uint first;
  uint count;
}
push;

const uint kWords = 0x80000000u;

void main() {
  const uint row = gl_WorkGroupID.x * gl_WorkGroupSize.y + gl_LocalInvocationID.y;
  if (row >= push.count) return;
  const Entry entry = List(push.list).entries[push.first + row];
  const uint units = entry.units & ~kWords;
  const uint step = gl_WorkGroupSize.x;
  uint i = gl_LocalInvocationID.x;
  if ((entry.units & kWords) == 0u) {
    Quads source = Quads(entry.source);
    Quads destination = Quads(entry.destination);
    for (; i + 3u * step < units; i += 4u * step) {
      const uvec4 a = source.at[i];
      const uvec4 b = source.at[i + step];
      const uvec4 c = source.at[i + 2u * step];
      const uvec4 d = source.at[i + 3u * step];
      destination.at[i] = a;
      destination.at[i + step] = b;
      destination.at[i + 2u * step] = c;
      destination.at[i + 3u * step] = d;
    }
    for (; i < units; i += step) destination.at[i] = source.at[i];
  } else {
    Words source = Words(entry.source);
    Words destination = Words(entry.destination);
    for (; i < units; i += step) destination.at[i] = source.at[i];
  }
}
