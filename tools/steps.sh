# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Sourced by demo, test and check: the common steps, run from the top of the tree.

here=${BASH_SOURCE[0]%/*}
root=$(cd "$here/.." && pwd)
name=${0##*/}
cd "$root" || exit

say() { printf 'tools/%s: %s\n' "$name" "$*" >&2; }

# progress: the latest of ninja's lines among what is read, on a line of the terminal that is empty at the end.
progress() {
  local line
  while IFS= read -r line; do
    [[ $line != \[+([0-9])/+([0-9])\]* ]] || printf '\r\033[K%.*s' "$((${COLUMNS:-80} - 1))" "$line" >&2
  done
  printf '\r\033[K' >&2
}

# keep LOG COMMAND...: the status of the command, whose output goes to LOG; on a terminal, what is being built is
# shown until it ends. Needs pipefail.
keep() {
  local log=$1
  shift
  if [[ -t 2 ]]; then
    "$@" 2>&1 </dev/null | tee "$log" | progress
  else
    "$@" >"$log" 2>&1 </dev/null
  fi
}

# step WHAT COMMAND...: runs the command and says how long it took; shows its output if it fails.
step() {
  local what=$1 start=$SECONDS log
  shift
  log=$(mktemp)
  say "$what ..."
  if keep "$log" "$@"; then
    say "$what: $((SECONDS - start)) s"
    rm -f "$log"
  else
    grep -vE '^\[[0-9]+/[0-9]+\] (Building|Linking|Generating) ' "$log" | tail -n 60 >&2
    say "$what failed; the whole output is in $log"
    return 1
  fi
}

# clang_flags: what clang++ needs to compile and link here; fails where there is no clang++ that can.
# clang takes the newest libstdc++ that is installed; clang 14 cannot parse that of g++ 14 and gets g++'s own.
clang_flags() {
  local version triplet flags
  version=$(g++ -dumpversion) triplet=$(g++ -print-multiarch)
  for flags in "" "-nostdinc++ -isystem /usr/include/c++/$version -isystem /usr/include/$triplet/c++/$version -L/usr/lib/gcc/$triplet/$version -Wno-unused-command-line-argument"; do
    # shellcheck disable=SC2086  # several flags
    if clang++ -std=c++20 $flags -o /dev/null -x c++ - <<<$'#include <chrono>\nint main() {}' 2>/dev/null; then
      printf '%s\n' "$flags"
      return
    fi
  done
  return 1
}

# as_owner ARGUMENT...: installs what is missing, as root; the rest of a script called through sudo runs again
# as the user who called it, so that the build folder stays his. setup_argument: that of tools/setup.
as_owner() {
  tools/setup ${setup_argument:+"$setup_argument"}
  if ((EUID == 0)) && [[ ${SUDO_UID:-0} != 0 ]] && sudo -u "#$SUDO_UID" test -w "$root"; then
    exec sudo -H -u "#$SUDO_UID" --preserve-env=VULKAN_SDK,VK_DRIVER_FILES,CI -- "$root/tools/$name" "$@"
  fi
}

# build PRESET [TARGET...]: configures and builds; everything if no target is named.
build() {
  local preset=$1 target=()
  shift
  (($# == 0)) || target=(--target "$@")
  step "configure $preset" cmake --preset "$preset" ${CI:+-DVKMOYE_WERROR=ON} &&
    step "build $preset" cmake --build --preset "$preset" --parallel "$(nproc)" "${target[@]}"
}

# left_names: the tests that the quick run leaves to tools/test all, a regular expression a line.
left_names() { grep -v '^#' tests/left_to_all.tsv | cut -f1 | sed 's/[.]/[.]/g'; }

# left_to_all: all of them in one regular expression.
left_to_all() { left_names | paste -sd '|'; }

# check_left_to_all: fails where tests/left_to_all.tsv has a name that no test of the quick run has any more, and that
# would be left out for ever. Its programs are built in build/release; other presets build some of them only.
check_left_to_all() {
  local tests pattern
  tests=$(ctest --test-dir build/release -N | sed -n 's/^ *Test *#[0-9]*: //p')
  while IFS= read -r pattern; do
    grep -qxE "$pattern" <<<"$tests" || { say "tests/left_to_all.tsv names a test that there is not: $pattern"; return 1; }
  done < <(left_names)
}

# sanitize: what the quick run has of the host tests, of the tests on devices and of the command line, under ASan, UBSan
# and LSan.
sanitize() {
  # A driver that is preloaded comes before ASan's library, which then ends the program; and ASan ends a program that
  # asks for more memory than there can be, which a test of refusals does.
  local left not_sanitized='NothingExecuted.*[.].*|LostDevice[.].*|Cli[.]RunSkipsWhatTheDeviceCannotHoldAndSaysWhy'
  build sanitize host_tests device_tests cli_tests || return
  use_lavapipe
  left=$(left_to_all)
  VKMOYE_TEST_QUICK=1 run_tests sanitize -L '^(host|device|cli)$' -E "^($left|$not_sanitized)\$"
}

# sanitize_threads: test_threads under ThreadSanitizer, on lavapipe; then a race made on purpose, which it must report in
# spite of the suppressions. The layer, which is not built for it, is left out.
sanitize_threads() {
  local -x VKMOYE_TEST_VALIDATION=off VKMOYE_CACHE_DIR='' TSAN_OPTIONS="suppressions=$root/tests/threads/suppressions"
  build tsan test_threads || return
  use_lavapipe
  step "eight threads under ThreadSanitizer" build/tsan/tests/test_threads || return
  grep -q '^SUMMARY: ThreadSanitizer: data race .*RecordedKernel::reset' < <(
    VKMOYE_TEST_RACE=1 build/tsan/tests/test_threads --gtest_filter='*ARecorderIsHandedFromThreadToThread' 2>&1
  ) || { say "ThreadSanitizer does not report a race made on purpose"; return 1; }
}

# use_lavapipe: the tests' device, unless VK_DRIVER_FILES names another.
use_lavapipe() {
  local manifest
  for manifest in /usr/share/vulkan/icd.d/lvp_icd*.json; do
    [[ -r $manifest ]] && export VK_DRIVER_FILES=${VK_DRIVER_FILES:-$manifest}
  done
  # 512 crashes in cooperative matrices, 128 has none (Mesa 26.1).
  export LP_NATIVE_VECTOR_WIDTH=${LP_NATIVE_VECTOR_WIDTH:-256}
}

# run_tests PRESET ARGUMENT...: ctest without the lines of what passed.
run_tests() {
  local preset=$1
  shift
  ctest --preset "$preset" --parallel "$(nproc)" "$@" </dev/null |
    grep --line-buffered -vE '^ +Start +[0-9]+: | +Passed +[0-9.]+ sec *$'
}
