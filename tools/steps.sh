# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Common functions of the scripts in tools/, which source this file and run from the root of the repository.

here=${BASH_SOURCE[0]%/*}
root=$(cd "$here/.." && pwd)
name=${0##*/}
cd "$root" || exit

say() { printf 'tools/%s: %s\n' "$name" "$*" >&2; }

# progress: shows the latest progress line of ninja from stdin on one line of the terminal, and clears it at the end.
progress() {
  local line
  while IFS= read -r line; do
    [[ $line != \[+([0-9])/+([0-9])\]* ]] || printf '\r\033[K%.*s' "$((${COLUMNS:-80} - 1))" "$line" >&2
  done
  printf '\r\033[K' >&2
}

# keep LOG COMMAND...: runs the command with its output in LOG and returns its status; on a terminal, shows the
# progress of the build. Needs pipefail.
keep() {
  local log=$1
  shift
  if [[ -t 2 ]]; then
    "$@" 2>&1 </dev/null | tee "$log" | progress
  else
    "$@" >"$log" 2>&1 </dev/null
  fi
}

# step WHAT COMMAND...: runs the command and prints how long it took; prints the end of its output if it fails.
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

# clang_flags: prints the flags that clang++ needs to compile and link on this machine; fails if it cannot.
# clang uses the newest installed libstdc++; clang 14 cannot parse that of g++ 14, and then gets that of the
# default g++.
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

# parse_all: passes every source, and every public header alone, through clang++ for its warnings, which are errors; no
# code is generated. Headers are read once for 20 sources. Returns 2 if clang++ does not work on this machine.
parse_all() {
  local flags
  flags=$(clang_flags) || { say "clang++ does not work on this machine, so nothing was parsed by it"; return 2; }
  step "configure clang" cmake --preset clang -DCMAKE_CXX_FLAGS="$flags" -DCMAKE_UNITY_BUILD=ON \
    -DCMAKE_UNITY_BUILD_BATCH_SIZE=20 -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON &&
    step "generate sources" cmake --build --preset clang --target library_text &&
    step "parse by clang++" tests/support/parse_all build/clang/compile_commands.json src/public_headers.txt || return 1
}

# as_owner ARGUMENT...: installs what is missing, as root. If the script was called through sudo, it then runs again
# as the calling user, who thus owns the build folder. setup_argument: the argument of tools/setup.
as_owner() {
  tools/setup ${setup_argument:+"$setup_argument"}
  if ((EUID == 0)) && [[ ${SUDO_UID:-0} != 0 ]] && sudo -u "#$SUDO_UID" test -w "$root"; then
    exec sudo -H -u "#$SUDO_UID" --preserve-env=VULKAN_SDK,VK_DRIVER_FILES,CI -- "$root/tools/$name" "$@"
  fi
}

# build PRESET [TARGET...]: configures and builds the targets, by default everything.
build() {
  local preset=$1 target=()
  shift
  (($# == 0)) || target=(--target "$@")
  step "configure $preset" cmake --preset "$preset" ${CI:+-DVKMOYE_WERROR=ON} &&
    step "build $preset" cmake --build --preset "$preset" --parallel "$(nproc)" "${target[@]}"
}

# names_in FILE...: the tests that tables name, one regular expression per line. A dot in a table is a dot.
names_in() { grep -hv '^#' "$@" | cut -f1 | sed 's/[.]/[.]/g'; }

# tests_of PRESET: the names of the tests that are built there. ctest appends a space and a parameter to some.
tests_of() { ctest --test-dir "build/$1" -N | sed -n 's/^ *Test *#[0-9]*: \([^ ]*\).*/\1/p'; }

# tests_in PRESET FILE...: a regular expression of ctest for the tests of a preset that tables name. It has every name
# written out, because ctest ignores an expression with more parentheses than it supports.
tests_in() {
  local names
  names=$(tests_of "$1" | grep -xEf <(names_in "${@:2}") | sed 's/[.]/[.]/g' | paste -sd '|')
  printf '^(%s)( |$)\n' "${names:-no test}"
}

# check_names FILE: fails if a line of the table matches no test. The test programs must be built in build/release.
check_names() {
  local tests pattern
  tests=$(tests_of release)
  while IFS= read -r pattern; do
    grep -qxE "$pattern" <<<"$tests" || { say "$1 names a test that does not exist: $pattern"; return 1; }
  done < <(names_in "$1")
}

# sanitize LABELS TARGET...: builds the targets under ASan, UBSan and LSan, and runs their tests of the quick run that
# have one of the labels (a regular expression), but for those in tests/not_sanitized.tsv; with VKMOYE_TEST_LONG, with
# every check of UBSan.
sanitize() {
  local preset=sanitize${VKMOYE_TEST_LONG:+-all} labels=$1
  shift
  build "$preset" "$@" || return
  use_lavapipe
  VKMOYE_TEST_QUICK=1 run_tests "$preset" -L "^($labels)\$" \
    -E "$(tests_in "$preset" tests/left_to_all.tsv tests/not_sanitized.tsv)"
}

# sanitize_threads: runs test_threads under ThreadSanitizer on lavapipe; then checks that a deliberate race is
# reported despite the suppressions. The validation layer is off, since it is not built for ThreadSanitizer.
sanitize_threads() {
  local -x VKMOYE_TEST_VALIDATION=off VKMOYE_CACHE_DIR='' TSAN_OPTIONS="suppressions=$root/tests/threads/suppressions"
  build tsan test_threads || return
  use_lavapipe
  step "eight threads under ThreadSanitizer" build/tsan/tests/test_threads || return
  grep -q '^SUMMARY: ThreadSanitizer: data race .*RecordedKernel::reset' < <(
    VKMOYE_TEST_RACE=1 build/tsan/tests/test_threads --gtest_filter='*ARecorderIsHandedFromThreadToThread' 2>&1
  ) || { say "ThreadSanitizer does not report a deliberate race"; return 1; }
}

# use_lavapipe: makes lavapipe the device of the tests, unless VK_DRIVER_FILES selects another.
use_lavapipe() {
  local manifest
  for manifest in /usr/share/vulkan/icd.d/lvp_icd*.json; do
    [[ -r $manifest ]] && export VK_DRIVER_FILES=${VK_DRIVER_FILES:-$manifest}
  done
  # With 512, cooperative matrices crash; with 128, there are none (Mesa 26.1).
  export LP_NATIVE_VECTOR_WIDTH=${LP_NATIVE_VECTOR_WIDTH:-256}
  # LLVM takes half the time to compile a kernel, which then takes as long.
  export GALLIVM_PERF=${GALLIVM_PERF:-nopt}
  # Verifying a kernel allocates many small objects: a fifth of the time of such tests, without these.
  export GLIBC_TUNABLES=${GLIBC_TUNABLES:-glibc.malloc.tcache_count=2000:glibc.malloc.trim_threshold=1073741824}
}

# if_possible SCRIPT ARGUMENT...: runs a script of tools/; passes as well where that lacks a package, which it names.
if_possible() {
  local status=0
  "tools/$1" "${@:2}" || status=$?
  ((status == 0 || status == 77))
}

# run_tests PRESET ARGUMENT...: runs ctest without printing the tests that passed. What one test of this preset
# verified, no other verifies again. Fails if ctest cannot read a regular expression, which it would ignore.
run_tests() {
  local preset=$1
  local -x VKMOYE_VERIFIED_DIR=$root/build/$1/verified
  shift
  if ctest --preset "$preset" -N "$@" 2>&1 | grep -F 'RegularExpression::' >&2; then
    say "ctest would ignore a regular expression"
    return 1
  fi
  ctest --preset "$preset" --parallel "$(nproc)" "$@" </dev/null |
    grep --line-buffered -vE '^ +Start +[0-9]+: | +Passed +[0-9.]+ sec *$'
}
