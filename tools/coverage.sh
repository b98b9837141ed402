#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Line coverage of src/ by the tests that need no driver; fails below the bound.
#   tools/coverage.sh [percent]     default 85; the page is build/coverage/report/index.html
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
bound=${1:-85}
cmake --preset coverage --log-level=WARNING
cmake --build --preset coverage --target quarry_cpu_tests
find build/coverage -name '*.gcda' -delete
ctest --preset coverage --parallel "$(nproc)" --quiet
mkdir -p build/coverage/report
gcovr --root . --object-directory build/coverage --filter src/ --exclude-unreachable-branches \
  --html-details build/coverage/report/index.html --print-summary --fail-under-line "$bound"
