#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Formats every C++ file of the project; with --check it only says which differ, and fails.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
mode=(-i)
if [ "${1:-}" = "--check" ]; then mode=(--dry-run -Werror); fi
git ls-files -z '*.hpp' '*.cpp' | xargs -0 clang-format "${mode[@]}"
