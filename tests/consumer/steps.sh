# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Sourced by the checks of this folder: a temporary $folder, and what a user does in it.

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# quiet COMMAND...: shows its output only where it fails. Of the environment it sees what finds programs and
# libraries: no flags, no prefixes.
quiet() {
  env -i PATH="$PATH" HOME="$folder" ${VULKAN_SDK:+VULKAN_SDK="$VULKAN_SDK"} "$@" >"$folder/log" 2>&1 ||
    { cat "$folder/log"; exit 1; }
}

# succeeds COMMAND...: whether it succeeds, in silence.
succeeds() { (quiet "$@") >/dev/null; }

# configure PROJECT COMPILER FLAGS OPTION...: into $folder/build
configure() {
  quiet cmake -G Ninja -S "$1" -B "$folder/build" -DCMAKE_CXX_COMPILER="$2" ${3:+-DCMAKE_CXX_FLAGS="$3"} "${@:4}"
}

# flags_of_clang SOURCE COMPILER: what clang++ needs here to compile beside COMPILER; fails where there is no
# clang++, and where COMPILER is one.
flags_of_clang() {
  [[ $2 != *clang* ]] || return 1
  (. "$1/tools/steps.sh" && clang_flags)
}

# readme_blocks FOLDER LANGUAGE [NAME [PAGE]]: writes the code blocks of that language in FOLDER/PAGE, by default
# README.md, to $folder/NAME_1, _2, ..; NAME: the language.
readme_blocks() {
  awk -v language="$2" -v name="${3:-$2}" -v folder="$folder" '
    $0 == "```" language { number++; inside = 1; next }
    $0 == "```" { inside = 0 }
    inside { print > (folder "/" name "_" number) }' "$1/${4:-README.md}"
}
