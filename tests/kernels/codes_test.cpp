// SPDX-License-Identifier: MIT
// bf16, e4m3 and e5m2 converted to and from f16 and f32, on every device found: all codes, and numbers around
// them.

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "kernels/compute_fixture.hpp"
#include "vkmoye/gen/ir/operation.hpp"

namespace vkmoye::test {
namespace {

using testing::HasSubstr;

class CodesTest : public ComputeTest {
 protected:
  // What a shader converts `input` to; nothing where the device lacks a type.
  std::vector<Bits> converted(Device& device, ScalarType from, ScalarType to,
                              const std::vector<Bits>& input) {
    const auto count = static_cast<std::int64_t>(input.size());
    Builder k("conversion", 64);
    const auto mine = [&](const Tensor& tensor) {
      return parallelize(tile(tensor, {64}, {k.block_x()}), Layout(64), k.thread());
    };
    const View src = mine(k.input("src", from, {{"at", count}}));
    const View dst = mine(k.output("dst", to, {{"at", count}}));
    k.apply(
        dst, [&](const Expr& x) { return convert(x, to); }, src);
    const gen::ir::Kernel kernel = k.finish();
    if (!reasons_against(gen::ir::interface_of(kernel), device.caps()).empty()) return {};
    return run(device, kernel, {bytes_of(from, input)}, to, input.size());
  }
};

// Equal bits, or NaN both.
bool is_same(ScalarType type, Bits a, Bits b) {
  return a == b || (std::isnan(number_of(type, a)) && std::isnan(number_of(type, b)));
}

TEST_F(CodesTest, EveryCodeIsItsNumber) {
  for_each_device([&](Device& device) {
    for (const ScalarType from : {ScalarType::bf16, ScalarType::e4m3, ScalarType::e5m2}) {
      std::vector<Bits> codes(std::size_t{1} << (8 * size_of(from)));
      for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = i;
      for (const ScalarType to : {ScalarType::f16, ScalarType::f32}) {
        // Numbers between two of f16 are rounded as the device likes.
        if (from == ScalarType::bf16 && to == ScalarType::f16) continue;
        const auto found = converted(device, from, to, codes);
        for (std::size_t i = 0; i < found.size(); ++i) {
          EXPECT_TRUE(is_same(to, found[i], bits_of(to, number_of(from, i))))
              << to_string(from) << " " << i << " to " << to_string(to) << ": "
              << number_of(to, found[i]);
        }
      }
    }
  });
}

TEST_F(CodesTest, NumbersAreRoundedToNearestEven) {
  for_each_device([&](Device& device) {
    for (const ScalarType to : {ScalarType::bf16, ScalarType::e4m3, ScalarType::e5m2}) {
      for (const ScalarType from : {ScalarType::f16, ScalarType::f32}) {
        // Each number of the type, halfway to the next, and what lies beside these; then what is too large or too small.
        std::vector<Bits> input;
        // Of bf16 some: 128 lie between two powers of two.
        const Bits last = to == ScalarType::bf16 ? 0x7f80 : 127,
                   step = to == ScalarType::bf16 ? 61 : 1;
        for (Bits code = 0; code < last; code += step) {
          const double low = number_of(to, code), high = number_of(to, code + 1);
          if (!std::isfinite(low) || !std::isfinite(high)) continue;
          for (const double number : {low, (low + high) / 2}) {
            const Bits bits = bits_of(from, number);
            for (const Bits near : {bits == 0 ? bits : bits - 1, bits, bits + 1}) {
              const double sign = std::signbit(number_of(from, near)) ? -1 : 1;
              if (sign > 0)
                input.insert(input.end(), {near, bits_of(from, -number_of(from, near))});
            }
          }
        }
        for (const double number : {448.0, 464.0, 465.0, 57344.0, 61439.0, 61440.0, 65504.0, 1e30,
                                    1e-30, std::numeric_limits<double>::infinity(), std::nan("")}) {
          input.push_back(bits_of(from, number));
        }
        while (input.size() % 64 != 0) input.push_back(0);
        const auto found = converted(device, from, to, input);
        for (std::size_t i = 0; i < found.size(); ++i) {
          const double number = number_of(from, input[i]);
          EXPECT_TRUE(is_same(to, found[i], bits_of(to, number)))
              << to_string(from) << " " << number << " to " << to_string(to) << ": " << found[i]
              << ", " << number_of(to, found[i]) << " instead of "
              << number_of(to, bits_of(to, number));
        }
      }
    }
  });
}

TEST(Codes, AreNotComputedWith) {
  const Expr x = gen::ir::variable("x", gen::ir::element(ScalarType::e4m3));
  EXPECT_THAT(gen::ir::type_error(*(x + x)).value_or(""),
              HasSubstr("add with an operand of type e4m3"));
  EXPECT_THAT(gen::ir::type_error(*convert(x, ScalarType::i32)).value_or(""),
              HasSubstr("converted from and to f16 and f32 alone"));
}

}  // namespace
}  // namespace vkmoye::test
