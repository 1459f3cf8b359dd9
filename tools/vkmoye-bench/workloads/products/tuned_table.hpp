// SPDX-License-Identifier: MIT
#pragma once
// The table that `tune` writes for one device and driver, and that gemm/auto asks before the shipped one.
//
//   # vkmoye: kernels of gemm/auto, found by tune; format 2
//   # device: NVIDIA H200
//   # driver: NVIDIA 580.159.04
//   # device | types | where | kernel and what it is told | why
//   * | f16,f32,f32 | m=4096 n=4096 k=4096 batch=1 a=k b=k beta=no epilogue=none | gemm/coopmat --tile .. | measured: ..
//
// The file is $VKMOYE_GEMM_TABLE, else one of this device beside the pipeline cache. It is a user's to
// edit: m=4096 may become m>=2048, f16,f32,f32 may become f16,f32. What else stands in it is kept.

#include <filesystem>
#include <string>
#include <vector>

#include "vkmoye/gen/kernels/products/choice/table.hpp"

namespace vkmoye::bench {

/// Where that of the device of `caps` is, from the root on; empty: no folder is named.
std::filesystem::path tuned_table_file(const DeviceCaps& caps);

/// What the file says; without rows where it does not exist or is not to be used, and then why.
struct TunedTable {
  gen::GemmTable table;
  std::string ignored;  // one line; empty: it was read, or does not exist
  std::vector<std::string>
      wrong;  // "FILE, line 6: why": what is no row, or can multiply nothing here
};
TunedTable read_tuned_table(const std::filesystem::path& file, const DeviceCaps& caps);

/// That of the device, or nothing; what is ignored or wrong is said on stderr, once.
std::vector<gen::GemmTable> tuned_tables(const DeviceCaps& caps);

/// Whether it is such a file, of whatever device and format.
bool is_tuned_table(const std::filesystem::path& file);

/// Why the file must not be written: it holds something else. Empty: it may.
std::string reason_against_writing(const std::filesystem::path& file);

/// Puts `rows` before those of the file, whose rows for the same products go; its other lines stay, also
/// what is written into it meanwhile. Of another device or format, all of it goes. Returns what went
/// wrong; empty: nothing.
std::string write_tuned_rows(const std::filesystem::path& file, const DeviceCaps& caps,
                             const std::vector<std::string>& rows);

}  // namespace vkmoye::bench
