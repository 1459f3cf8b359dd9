// SPDX-License-Identifier: MIT
#pragma once
// How the threads of a workgroup are arranged along the rows of a matrix.
//
//   f32, 256 threads: 32 side by side, 8 rows of them    8 accesses of 16 bytes each
//     8 rows of up to 1024 columns are read at once and stay in registers
//
// A 0 in a config means that the value is chosen; if the length of a row is known, so that the row fits.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vkmoye/contract/device_caps.hpp"
#include "vkmoye/contract/scalar_type.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/kernels/common/config_fields.hpp"

namespace vkmoye::gen {

/// How the threads of a workgroup are arranged.
struct ThreadsConfig {
  ScalarType type = ScalarType::f32;
  std::int64_t threads = 0;         // threads per workgroup
  std::int64_t subgroup_size = 32;  // lanes of a subgroup on the device
  std::int64_t columns = 0;       // threads side by side along a row; the others work on other rows
  std::int64_t rounds = 0;        // accesses of a thread in flight
  std::int64_t vector_bytes = 0;  // of an access
  std::int64_t max_threads = 1024;  // the limit where `threads` is 0

  /// Elements of an access.
  std::int64_t width() const { return vector_bytes / static_cast<std::int64_t>(size_of(type)); }
  /// (columns, rows) of threads.
  Layout thread_layout() const { return make_layout({columns, threads / columns}); }
  /// (thread, value) -> element of (columns, rows).
  TiledCopy tiled_copy() const {
    return make_tiled_copy(thread_layout(), make_layout({width(), 1}));
  }
};

/// The fields that `--NAME` can replace, for configs derived from ThreadsConfig.
template <class Config>
std::vector<ConfigField<Config>> threads_fields() {
  return {
      numbers_field<Config>("threads", "threads of a workgroup; 0: chosen to fit",
                            {&Config::threads}),
      numbers_field<Config>("subgroup-size",
                            "lanes of a subgroup, which the device must support (default: its own)",
                            {&Config::subgroup_size}),
      numbers_field<Config>("columns", "threads side by side along a row; 0: chosen to fit",
                            {&Config::columns}),
      numbers_field<Config>("rounds", "accesses that a thread has in flight; 0: chosen to fit",
                            {&Config::rounds}),
      numbers_field<Config>("vector",
                            "bytes of an access, at most 16; 0: as wide as the rows allow",
                            {&Config::vector_bytes}),
  };
}

/// The config for elements of `type` on `device`.
ThreadsConfig threads_config(ScalarType type, const DeviceCaps& device);

/// Sets `vector_bytes`, unless it is set, to the widest access to which rows of `cols` columns are aligned; 16
/// bytes for rows of any length.
void fit_vector(ThreadsConfig& config, std::optional<std::int64_t> cols);

/// The most values that a thread holds at once in a config that is chosen; with more, compilers spill registers.
inline constexpr std::int64_t kMaxValues = 32;

/// What a kernel does with its rows: it reads each once; it also writes them; it also writes them, multiplied by
/// weights, which take registers too; or it searches each several times.
enum class RowUse : std::uint8_t { read, written, weighted, searched };

/// Sets `columns` and `rounds`, unless they are set, for rows of `cols` columns, or of any length: a whole
/// row at once, if that takes at most kMaxValues and 8 accesses of each thread, or 16 accesses of single
/// elements. Few threads share a short row, depending on its use. Preconditions: `threads` and `vector_bytes` are set.
void fit_columns(ThreadsConfig& config, std::optional<std::int64_t> cols, RowUse use);

/// Sets `vector_bytes`, `threads`, `columns` and `rounds` for a kernel that works on rows, unless they are set. Long
/// rows of 8 and 16 bits are cut into several blocks.
void fit_to_rows(ThreadsConfig& config, std::optional<std::int64_t> cols, RowUse use);
/// `config` after fit_to_rows.
template <class Config>
Config fitted_to_rows(Config config, std::optional<std::int64_t> cols = std::nullopt,
                      RowUse use = RowUse::written) {
  fit_to_rows(config, cols, use);
  return config;
}

/// Every reason against `config`, in which all values are set; empty if it is valid.
std::vector<std::string> reasons_against(const ThreadsConfig& config);

/// The type in which kernels compute sums: f32 for f16, else ir::arithmetic_type.
ScalarType computing_type(ScalarType type);

/// Every reason against `config` for kernels that compute rows in f32; these take f32, f16, bf16, e4m3 and e5m2.
std::vector<std::string> reasons_against_rows(const ThreadsConfig& config);

}  // namespace vkmoye::gen
