#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Sees to the packages that a build needs. Debian 12 or newer and Ubuntu 24.04 or newer: installs what is missing, asks
# nothing. Elsewhere: says what to install, and goes on if the tools are there. Nothing missing: no network, no root.
#   tools/setup.sh [--ci]      --ci: also what the checks of .ci/run need
set -euo pipefail

# package: what it is for where its name does not say
packages=(
  cmake ninja-build g++ pkg-config
  libvulkan-dev        # Vulkan headers and loader
  libvulkan-volk-dev   # volk.h and volk.c
  libgtest-dev libgmock-dev libbenchmark-dev libcli11-dev
  libstb-dev           # image files, block compression
  libglfw3-dev         # the viewer's window
  libimgui-dev libfreetype-dev  # the HUD; FreeType is what the ImGui archive links
  glslc spirv-tools    # shaders
  mesa-vulkan-drivers  # lavapipe, where there is no GPU
  vulkan-validationlayers xvfb xauth
)
if [ "${1:-}" = "--ci" ]; then
  packages+=(clang clang-format clang-tidy libclang-rt-dev gcovr g++-multilib git ccache)
fi

say() { printf 'setup: %s\n' "$*"; }

missing_packages() {
  local package
  for package in "${packages[@]}"; do
    if [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" != installed ]; then
      printf '%s\n' "$package"
    fi
  done
}

install_with_apt() {
  local missing as_root=()
  mapfile -t missing < <(missing_packages)
  if [ ${#missing[@]} -eq 0 ]; then return; fi
  say "installing ${missing[*]}"
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
      say "neither root nor sudo; as root, run: apt-get install --no-install-recommends ${missing[*]}"
      return 1
    fi
    as_root=(sudo)
  fi
  "${as_root[@]}" apt-get update -q
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -q -y --no-install-recommends "${missing[@]}" || {
    say "apt-get could not install all of: ${missing[*]} (Debian 12 or Ubuntu 24.04, or newer, have them)"
    return 1
  }
}

check_without_apt() {
  local tool missing=()
  for tool in cmake ninja c++ pkg-config glslc; do
    command -v "$tool" >/dev/null || missing+=("$tool")
  done
  say "no apt here. Needed, by Debian's names (your system's may differ):"
  say "  ${packages[*]}"
  if [ ${#missing[@]} -gt 0 ]; then
    say "not found: ${missing[*]}"
    return 1
  fi
  say "the tools are there, going on"
}

if command -v apt-get >/dev/null && command -v dpkg-query >/dev/null; then
  install_with_apt
else
  check_without_apt
fi
