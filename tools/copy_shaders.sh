#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Compiles the copy engine's shaders and writes their words to src/copy/shader_words.hpp, which is committed, so that the
# library builds without glslc. With --check it writes nothing and fails where the committed words differ; exit status 77
# where there is no glslc, or another one than the header was made with.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
header=src/copy/shader_words.hpp
if ! command -v glslc > /dev/null || ! command -v spirv-val > /dev/null; then
  echo "copy_shaders.sh: glslc or spirv-val is missing"
  exit 77
fi
compiler=$(glslc --version)  # whole: a pipe that ends early would fail
version="// Compiler: $(head -3 <<< "$compiler" | tr '\n' ' ' | sed 's/ $//')"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# emit FILE SYMBOL: one array
emit() {
  glslc --target-env=vulkan1.1 -O -Werror -o "$work/shader.spv" "shaders/$1"
  spirv-val --target-env vulkan1.1 "$work/shader.spv"
  echo
  echo "/// shaders/$1"
  echo "inline constexpr std::uint32_t $2[] = {"
  od -An -v -tx4 -w32 "$work/shader.spv" | sed -E 's/ +([0-9a-f]{8})/0x\1, /g; s/ $//; s/^/    /'
  echo "};"
}

{
  echo "// SPDX-License-Identifier: MIT"
  echo "// SPIR-V of the copy shaders, made by tools/copy_shaders.sh; do not edit."
  echo "$version"
  echo "#pragma once"
  echo
  echo "#include <cstdint>"
  echo
  echo "namespace quarry::copy {"
  echo
  echo "// clang-format off"
  emit copy_addresses.comp kCopyAddressesWords
  emit copy_windows.comp kCopyWindowsWords
  echo
  echo "// clang-format on"
  echo
  echo "}  // namespace quarry::copy"
} > "$work/shader_words.hpp"

if [ "${1:-}" = "--check" ]; then
  if ! grep -qxF "$version" "$header"; then
    echo "copy_shaders.sh: another compiler than the one that made $header, whose words may differ"
    exit 77
  fi
  if ! diff -q "$work/shader_words.hpp" "$header" > /dev/null; then
    echo "copy_shaders.sh: $header differs from a fresh compile of shaders/copy_*.comp"
    exit 1
  fi
else
  cp "$work/shader_words.hpp" "$header"
fi
