#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# From a fresh machine to the running viewer: packages, release build, materials, viewer.
#   tools/demo.sh [viewer arguments]     for instance --budget-mib 512 --hud; --help lists them
# A window where there is a display, else headless with pictures and a report in out/demo.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
materials=${XDG_CACHE_HOME:-$HOME/.cache}/quarry/materials
out=$root/out/demo

given() {  # whether the caller's arguments hold an option, as `--name value` or `--name=value`
  local wanted=$1 argument
  for argument in "${arguments[@]}"; do
    case $argument in "$wanted" | "$wanted"=*) return 0 ;; esac
  done
  return 1
}

value_of() {
  local wanted=$1 i
  for ((i = 0; i < ${#arguments[@]}; ++i)); do
    case ${arguments[i]} in
      "$wanted") printf '%s' "${arguments[i + 1]:-}" ;;
      "$wanted"=*) printf '%s' "${arguments[i]#*=}" ;;
    esac
  done
}

arguments=("$@")

"$root/tools/setup.sh"
if command -v ccache >/dev/null; then
  export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
fi
(cd "$root" && cmake --preset release --log-level=WARNING && cmake --build --preset release --target quarry_programs)
bin=$root/build/release/bin

if given --help || given -h || given --list-devices; then
  exec "$bin/quarry-viewer" "${arguments[@]}"
fi

viewer=("$bin/quarry-viewer" "${arguments[@]}")
if ! given --materials; then
  if [ ! -e "$materials/.complete" ]; then
    echo "demo: making the material set in $materials (once)"
    mkdir -p "$materials"
    "$bin/quarry-materials" --out "$materials"
    touch "$materials/.complete"
  fi
  viewer+=(--materials "$materials")
fi

if ! given --headless && [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
  exec "${viewer[@]}"
fi

given --headless || viewer+=(--headless)
if given --out; then
  out=$(value_of --out)
else
  viewer+=(--out "$out")
fi
given --frames || viewer+=(--frames 300)
"${viewer[@]}"
echo "demo: pictures are in $out, the report is $out/report.json"
