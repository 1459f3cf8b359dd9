// SPDX-License-Identifier: MIT
// Products as users run them, with sizes around the tiles: each entry of the shipped table of gemm/auto for this
// device, each kernel with its default tiles, and the choices of gemm/auto; on a CPU one in three of these, unless
// VKMOYE_TEST_LONG is set. Every product is computed from random numbers and from whole ones, whose result must be
// exact; beyond 2^29 multiplications, from only one of them.
//
//   M, N, K   from 255, 256, 257, 1000, 4097 (on a CPU 33, 64, 129), with all pairs of values for every two of them
//   form      in turn: plain; with an epilogue; the other orders and beta; m contiguous in C and k in slices

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gemm_device/products.hpp"
#include "support/device_fixture.hpp"
#include "support/effort.hpp"
#include "support/expect.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/round_up.hpp"
#include "vkmoye/gen/kernels/products/choice/gemm_table.hpp"

namespace vkmoye::test {
namespace {

using namespace bench;

const char* const kShippedTypes[] = {"f32", "f16,f32",  "f16",     "f16,f16",
                                     "f64", "i32",      "bf16",    "i8",
                                     "u8",  "bf16,f32", "f32*f16", "bf16*f32,f32,bf16"};

// A shipped kernel.
struct Shipped {
  std::string kernel;
  gen::Options config;
  std::string type;
  std::int64_t slices = 1;
};

bool needs_units(const std::string& kernel) {
  return kernel.starts_with("gemm/packed") || kernel.ends_with("coopmat");
}

bool computes(const gen::KernelEntry& entry, const std::string& type, const DeviceCaps& caps) {
  gen::GemmOptions types = gen::parse_gemm_type(type);
  if (entry.weights != nullptr) types.b_type = gen::kWeightType;
  if (needs_units(entry.name)) return has_matrices(caps, types);
  const ScalarType type_of_units = multiplied_type(types.form());
  const bool is_known =
      std::find(entry.types.begin(), entry.types.end(), type_of_units) != entry.types.end();
  const bool is_for_units = size_of(type_of_units) == 1;
  return is_known && (!is_for_units || (entry.chooses && has_matrices(caps, types)));
}

std::vector<Shipped> shipped_on(const DeviceCaps& caps) {
  std::vector<Shipped> out;
  for (const gen::GemmTableEntry& entry : gen::shipped_gemm_table().entries) {
    if (!gen::is_for_device(entry, caps)) continue;
    for (const gen::GemmTypes& types : entry.types) {
      const std::string type = to_string(types);
      if (!computes(*gen::find_kernel(entry.kernel), type, caps)) continue;
      Shipped one{entry.kernel, entry.options, type};
      if (const auto split = one.config.find("split-k"); split != one.config.end()) {
        one.slices = std::stoll(split->second);
        one.config.erase(split);
      }
      out.push_back(one);
    }
  }
  for (const gen::KernelEntry& entry : gen::registry()) {
    if (entry.operation != "gemm") continue;
    for (const char* type : kShippedTypes) {
      const bool has_sums_of_f32 = gen::parse_gemm_type(type).accumulator == ScalarType::f32;
      if (entry.weights != nullptr && !has_sums_of_f32) continue;  // as weights in blocks need
      if (computes(entry, type, caps)) out.push_back({entry.name, {}, type});
    }
  }
  return out;
}

constexpr int kForms = 4;

Problem problem_of(const Shipped& shipped, int form, int number, const Extents& size) {
  Problem out{gen::find_kernel(shipped.kernel), shipped.config, gen::parse_gemm_type(shipped.type),
              size};
  gen::GemmOptions& p = out.gemm;
  if (out.entry->weights != nullptr && p.weights == nullptr) {
    p.weights = out.entry->weights;
    p.b_type = gen::kWeightType;
  }
  p.slices = shipped.slices;
  if (out.entry->takes_packed) {
    const bool is_only_b = out.entry->weights != nullptr;
    p.packed = std::vector{"none", is_only_b ? "b" : "a", "b",
                           is_only_b ? "none" : "ab"}[number / kForms % 4];
  }
  const bool has_curves = gen::factor_type(p.form()) == ScalarType::f32;
  if (form == 1) p.epilogue = gen::parse_epilogue(has_curves ? "bias,gelu,residual" : "bias,relu");
  if (form == 2) {
    p.a_k_contiguous = p.b_k_contiguous = false;
    p.beta = 2;
  }
  if (form == 3) {
    p.c_n_contiguous = false;
    if (!out.entry->chooses && p.slices == 1) p.slices = 3;
  }
  if (p.weights != nullptr) {  // rows of whole blocks along k, and n contiguous in C
    const std::int64_t block = p.weights->elements;
    out.size[2] = round_up(out.size[2], block);
    p.b_k_contiguous = p.c_n_contiguous = true;
  }
  return out;
}

class ShippedProducts : public DeviceTest, public testing::WithParamInterface<int> {};

constexpr int kParts = 16;

TEST_P(ShippedProducts, AreRightAroundTheirTiles) {
  for_each_device([&](Device& device) {
    const bool is_cpu = device.caps().kind == DeviceKind::cpu;
    const std::vector<std::int64_t> extents =
        is_cpu ? std::vector<std::int64_t>{33, 64, 129}
               : std::vector<std::int64_t>{255, 256, 257, 1000, 4097};
    const int count = static_cast<int>(extents.size());
    const std::vector<Shipped> all = shipped_on(device.caps());
    ASSERT_GT(all.size(), 30u);
    int right = 0, equal = 0;
    std::map<std::string, std::string> refused;  // its name and the reason
    for (std::size_t s = static_cast<std::size_t>(GetParam()); s < all.size(); s += kParts) {
      if (is_cpu && !is_drawn(s / kParts, 3)) continue;
      Products products(device);
      std::size_t wrong = 0, right_before = static_cast<std::size_t>(right);
      // Compiling a kernel for a CPU takes seconds: only one form of each, and every fourth product.
      for (int number = 0; number < count * count && wrong < 3; number += is_cpu ? 4 : 1) {
        const int m = number / count, n = number % count, k = (m + n) % count;
        const Extents size = {extents[m], extents[n], extents[k]};
        const int form = is_cpu ? static_cast<int>(s) % kForms : number % kForms;
        const Problem problem = problem_of(all[s], form, number, size);
        std::string text, command;
        try {
          command = command_of(problem, 1);
          // Checking a sample takes as long as 2^29 multiplications, so large products are computed once.
          const bool is_large = size[0] * size[1] * size[2] > std::int64_t{1} << 29;
          const auto whole = in_whole_numbers(problem);
          const bool only_whole = is_large && whole && number % 2 == 1;
          if (!only_whole) text = products.wrong(problem, 1);
          if (whole && text.empty() && (only_whole || !is_large)) {
            text = products.wrong(*whole, 1);
            ++equal;
          }
          ++right;
        } catch (const Unavailable& reasons) {
          refused.emplace(all[s].kernel + " " + all[s].type + " form " + std::to_string(form),
                          reasons.what());
        } catch (const KernelError& reasons) {
          refused.emplace(all[s].kernel + " " + all[s].type + " form " + std::to_string(form),
                          reasons.what());
        }
        if (text.empty()) continue;
        ++wrong;
        ADD_FAILURE() << text << "\n  " << command;
      }
      // Operands are not packed if the order of the matrix units is not a layout.
      const bool may_refuse = all[s].kernel == "gemm/packed" && all[s].type.ends_with('8');
      EXPECT_TRUE(static_cast<std::size_t>(right) > right_before || may_refuse)
          << all[s].kernel << ' ' << all[s].type << " computed nothing";
    }
    std::printf("%d shipped products right, %d of them equal\n", right, equal);
    for (const auto& [what, why] : refused)
      std::printf("refused: %s: %s\n", what.c_str(), why.c_str());
    EXPECT_GT(equal, right / 3);
  });
}

INSTANTIATE_TEST_SUITE_P(Parts, ShippedProducts, testing::Range(0, kParts));

}  // namespace
}  // namespace vkmoye::test
