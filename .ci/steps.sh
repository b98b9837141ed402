# SPDX-License-Identifier: MIT
# What .ci/run and .ci/full share; to be sourced in the project's root.
jobs=$(nproc)
if command -v ccache >/dev/null; then
  export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
fi

step() {
  printf '\n==== %s (at %d s)\n' "$*" "$SECONDS"
}

# cpu_tests PRESET [configure arguments]: builds and runs what needs no driver.
cpu_tests() {
  local preset=$1
  shift
  step "CPU tests: $preset"
  cmake --preset "$preset" --log-level=WARNING -DQUARRY_TESTS=CPU "$@"
  cmake --build --preset "$preset" --target quarry_cpu_tests
  ctest --preset "$preset" --parallel "$jobs"
}
