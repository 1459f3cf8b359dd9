// SPDX-License-Identifier: MIT
#pragma once
// A kernel with the parts that files check, without a compiler; and files that were damaged.

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "support/effort.hpp"
#include "support/expect.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/contract/compiled_kernel.hpp"

namespace vkmoye {

// A kernel that reads buffers 0 to `inputs` - 1 and writes the next one.
inline CompiledKernel kernel_of(const std::string& name, std::uint32_t inputs) {
  CompiledKernel kernel;
  kernel.interface.name = name;
  kernel.interface.workgroup_size = {64, 1, 1};
  kernel.interface.push_constants = {"n", {"alpha", ScalarType::f32}};
  std::vector<std::uint32_t>& words = kernel.spirv = {0x07230203, 0x00010500, 0, 100, 0};
  const auto add = [&](std::uint32_t operation, const std::vector<std::uint32_t>& operands) {
    words.push_back(static_cast<std::uint32_t>(operands.size() + 1) << 16 | operation);
    words.insert(words.end(), operands.begin(), operands.end());
  };
  add(15, {5, 4, 0x6e69616d, 0});
  add(16, {4, 17, 64, 1, 1});
  for (std::uint32_t i = 0; i <= inputs; ++i) {
    const Access access = i < inputs ? Access::read : Access::write;
    kernel.interface.bindings.push_back(
        {"b" + std::to_string(i), ScalarType::f32, access, {Extent("n")}});
    add(71, {10 + i, 34, 0});
    add(71, {10 + i, 33, i});
  }
  add(56, {});
  return kernel;
}

/// `read_back` parses a text and prints what it read. A text that is cut off is refused; one with a bit that is changed
/// is refused or read as before.
template <class ReadBack>
void expect_damage_is_noticed(const std::string& text, const ReadBack& read_back) {
  std::mt19937 random(1);
  const std::size_t step = test::is_quick() ? 7 : 1;
  for (std::size_t at = 0; at + 1 < text.size(); at += step) {
    EXPECT_THROW(read_back(text.substr(0, at)), ArgumentError) << at;
    std::string damaged = text;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << random() % 7));
    try {
      EXPECT_EQ(read_back(damaged), text) << at;
    } catch (const ArgumentError&) {
    }
  }
}

}  // namespace vkmoye
