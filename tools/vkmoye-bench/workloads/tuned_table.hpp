// SPDX-License-Identifier: MIT
#pragma once
// The table that `tune` writes for one device and driver. gemm/auto reads it before the shipped table.
//
//   {
//     "table": "gemm/auto",
//     "format": 3,
//     "device": "NVIDIA H200",
//     "driver": "NVIDIA 580.159.04",
//     "rows": [
//       {"types":["f16,f32,f32"],"where":{"m":64,"n":[2048,null],"b":"n"},
//        "kernel":"gemm/coopmat","options":{"tile":"128x256x32","split-k":"4"},"why":"measured: .."}
//     ]
//   }
//
//   devices   parts of a device's name, in any case; absent: any device
//   types     "operands,accumulator" or "operands,accumulator,result"; absent: any types
//   where     conditions, all of which must hold; absent: none. Members:
//               m n k batch least area elements lanes shared    a number, or [least, most] with null for no
//                                                               bound; see GemmQuantity
//               a, b       the contiguous index: "k" or "m" of A, "k" or "n" of B
//               beta       true or false: whether C is read
//               epilogue   the names of its steps, such as ["bias","relu"]; [] is none
//   kernel, options   as for `run`; split-k is the number of slices of k
//
// The file is $VKMOYE_GEMM_TABLE, or else one for this device in the
// folder of the pipeline cache. Users may edit it, for example "m":4096 to "m":[2048,null]. `tune` keeps the entries
// that it does not replace.

#include <filesystem>
#include <string>
#include <vector>

#include "vkmoye/contract/json.hpp"
#include "vkmoye/gen/kernels/products/choice/gemm_table.hpp"

namespace vkmoye::bench {

Json json_of(const gen::GemmTableEntry& entry);

/// Throws ArgumentError with every reason: an unknown member, a value of the wrong kind, an unknown type, step,
/// kernel or option. The values of options are not checked here.
gen::GemmTableEntry table_entry_of(const Json& json);

/// The absolute path of the table for this device; empty: there is no folder for it.
std::filesystem::path tuned_table_file(const DeviceCaps& caps);

struct TunedTable {
  gen::GemmTable table;
  /// Why the whole file is not used, in one line; empty: it is used, or there is no file.
  std::string ignored = {};
  /// "FILE, row 6: why", for each entry that is invalid or that this device does not support.
  std::vector<std::string> wrong = {};
};
TunedTable read_tuned_table(const std::filesystem::path& file, const DeviceCaps& caps);

/// The tables of the device: one, or none. Ignored files and wrong entries are printed on stderr, once.
std::vector<gen::GemmTable> tuned_tables(const DeviceCaps& caps);

/// Whether the file is such a table, for any device and format.
bool is_tuned_table(const std::filesystem::path& file);

/// Why the file must not be overwritten: it is not a table, or was edited and is no longer valid JSON. Empty: it
/// may be overwritten.
std::string reason_against_writing(const std::filesystem::path& file);

/// Inserts `entries` before those of the file and removes its entries for the same products; entries that other
/// processes write in the meantime are kept. A table of another device, driver or format is replaced. Returns what
/// failed; empty: nothing.
std::string write_tuned_entries(const std::filesystem::path& file, const DeviceCaps& caps,
                                const std::vector<gen::GemmTableEntry>& entries);

}  // namespace vkmoye::bench
