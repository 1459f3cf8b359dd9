// SPDX-License-Identifier: MIT
#include "vkmoye/contract/spirv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/reasons.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/contract/spirv_module.hpp"

namespace vkmoye {
namespace {

// A capability of the SPIR-V specification, 3.31, and the features one of which a kernel needs to declare it; no
// feature: every device has the capability.
struct CapabilityFeatures {
  std::uint32_t capability;
  const char* name;
  FeatureSet one_of;
};
const CapabilityFeatures kCapabilities[] = {
    {0, "Matrix", {}},
    {1, "Shader", {}},
    {9, "Float16", {Feature::f16}},
    {10, "Float64", {Feature::f64}},
    {11, "Int64", {Feature::i64}},
    {22, "Int16", {Feature::i16}},
    {39, "Int8", {Feature::i8}},
    {61, "GroupNonUniform", {Feature::subgroup_basic}},
    {63, "GroupNonUniformArithmetic", {Feature::subgroup_arithmetic}},
    {64, "GroupNonUniformBallot", {Feature::subgroup_ballot}},
    {65, "GroupNonUniformShuffle", {Feature::subgroup_shuffle}},
    {4433, "StorageBuffer16BitAccess", {Feature::storage16}},
    {4448, "StorageBuffer8BitAccess", {Feature::storage8}},
    {5116, "BFloat16TypeKHR", {Feature::bf16_matrix}},
    {5118, "BFloat16CooperativeMatrixKHR", {Feature::bf16_matrix}},
    {5345, "VulkanMemoryModel", {Feature::cooperative_matrix, Feature::grid_barrier}},
    {5346, "VulkanMemoryModelDeviceScope", {Feature::cooperative_matrix, Feature::grid_barrier}},
    {5347, "PhysicalStorageBufferAddresses", {Feature::buffer_address}},
    {6018, "DotProductInput4x8BitPacked", {Feature::integer_dot}},
    {6019, "DotProduct", {Feature::integer_dot}},
    {6022, "CooperativeMatrixKHR", {Feature::cooperative_matrix}},
    {6033, "AtomicFloat32AddEXT", {Feature::shared_f32_atomic_add, Feature::buffer_f32_atomic_add}},
};

std::string size_text(const std::array<std::uint32_t, 3>& size) {
  return fmt::format("{} x {} x {}", size[0], size[1], size[2]);
}

void check_capabilities(const KernelInterface& kernel, const SpirvModule& spirv, Reasons& reasons) {
  for (const std::uint32_t capability : spirv.capabilities) {
    const auto* row =
        std::find_if(std::begin(kCapabilities), std::end(kCapabilities),
                     [&](const CapabilityFeatures& one) { return one.capability == capability; });
    if (row == std::end(kCapabilities)) {
      reasons.add(
          fmt::format("its SPIR-V declares capability {}, which no kernel has", capability));
      continue;
    }
    const std::vector<Feature> features = row->one_of.list();
    const bool has_one = std::any_of(features.begin(), features.end(),
                                     [&](Feature feature) { return kernel.features.has(feature); });
    if (features.empty() || has_one) continue;
    std::vector<std::string> names;
    for (const Feature feature : features) names.emplace_back(to_string(feature));
    reasons.add(fmt::format("its SPIR-V declares {}, but its interface lacks the feature {}",
                            row->name, join(names, " or ")));
  }
}

void check_buffers(const KernelInterface& kernel, const SpirvModule& spirv, Reasons& reasons) {
  for (const SpirvModule::Buffer& buffer : spirv.buffers) {
    if (buffer.set != 0)
      reasons.add(fmt::format("its SPIR-V has a buffer in set {}, not 0", buffer.set));
    if (buffer.binding >= kernel.bindings.size() ||
        kernel.bindings[buffer.binding].addressing != Addressing::descriptor) {
      reasons.add(fmt::format("its SPIR-V has a buffer at binding {}, but its interface has none",
                              buffer.binding));
      continue;
    }
    const Binding& binding = kernel.bindings[buffer.binding];
    if (buffer.is_written && binding.access == Access::read) {
      reasons.add(
          fmt::format("its interface only reads {}, but its SPIR-V may write it", binding.name));
    }
    if (buffer.is_read && binding.access == Access::write) {
      reasons.add(
          fmt::format("its interface only writes {}, but its SPIR-V may read it", binding.name));
    }
    const auto aligned = std::max<std::uint64_t>(binding.alignment, size_of(binding.type));
    if (buffer.stride > aligned) {
      reasons.add(fmt::format(
          "its interface binds {} at multiples of {} bytes, but its SPIR-V accesses {} at once",
          binding.name, aligned, buffer.stride));
    }
  }
}

std::string text_of(const std::vector<SpirvModule::Constant>& constants) {
  std::vector<std::string> all;
  for (const SpirvModule::Constant& constant : constants) {
    all.push_back(fmt::format("{} {} at {}", constant.type ? to_string(*constant.type) : "?",
                              constant.name.empty() ? "?" : constant.name, constant.offset));
  }
  return all.empty() ? "none" : join(all, ", ");
}

void check_push_constants(const KernelInterface& kernel, const SpirvModule& spirv,
                          Reasons& reasons) {
  // A kernel that reads none of them need not declare the block.
  if (spirv.push_constants.empty()) return;
  std::vector<SpirvModule::Constant> expected;
  const std::vector<std::uint32_t> offsets = push_constant_offsets(kernel);
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    const PushConstant& constant = kernel.push_constants[i];
    expected.push_back({constant.name, constant.type, offsets[i]});
  }
  const bool are_equal = std::equal(
      expected.begin(), expected.end(), spirv.push_constants.begin(), spirv.push_constants.end(),
      [](const SpirvModule::Constant& a, const SpirvModule::Constant& b) {
        return a.type == b.type && a.offset == b.offset && (b.name.empty() || a.name == b.name);
      });
  if (are_equal) return;
  reasons.add(fmt::format("push constants are {} in its SPIR-V, {} in its interface",
                          text_of(spirv.push_constants), text_of(expected)));
}

// A kernel that reads none of them need not declare them.
void check_specialised(const KernelInterface& kernel, const SpirvModule& spirv, Reasons& reasons) {
  for (const SpirvModule::Specialised& one : spirv.specialised) {
    const std::string* expected =
        one.id < kernel.specialised.size() ? &kernel.specialised[one.id].name : nullptr;
    const bool is_equal = expected != nullptr && one.type == ScalarType::u32 &&
                          (one.name.empty() || one.name == *expected);
    if (is_equal) continue;
    reasons.add(fmt::format("constant_id {} is {} {} in its SPIR-V, {} in its interface", one.id,
                            one.type ? to_string(*one.type) : "?",
                            one.name.empty() ? "?" : one.name,
                            expected != nullptr ? "u32 " + *expected : "none"));
  }
}

}  // namespace

std::vector<std::string> reasons_against_spirv(const KernelInterface& kernel,
                                               const std::vector<std::uint32_t>& words) {
  SpirvModule spirv;
  try {
    spirv = read_spirv(words);
  } catch (const ArgumentError& error) {
    return {error.what()};
  }
  Reasons reasons;
  if (!spirv.has_main) reasons.add("its SPIR-V has no compute shader called main");
  if (!spirv.workgroup_size) reasons.add("its SPIR-V has no workgroup size");
  if (spirv.workgroup_size && *spirv.workgroup_size != kernel.workgroup_size) {
    reasons.add(fmt::format("workgroups are {} in its SPIR-V, {} in its interface",
                            size_text(*spirv.workgroup_size), size_text(kernel.workgroup_size)));
  }
  check_capabilities(kernel, spirv, reasons);
  check_buffers(kernel, spirv, reasons);
  check_push_constants(kernel, spirv, reasons);
  check_specialised(kernel, spirv, reasons);
  if (spirv.shared_bytes > kernel.shared_bytes) {
    reasons.add(fmt::format("its SPIR-V uses {} bytes of shared memory, but its interface has {}",
                            spirv.shared_bytes, kernel.shared_bytes));
  }
  for (const MatrixShape& shape : spirv.products) {
    const auto& known = kernel.matrices;
    if (std::find(known.begin(), known.end(), shape) != known.end()) continue;
    reasons.add(fmt::format("its SPIR-V multiplies matrices {}, which its interface does not have",
                            to_string(shape)));
  }
  return std::move(reasons).take();
}

}  // namespace vkmoye
