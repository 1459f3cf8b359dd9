// SPDX-License-Identifier: MIT
// Conversions of bf16, e4m3 and e5m2 to and from f16 and f32, on every device: all codes, and numbers close to them.

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels_device/compute_fixture.hpp"
#include "support/expect.hpp"
#include "vkmoye/gen/dsl/copy.hpp"
#include "vkmoye/gen/ir/operation.hpp"

namespace vkmoye::test {
namespace {

using CodesTest = ComputeTest;

// Whether the bits are equal, or both are NaN.
bool is_same(ScalarType type, Bits a, Bits b) {
  return a == b || (std::isnan(number_of(type, a)) && std::isnan(number_of(type, b)));
}

TEST_F(CodesTest, EveryCodeIsItsNumber) {
  for_each_device([&](Device& device) {
    for (const ScalarType from : {ScalarType::bf16, ScalarType::e4m3, ScalarType::e5m2}) {
      std::vector<Bits> codes(std::size_t{1} << (8 * size_of(from)));
      for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = i;
      for (const ScalarType to : {ScalarType::f16, ScalarType::f32}) {
        // The device may round numbers between two f16 numbers in either direction.
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

// In each place of a word, beside any other codes: vectors of codes are decoded four at a time.
TEST_F(CodesTest, EveryCodeOfAVectorIsItsNumber) {
  constexpr std::int64_t kCodes = 64 * 256;
  std::vector<Bits> codes(kCodes);
  for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = i % 256;
  std::shuffle(codes.begin(), codes.end(), random_);
  const auto copied = [&](Device& device, ScalarType from, ScalarType to, std::int64_t width,
                          gen::CopyOptions options) {
    Builder k("copied", 64);
    const gen::Tensor src = k.input("src", from, {{"at", kCodes}});
    const gen::Tensor dst = k.output("dst", to, {{"at", kCodes}});
    k.grid(0, kCodes, 64 * width);
    const Expr at = 64 * k.block_x() + k.thread();
    k.copy(tile(src, {width}, {at}), tile(dst, {width}, {at}), options);
    return run(device, k.finish(), {bytes_of(from, codes)}, to, codes.size());
  };
  for_each_device([&](Device& device) {
    for (const ScalarType from : {ScalarType::e4m3, ScalarType::e5m2}) {
      for (const ScalarType to : {ScalarType::f16, ScalarType::f32}) {
        if (to == ScalarType::f16 && !device.caps().features.has(Feature::f16)) continue;
        for (const std::uint32_t width : {4u, 8u, 16u}) {
          gen::CopyOptions in_loops, first, with_zeros;
          in_loops.vector.count = std::min<std::uint32_t>(width, 16 / size_of(to));
          first.loads_first = with_zeros.loads_first = true;
          with_zeros.edges = gen::Edges::zero;
          for (const gen::CopyOptions& options : {in_loops, first, with_zeros}) {
            const std::vector<Bits> found = copied(device, from, to, width, options);
            std::size_t wrong = 0;
            for (std::size_t i = 0; i < found.size(); ++i) {
              wrong += !is_same(to, found[i], bits_of(to, number_of(from, codes[i])));
            }
            EXPECT_EQ(wrong, 0u) << to_string(from) << " to " << to_string(to) << " x" << width
                                 << (options.loads_first ? ", loads first" : "");
          }
        }
      }
    }
  });
}

TEST_F(CodesTest, NumbersAreRoundedToNearestEven) {
  for_each_device([&](Device& device) {
    for (const ScalarType to : {ScalarType::bf16, ScalarType::e4m3, ScalarType::e5m2}) {
      for (const ScalarType from : {ScalarType::f16, ScalarType::f32}) {
        // Each number of the type, the midpoint to the next one, and the neighbours of these; then numbers that
        // are too large or too small.
        std::vector<Bits> input;
        // For bf16 only some, since there are 128 between two powers of two.
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
        for (const double number :
             {448.0, 464.0, 465.0, 57344.0, 61439.0, 61440.0, 65504.0, 1e30, 0x1p106, 0x1p107,
              0x1p108, 0x1p109, 0x1.fffffep127, 1e-30, 1e-40,
              std::numeric_limits<double>::infinity(), std::nan(""), -std::nan("")}) {
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

TEST(Codes, AreConvertedFromAndToWhatF32Holds) {
  const auto error_of = [](ScalarType from, ScalarType to) {
    const Expr x = gen::ir::variable("x", gen::ir::element(from));
    return gen::ir::type_error(*convert(x, to)).value_or("");
  };
  EXPECT_EQ(error_of(ScalarType::e4m3, ScalarType::bf16), "");
  EXPECT_EQ(error_of(ScalarType::i16, ScalarType::bf16), "");
  EXPECT_THAT(
      error_of(ScalarType::e4m3, ScalarType::i32),
      HasSubstr("can only be converted from and to single elements of 8 and 16 bits, and of f32"));
}

}  // namespace
}  // namespace vkmoye::test
