#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# From a fresh machine to every test: packages, release build, ctest. Arguments go to ctest, for instance -R Tlsf.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
tools/setup.sh
if command -v ccache >/dev/null; then
  export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
fi
cmake --preset release --log-level=WARNING
cmake --build --preset release
ctest --preset release --parallel "$(nproc)" "$@"
