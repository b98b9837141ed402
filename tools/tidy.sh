#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# clang-tidy over the sources of a configured build.
#   tools/tidy.sh [build folder [path pattern]]     default build/clang, and what is in src and samples
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=${1:-build/clang}
pattern=${2:-"^$PWD/(src|samples)/"}
run-clang-tidy -quiet -p "$build" -j "$(nproc)" "$pattern"
