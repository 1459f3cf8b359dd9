// SPDX-License-Identifier: MIT
#pragma once
// How the threads of a workgroup go along the rows of a matrix.
//
//   f32, 256 threads: 32 side by side, 8 rows of them    8 accesses of 16 bytes each
//     8 rows of up to 1024 columns are read at once and stay in registers
//
// What is 0 in a config is chosen, so that a row fits if its length is known.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vkmoye/contract/device_caps.hpp"
#include "vkmoye/contract/scalar_type.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/kernels/common/config_fields.hpp"

namespace vkmoye::gen {

/// How the threads of a workgroup go along a row.
struct ThreadsConfig {
  ScalarType type = ScalarType::f32;
  std::int64_t threads = 0;    // of a workgroup
  std::int64_t subgroup = 32;  // lanes, as the device has them
  std::int64_t columns = 0;    // threads side by side along a row; the others have further rows
  std::int64_t rounds = 0;     // accesses of a thread at once
  std::int64_t vector = 0;     // bytes of an access
  std::int64_t most_threads = 1024;  // where they are not chosen

  /// Elements of an access.
  std::int64_t width() const { return vector / static_cast<std::int64_t>(size_of(type)); }
  /// (columns, rows) of threads.
  Layout layout() const { return make_layout({columns, threads / columns}); }
  /// (thread, value) -> element of (columns, rows).
  TiledCopy copy() const { return make_tiled_copy(layout(), make_layout({width(), 1})); }
};

/// What `--NAME` can replace of a config that is one of these.
template <class Config>
std::vector<ConfigField<Config>> threads_fields() {
  return {
      numbers_field<Config>("threads", "threads of a workgroup; 0: as fits", {&Config::threads}),
      numbers_field<Config>("subgroup-size",
                            "lanes of a subgroup; the device must have such (its own)",
                            {&Config::subgroup}),
      numbers_field<Config>("columns", "threads side by side along a row; 0: as fits",
                            {&Config::columns}),
      numbers_field<Config>("rounds", "accesses that a thread has in flight; 0: as fits",
                            {&Config::rounds}),
      numbers_field<Config>("vector",
                            "bytes of an access, those of an element to 16; 0: as rows allow",
                            {&Config::vector}),
  };
}

/// The config for elements of `type` on `device`.
ThreadsConfig threads_config(ScalarType type, const DeviceCaps& device);

/// The widest accesses at multiples of which rows of `cols` columns begin, where they are not chosen;
/// 16 bytes for rows of any length.
void fit_vector(ThreadsConfig& config, std::optional<std::int64_t> cols);

/// Threads side by side and accesses for rows of `cols` columns, or of any length, where they are
/// not chosen: all of a row at once, if that is no more than 32 values and 8 accesses of a thread, or
/// 16 of single elements. Preconditions: threads and vector are chosen.
void fit_columns(ThreadsConfig& config, std::optional<std::int64_t> cols);

/// The same, and as many threads as that takes: for kernels that compute rows.
void fit_to_rows(ThreadsConfig& config, std::optional<std::int64_t> cols);
template <class Config>
Config fitted_to_rows(Config config, std::optional<std::int64_t> cols = std::nullopt) {
  fit_to_rows(config, cols);
  return config;
}

/// Every reason why no kernel can be made of `config`, with nothing left to choose; empty: fine.
std::vector<std::string> reasons_against(const ThreadsConfig& config);

/// The same for kernels that compute rows of f16 and f32, in f32.
std::vector<std::string> reasons_against_rows(const ThreadsConfig& config);

}  // namespace vkmoye::gen
