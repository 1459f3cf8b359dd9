// SPDX-License-Identifier: MIT
#pragma once
// A kernel on the twin, over arrays of numbers that are stored in the types of its bindings.
//
//   test::Floats arrays = {{"src", {3, 4}}, {"weight", {1, 1}}};
//   test::run_on_twin(kernel, {{"rows", 1}, {"cols", 2}}, arrays);
//   arrays.at("dst")

#include <cstring>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "support/expect.hpp"
#include "vkmoye/contract/scalar_value.hpp"
#include "vkmoye/gen/twin/run_on_host.hpp"

namespace vkmoye::test {

using Bytes = std::vector<std::byte>;
using Floats = std::map<std::string, std::vector<float>>;

/// The numbers, rounded to `type`.
inline Bytes stored(ScalarType type, const std::vector<float>& numbers) {
  const std::size_t size = size_of(type);
  Bytes out(numbers.size() * size);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::uint64_t bits = bits_of(type, numbers[i]);
    std::memcpy(&out[i * size], &bits, size);
  }
  return out;
}

/// Those in `bytes`.
inline std::vector<float> numbers_in(ScalarType type, const Bytes& bytes) {
  std::vector<float> out;
  for (std::size_t at = 0; at < bytes.size(); at += size_of(type)) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &bytes[at], size_of(type));
    out.push_back(static_cast<float>(number_of(type, bits)));
  }
  return out;
}

/// Adds what the kernel writes to `arrays`, by the names of its bindings; it must read only what is there.
inline void run_on_twin(const gen::ir::Kernel& kernel, const Arguments& arguments, Floats& arrays,
                        const gen::TwinOptions& options = {}) {
  const std::vector<Binding> bindings = gen::ir::interface_of(kernel).bindings;
  std::vector<Bytes> memory;
  for (const Binding& binding : bindings) {
    const auto found = arrays.find(binding.name);
    memory.push_back(found == arrays.end()
                         ? Bytes(element_count(binding, arguments) * size_of(binding.type))
                         : stored(binding.type, found->second));
  }
  const std::vector<gen::HostArray> bound(memory.begin(), memory.end());
  EXPECT_THAT(gen::run_on_host(kernel, bound, arguments, options).reasons, IsEmpty());
  for (std::size_t i = 0; i < bindings.size(); ++i) {
    if (bindings[i].access == Access::read) continue;
    arrays[bindings[i].name] = numbers_in(bindings[i].type, memory[i]);
  }
}

/// Runs the kernel over `arrays`, of the types of its bindings; it must read only what is there.
template <class... Elements>
void run_on_twin(const gen::ir::Kernel& kernel, const Arguments& arguments,
                 std::vector<Elements>&... arrays) {
  EXPECT_THAT(gen::run_on_host(kernel, {arrays...}, arguments).reasons, IsEmpty());
}

}  // namespace vkmoye::test
