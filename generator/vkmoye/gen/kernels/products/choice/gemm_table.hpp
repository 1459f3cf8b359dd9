// SPDX-License-Identifier: MIT
#pragma once
// A table of kernels for products: gemm/auto chooses the first suitable entry, if there is one; see choose_gemm.hpp.
//
//   using enum GemmQuantity;
//   GemmTableEntry entry{.devices = {"H200"},
//                        .types = {{f16, f16, f32}},
//                        .where = {{m >= 512, n >= 512}, .b = 'n'},
//                        .kernel = "gemm/coopmat",
//                        .options = {{"tile", "128x256x32"}, {"split-k", "4"}},
//                        .why = "measured: .."};
//   unmet(entry, {form, {{64, 512, 512}}}, caps)      "needs m>=512, but m is 64"
//
// If C has m contiguous, m and n are exchanged: that product is computed as its transpose.
//
// shipped_table.cpp has the entries that ship.

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "vkmoye/contract/device_caps.hpp"
#include "vkmoye/gen/kernels/common/config_fields.hpp"
#include "vkmoye/gen/kernels/products/form/gemm_form.hpp"

namespace vkmoye::gen {

/// Each extent of a product whose shape is not known.
inline constexpr std::int64_t kUnknownExtent = 4096;

/// The types of a product. An entry without a result type matches every result type. An entry with a weight format
/// matches only products whose weights have that format.
struct GemmTypes {
  ScalarType a, b, accumulator;
  std::optional<ScalarType> result = {};
  const WeightFormat* weights = nullptr;

  bool operator==(const GemmTypes&) const = default;
};

/// "f16,f32" or "f32*f16,f32,f16".
std::string to_string(const GemmTypes& types);

/// Quantities that the conditions of an entry can bound.
enum class GemmQuantity {
  m,
  n,
  k,
  batch,
  least,        // the smaller of m and n
  area,         // m * n
  elements,     // elements of C: m * n * batch
  k_alignment,  // the largest power of two that divides k
  lanes,        // lanes per subgroup on the device
  shared,       // bytes of shared memory of a workgroup on the device
  count
};

const char* to_string(GemmQuantity quantity);

/// min <= quantity <= max.
struct GemmRange {
  GemmQuantity quantity;
  std::int64_t min = std::numeric_limits<std::int64_t>::min();
  std::int64_t max = std::numeric_limits<std::int64_t>::max();

  bool operator==(const GemmRange&) const = default;
};

/// The range up to `max`, as in `m <= 16`.
constexpr GemmRange operator<=(GemmQuantity quantity, std::int64_t max) {
  return {.quantity = quantity, .max = max};
}
/// The range from `min` on, as in `m >= 512`.
constexpr GemmRange operator>=(GemmQuantity quantity, std::int64_t min) {
  return {.quantity = quantity, .min = min};
}

/// "m>=512", "m<=16", "m=64" or "17<=m<=512".
std::string to_string(const GemmRange& range);

/// The conditions of an entry, all of which must hold.
struct GemmWhere {
  std::vector<GemmRange> ranges = {};
  std::optional<bool> weights = {};  // whether B is in blocks of a weight format
  bool long_blocks = false;          // whether these blocks must have more than 128 weights
  std::optional<bool> experts = {};  // whether B has a matrix for each expert
  char a = 0, b = 0;  // the contiguous index: 'k' or 'm' of A, 'k' or 'n' of B; 0: either
  std::optional<bool> beta = {};                          // whether C is read
  std::optional<std::vector<std::string>> epilogue = {};  // the names of exactly these steps

  bool operator==(const GemmWhere&) const = default;
};

/// A kernel with its options, and the devices, types and conditions for which it is chosen.
struct GemmTableEntry {
  /// Parts of the name of a device, ignoring case; empty: any device.
  std::vector<std::string> devices = {};
  std::vector<GemmTypes> types = {};  // empty: any types
  GemmWhere where = {};
  std::string kernel = {};
  Options options = {};  // options of the kernel, and "split-k": slices of k
  std::string why = {};
  int number = 0;  // in its file, from 1; 0: its position in the table
};

struct GemmTable {
  std::string name;  // for messages: "the shipped table"
  std::vector<GemmTableEntry> entries;
};

/// Whether both have the same devices, types and conditions.
bool is_for_the_same(const GemmTableEntry& a, const GemmTableEntry& b);

/// An entry, still without a kernel, that matches exactly the products like this one, on any device.
/// Precondition: `product` has a shape.
GemmTableEntry entry_for(const GemmProduct& product);

/// Why the names in `entry` are wrong: not a product kernel, or unknown options. Empty if they are correct.
std::vector<std::string> reasons_against_names(const GemmTableEntry& entry);

/// Whether the name of `device` contains one of those of the entry, in any case; without names, it is for any device.
bool is_for_device(const GemmTableEntry& entry, const DeviceCaps& device);
/// Operands of two types are multiplied as the narrower type, so an entry for that type matches them as well.
bool is_for_types(const GemmTableEntry& entry, const GemmForm& form);

/// The first condition on the form that does not hold: "needs b=n, but it is k"; empty if all hold.
std::string unmet(const GemmTableEntry& entry, const GemmForm& form);

/// The first condition that does not hold: "needs m>=512, but m is 64"; empty if all hold.
std::string unmet(const GemmTableEntry& entry, const GemmProduct& product,
                  const DeviceCaps& device);

/// Entries for weights in blocks, for experts, for CPUs, and for what expected times would choose badly.
const GemmTable& shipped_gemm_table();

/// Entries for any device, for what is left.
const GemmTable& general_gemm_table();

}  // namespace vkmoye::gen
