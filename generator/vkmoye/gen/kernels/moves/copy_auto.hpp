// SPDX-License-Identifier: MIT
#pragma once
// dst = src at memory speed: both are treated as flat arrays, so that neither the rows nor the element
// type matter. Each thread has several independent wide accesses in flight; only the last workgroup
// copies element by element. Where dst has another type, elements are converted: to floating types rounded to nearest
// even, to integers towards 0; integers keep their low bits.

#include <cstdint>
#include <optional>
#include <string>

#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/kernels/common/addressing.hpp"
#include "vkmoye/gen/kernels/common/config_fields.hpp"

namespace vkmoye::gen {

/// The config of copy/auto.
struct CopyAutoConfig {
  ScalarType type = ScalarType::f32;
  std::int64_t threads = 256;      // threads per workgroup
  std::int64_t rounds = 1;         // accesses of a thread, all in flight at once
  std::int64_t vector_bytes = 16;  // bytes of an access to the wider type
  AddressChoice address = AddressChoice::descriptor;
  std::optional<ScalarType> result = {};  // the type of dst; nullopt: `type`
};

/// The config values that `--NAME` can replace.
const std::vector<ConfigField<CopyAutoConfig>>& copy_auto_fields();

/// Why elements of `from` cannot be converted to `to`; empty if they can.
std::vector<std::string> reasons_against_conversion(ScalarType from, ScalarType to);

/// Every reason against `config`; empty if it is valid.
std::vector<std::string> reasons_against(const CopyAutoConfig& config);

/// src and dst (cols, rows) as in copy.hpp, of any element type; cols * rows is at most 2^32-1.
/// Throws KernelError with every reason.
ir::Kernel copy_auto(const CopyAutoConfig& config = {}, const std::string& name = "copy/auto");

}  // namespace vkmoye::gen
