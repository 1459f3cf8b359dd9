// SPDX-License-Identifier: MIT
// Functions of words that hold several numbers, on every device and on the twin: dot products of bytes, packing.

#include <cmath>
#include <functional>
#include <limits>

#include "kernels_device/compute_fixture.hpp"
#include "support/expect.hpp"
#include "vkmoye/contract/spirv.hpp"
#include "vkmoye/gen/dsl/functions.hpp"
#include "vkmoye/gen/spirv/validate.hpp"
#include "vkmoye/gen/twin/run_on_host.hpp"

namespace vkmoye::test {
namespace {

class WordsTest : public ComputeTest {
 protected:
  // function(a[i], b[i]) of words, as a kernel; the results are words.
  static gen::ir::Kernel kernel_of(const std::function<Expr(Expr, Expr)>& function,
                                   std::size_t count) {
    const auto extent = static_cast<std::int64_t>(count);
    Builder k("words", 64);
    const auto mine = [&](const Tensor& tensor) {
      return parallelize(tile(tensor, {64}, {k.block_x()}), Layout(64), k.thread());
    };
    const View a = mine(k.input("a", ScalarType::u32, {{"at", extent}}));
    const View b = mine(k.input("b", ScalarType::u32, {{"at", extent}}));
    k.apply(mine(k.output("result", ScalarType::u32, {{"at", extent}})), function, a, b);
    return k.finish();
  }

  // The results on `device`, and on the twin.
  static std::array<std::vector<Bits>, 2> both(Device& device, const gen::ir::Kernel& kernel,
                                               const std::vector<Bits>& a,
                                               const std::vector<Bits>& b) {
    auto in = bytes_of(ScalarType::u32, a), other = bytes_of(ScalarType::u32, b);
    std::vector<std::uint8_t> out(in.size());
    const auto report = gen::run_on_host(kernel, {in, other, out}, {});
    EXPECT_THAT(report.reasons, IsEmpty());
    return {run(device, kernel, {in, other}, ScalarType::u32, a.size()),
            bits_from(ScalarType::u32, out)};
  }

  // Words of which some have the smallest or the largest number in each byte.
  std::vector<Bits> words(std::size_t count) {
    std::vector<Bits> out;
    for (std::size_t i = 0; i < count; ++i) {
      static constexpr Bits kSpecial[] = {0x80808080, 0x7f7f7f7f, 0xffffffff, 0x80ff017f};
      out.push_back(random_() % 4 == 0 ? kSpecial[random_() % 4] : random_());
    }
    return out;
  }
};

std::uint32_t dot_of(Bits a, ScalarType of_a, Bits b, ScalarType of_b, std::uint32_t sum) {
  const auto byte = [](Bits word, ScalarType type, unsigned i) {
    const auto bits = static_cast<std::uint8_t>(word >> (8 * i));
    return type == ScalarType::i8 ? static_cast<int>(static_cast<std::int8_t>(bits))
                                  : static_cast<int>(bits);
  };
  for (unsigned i = 0; i < 4; ++i) {
    sum += static_cast<std::uint32_t>(byte(a, of_a, i) * byte(b, of_b, i));
  }
  return sum;
}

TEST_F(WordsTest, DotProductsOfBytesAreExactWithTheInstructionAndWithout) {
  const std::vector<Bits> a = words(256), b = words(256);
  for_each_device([&](Device& device) {
    DeviceCaps without;
    for (const DeviceCaps& caps : {device.caps(), without}) {
      for (const ScalarType of_a : {ScalarType::i8, ScalarType::u8}) {
        for (const ScalarType of_b : {ScalarType::i8, ScalarType::u8}) {
          const bool is_signed = of_a == ScalarType::i8 || of_b == ScalarType::i8;
          const std::uint32_t start = is_signed ? 0x7fffff00 : 0xffffff00;  // the sum wraps
          const gen::ir::Kernel kernel = kernel_of(
              [&](const Expr& x, const Expr& y) {
                const Expr sum = gen::ir::number(is_signed ? ScalarType::i32 : ScalarType::u32,
                                                 static_cast<double>(start));
                return bitcast(gen::dot4(caps, {x, y, of_a, of_b}, sum), ScalarType::u32);
              },
              a.size());
          EXPECT_EQ(gen::ir::interface_of(kernel).features.has(Feature::integer_dot),
                    caps.has(Feature::integer_dot));
          const CompiledKernel code = gen::compile(kernel, device.caps());
          EXPECT_THAT(reasons_against_spirv(code.interface, code.spirv), IsEmpty());
          EXPECT_THAT(gen::reasons_against_module(code.spirv), IsEmpty());
          for (const std::vector<Bits>& found : both(device, kernel, a, b)) {
            for (std::size_t i = 0; i < a.size(); ++i) {
              EXPECT_EQ(found[i], dot_of(a[i], of_a, b[i], of_b, start)) << a[i] << " " << b[i];
            }
          }
        }
      }
    }
  });
}

TEST_F(WordsTest, FieldsOfBitsArePackedAndUnpacked) {
  const std::vector<Bits> a = words(128), b = words(128);
  for_each_device([&](Device& device) {
    // Bytes 3 and 1, with their signs, and the halves of b: the upper one first.
    const auto function = [](const Expr& x, const Expr& y) {
      const Expr bytes =
          gen::pack_bits({gen::signed_bit_field(x, 24, 8), gen::signed_bit_field(x, 8, 8)});
      return bit_xor(bytes, gen::pack_bits({gen::bit_field(y, 16, 16), y}));
    };
    for (const auto& found : both(device, kernel_of(function, a.size()), a, b)) {
      for (std::size_t i = 0; i < a.size(); ++i) {
        const auto extended = [&](unsigned byte) {
          return static_cast<std::uint16_t>(static_cast<std::int8_t>(a[i] >> (8 * byte)));
        };
        const std::uint32_t bytes = extended(3) | static_cast<std::uint32_t>(extended(1)) << 16;
        const auto swapped = static_cast<std::uint32_t>(b[i] >> 16 | b[i] << 16);
        EXPECT_EQ(found[i], bytes ^ swapped) << a[i] << " " << b[i];
      }
    }
  });
}

TEST_F(WordsTest, EveryHalfOfAWordIsItsNumber) {
  std::vector<Bits> a(1 << 16), b;
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = i | (0xffff - i) << 16;
  b = a;
  for_each_device([&](Device& device) {
    for (const std::uint32_t half : {0u, 1u}) {
      const auto function = [&](const Expr& x, const Expr&) {
        return bitcast(gen::ir::unpack_f16(x, half), ScalarType::u32);
      };
      for (const auto& found : both(device, kernel_of(function, a.size()), a, b)) {
        for (std::size_t i = 0; i < a.size(); ++i) {
          const double expected = number_of(ScalarType::f16, a[i] >> (16 * half) & 0xffff);
          const double number = number_of(ScalarType::f32, found[i]);
          const bool is_subnormal = std::fabs(expected) < 0x1p-14;
          EXPECT_TRUE(number == expected || (std::isnan(number) && std::isnan(expected)) ||
                      (is_subnormal && number == 0))
              << a[i] << ": " << number;
        }
      }
    }
  });
}

TEST_F(WordsTest, NumbersArePackedAsOneOfTheirNeighbours) {
  std::vector<Bits> a, b;
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double number : {0.0, 1.0, -1.5, 1.0 / 3, 65504.0, 1e-3, infinity, -infinity}) {
    a.push_back(bits_of(ScalarType::f32, number));
    b.push_back(bits_of(ScalarType::f32, -number / 2));
  }
  a.push_back(bits_of(ScalarType::f32, std::nan("")));
  b.push_back(bits_of(ScalarType::f32, 2));
  for_each_device([&](Device& device) {
    const auto function = [](const Expr& x, const Expr& y) {
      return gen::ir::pack_f16(bitcast(x, ScalarType::f32), bitcast(y, ScalarType::f32));
    };
    for (const auto& found : both(device, kernel_of(function, a.size()), a, b)) {
      for (std::size_t i = 0; i < a.size(); ++i) {
        const Bits halves[] = {found[i] & 0xffff, found[i] >> 16};
        const Bits wanted[] = {a[i], b[i]};
        for (int half = 0; half < 2; ++half) {
          const double x = number_of(ScalarType::f32, wanted[half]);
          const double got = number_of(ScalarType::f16, halves[half]);
          if (std::isnan(x)) {
            EXPECT_TRUE(std::isnan(got));
          } else if (x == number_of(ScalarType::f16, bits_of(ScalarType::f16, x))) {
            EXPECT_EQ(got, x);
          } else {
            EXPECT_LT(std::fabs(got - x), std::fabs(x) * 0x1p-10) << x;
          }
        }
      }
    }
  });
}

}  // namespace
}  // namespace vkmoye::test
