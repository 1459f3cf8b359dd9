// SPDX-License-Identifier: MIT
// Views of codes of a few bits in words: what they read, on every device and on the twin, and what they refuse.

#include "kernels_device/compute_fixture.hpp"
#include "support/expect.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/glsl/print.hpp"
#include "vkmoye/gen/twin/run_on_host.hpp"

namespace vkmoye::test {
namespace {

using gen::Codes;

struct CodesCase {
  ScalarType word = ScalarType::u32;
  std::uint32_t bits = 4;
  bool is_signed = false;
  ScalarType to = ScalarType::u32;
};

std::string name_of(const CodesCase& one) {
  return std::string(to_string(one.word)) + (one.is_signed ? " i" : " u") +
         std::to_string(one.bits) + " " + std::string(to_string(one.to));
}

double code_at(const CodesCase& one, const std::vector<Bits>& words, std::size_t number) {
  const std::size_t per_word = 8 * size_of(one.word) / one.bits;
  const Bits code =
      words[number / per_word] >> (one.bits * (number % per_word)) & ((Bits{1} << one.bits) - 1);
  const bool is_below = one.is_signed && code >> (one.bits - 1) != 0;
  return static_cast<double>(code) - (is_below ? std::ldexp(1, static_cast<int>(one.bits)) : 0);
}

// Where the codes of a thread are in its `count` words, and the shape of the result.
using Order = std::function<Codes(const Codes&)>;

class CodesInWordsTest : public ComputeTest {
 protected:
  static constexpr std::int64_t kThreads = 32, kRows = 3, kWords = 4;  // of a thread

  // dst(code, row) = the codes of a row in `order` within each thread.
  static gen::ir::Kernel kernel_of(const CodesCase& one, const Extent& extent, const Order& order,
                                   const gen::CopyOptions& options) {
    const std::int64_t per_word = static_cast<std::int64_t>(8 * size_of(one.word)) / one.bits;
    const std::int64_t codes = kWords * per_word;
    Builder k("codes", kThreads);
    const Tensor src =
        k.input("src", one.word, {{"word", Extent::parts(extent, per_word)}, {"row", kRows}});
    const Tensor dst = k.output("dst", one.to, {{"code", extent}, {"row", kRows}});
    const auto tile_of = [&](const Tensor& tensor, std::int64_t size) {
      return tile(tensor, {kThreads * size, 1}, {k.block_x(), k.block_y()});
    };
    const View all = tile_of(src, kWords);
    const Codes mine =
        tile(one.is_signed ? k.signed_codes(all, one.bits) : k.unsigned_codes(all, one.bits),
             {codes, 1}, {k.thread(), 0});
    const View numbers = k.registers("numbers", one.to, make_layout({codes, 1}));
    k.copy(order(mine), numbers, options);
    k.copy(numbers, tile(tile_of(dst, codes), {codes, 1}, {k.thread(), 0}));
    return k.finish();
  }

  void compare(const CodesCase& one, std::uint32_t length, const Order& order,
               const std::function<std::size_t(std::size_t)>& place,
               const gen::CopyOptions& options = {.edges = gen::Edges::zero}) {
    const std::size_t per_word = 8 * size_of(one.word) / one.bits;
    const std::size_t words = (length + per_word - 1) / per_word;
    const gen::ir::Kernel kernel = kernel_of(one, "K", order, options);
    std::vector<Bits> data;
    for (std::size_t i = 0; i < words * kRows; ++i) {
      data.push_back(random_() & ((Bits{1} << (8 * size_of(one.word))) - 1));
    }
    auto in = bytes_of(one.word, data);
    std::vector<std::uint8_t> out(kRows * length * size_of(one.to));
    const auto report = gen::run_on_host(kernel, {in, out}, {{"K", length}});
    EXPECT_THAT(report.reasons, IsEmpty()) << name_of(one);
    const auto check = [&](const std::vector<Bits>& found, const std::string& where) {
      for (std::size_t i = 0; i < found.size(); ++i) {
        const std::size_t row = i / length, thread = kWords * per_word;
        const std::size_t at = i % length / thread * thread + place(i % length % thread);
        const double expected =
            at < words * per_word ? code_at(one, data, row * words * per_word + at) : 0;
        EXPECT_EQ(number_of(one.to, found[i]), expected)
            << name_of(one) << " " << where << ": number " << i;
      }
    };
    check(bits_from(one.to, out), "on the twin");
    for_each_device([&](Device& device) {
      if (!reasons_against(gen::ir::interface_of(kernel), device.caps()).empty()) return;
      check(run(device, kernel, {in}, one.to, kRows * length, {{"K", length}}), device.caps().name);
    });
  }
};

TEST_F(CodesInWordsTest, AreReadInOrderUpToTheEdge) {
  using enum ScalarType;
  const std::vector<CodesCase> cases = {
      {u32, 4, false, u32}, {u32, 4, true, i32}, {u32, 4, false, f32}, {u32, 2, true, i32},
      {u32, 1, false, u32}, {u32, 8, true, f32}, {u16, 4, false, f32}, {u16, 4, true, i32},
      {u8, 4, false, u32},  {u8, 4, true, f16},  {u8, 2, false, u8},   {u32, 16, true, i32},
  };
  for (const CodesCase& one : cases) {
    for (const std::uint32_t length : {1024u, 1057u, 3u}) {
      compare(
          one, length, [](const Codes& codes) { return codes; },
          [](std::size_t number) { return number; });
    }
  }
  for (const std::uint32_t length : {1024u, 1056u, 1057u}) {  // in vectors where rows allow them
    compare(
        {}, length, [](const Codes& codes) { return codes; },
        [](std::size_t number) { return number; }, {.edges = gen::Edges::zero, .vector = {4, 0}});
  }
}

// As in q4_0: byte i of a block has the codes i and i + half.
TEST_F(CodesInWordsTest, MayHaveAnyOrderWithinWords) {
  using enum ScalarType;
  for (const ScalarType word : {u8, u16, u32}) {
    const std::int64_t codes = kWords * static_cast<std::int64_t>(size_of(word)) * 2;
    compare(
        {word, 4, true, f32}, 1057,
        [&](const Codes& all) {
          return composition(all, make_layout(make_layout({codes / 2, 2}, {2, 1}), Layout()));
        },
        [&](std::size_t number) {
          const auto half = static_cast<std::size_t>(codes / 2);
          return number % half * 2 + number / half;
        });
  }
}

TEST_F(CodesInWordsTest, LoadEachWordOnceAndWide) {
  const std::string text =
      gen::glsl::print(kernel_of({}, 1024, [](const Codes& codes) { return codes; },
                                 {.edges = gen::Edges::inside, .loads_first = true}));
  EXPECT_THAT(text, HasSubstr("uvec4 value = src_x4["));
  EXPECT_EQ(text.find("src_x4[", text.find("src_x4[", text.find("value = ")) + 1),
            std::string::npos)
      << text;
  EXPECT_THAT(text, HasSubstr(">> (4u * v0)) & 0xfu"));
  EXPECT_THAT(text, Not(HasSubstr("src[")));
}

// Through shared memory, also swizzled, whose words are then elsewhere.
TEST_F(CodesInWordsTest, AreReadFromSharedMemory) {
  for (const Swizzle& swizzle : {Swizzle(), Swizzle(2, 0, 3)}) {
    Builder k("shared_codes", 32);
    const Tensor src = k.input("src", ScalarType::u32, {{"word", 64}});
    const Tensor dst = k.output("dst", ScalarType::i32, {{"code", 512}});
    const View staged =
        k.shared("staged", ScalarType::u32, ComposedLayout{swizzle, 0, make_layout({64})});
    const Layout threads = make_layout({32});
    const View all = tile(src, {64}, {k.block_x()});
    k.copy(parallelize(all, threads, k.thread()), parallelize(staged, threads, k.thread()));
    k.barrier();
    // The words of another thread.
    const Codes mine = tile(k.signed_codes(staged, 4), {16}, {31 - k.thread()});
    const View to = tile(tile(dst, {512}, {k.block_x()}), {16}, {k.thread()});
    const View numbers = k.registers("numbers", ScalarType::i32, make_layout({16}));
    k.copy(mine, numbers);
    k.copy(numbers, to);
    const gen::ir::Kernel kernel = k.finish();
    const std::vector<Bits> data = random_values(ScalarType::u32, 64);
    for_each_device([&](Device& device) {
      const auto found =
          run(device, kernel, {bytes_of(ScalarType::u32, data)}, ScalarType::i32, 512);
      for (std::size_t i = 0; i < found.size(); ++i) {
        const std::size_t from = (31 - i / 16) * 16 + i % 16;
        EXPECT_EQ(number_of(ScalarType::i32, found[i]),
                  code_at({ScalarType::u32, 4, true, ScalarType::i32}, data, from));
      }
    });
  }
}

// A slice at a number begins within words, but at a place that is known: the codes 3, 11, 19, ..
TEST(CodesInWords, MayBeginAtAPlaceThatIsKnown) {
  Builder k("thirds", 1);
  const Tensor src = k.input("src", ScalarType::u32, {{"word", 6}});
  const Tensor dst = k.output("dst", ScalarType::u32, {{"code", 6}});
  const Codes codes = k.unsigned_codes(tile(src, {6}, {k.block_x()}), 4);
  const View numbers = k.registers("numbers", ScalarType::u32, make_layout({6}));
  k.copy(slice(composition(codes, make_layout({8, 6}, {1, 8})), {3, _}), numbers);
  k.copy(numbers, tile(dst, {6}, {k.block_x()}));
  std::vector<std::uint32_t> words(6), found(6);
  for (std::uint32_t i = 0; i < 6; ++i) words[i] = (i + 9) << 12 | 0xfff0fffu;
  const auto report = gen::run_on_host(k.finish(), {words, found}, {});
  EXPECT_THAT(report.reasons, IsEmpty());
  EXPECT_THAT(found, ElementsAre(9, 10, 11, 12, 13, 14));
}

TEST(CodesInWords, AreRefusedWhereAThreadBeginsOrEndsWithinAWord) {
  Builder k("refused", 32);
  const Tensor src = k.input("src", ScalarType::u32, {{"word", 64}});
  const Codes codes = k.unsigned_codes(tile(src, {64}, {k.block_x()}), 4);
  const auto refusal_of = [&](const Codes& from, std::int64_t count) -> std::string {
    try {
      k.copy(from, k.registers("n" + std::to_string(count), ScalarType::u32, make_layout({count})));
    } catch (const LayoutError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(refusal_of(tile(codes, {4}, {k.thread()}), 4),
              HasSubstr("begins at multiples of 4 codes, within a word of 8"));
  EXPECT_THAT(refusal_of(parallelize(codes, make_layout({32}), k.thread()), 16),
              HasSubstr("begins at multiples of 1 codes"));
  EXPECT_THAT(refusal_of(composition(codes, make_layout({5}, {3})), 5),
              HasSubstr("3 codes apart, in words of 8"));
  EXPECT_THAT(refusal_of(composition(codes, make_layout({12}, {1})), 12),
              HasSubstr("12 values 1 codes apart end within a word"));
  EXPECT_THAT(refusal_of(composition(codes, Layout(IntTuple{{4, 2}}, IntTuple{{2, 2}})), 8),
              HasSubstr("values reach from place 0 to 8 of a word"));
  EXPECT_THAT(refusal_of(tile(codes, {8}, {k.thread()}), 16), HasSubstr("its shape"));
  EXPECT_EQ(refusal_of(composition(codes, make_layout({4}, {2})), 4), "");
  EXPECT_THROW(k.unsigned_codes(tile(src, {64}, {k.block_x()}), 5), LayoutError);
  EXPECT_THROW(k.unsigned_codes(k.registers("f", ScalarType::f32, make_layout({4})), 4),
               LayoutError);
}

// The last word of a row is outside for some thread: the verifier must see it.
TEST(CodesInWords, AreVerifiedForBounds) {
  Builder k("outside", 32);
  const Tensor src = k.input("src", ScalarType::u32, {{"word", 60}});
  const Tensor dst = k.output("dst", ScalarType::u32, {{"code", 512}});
  const View numbers = k.registers("numbers", ScalarType::u32, make_layout({16}));
  const Codes codes = k.unsigned_codes(tile(src, {64}, {k.block_x()}), 4);
  k.copy(tile(codes, {16}, {k.thread()}), numbers, {.edges = gen::Edges::inside});
  k.copy(numbers, tile(tile(dst, {512}, {k.block_x()}), {16}, {k.thread()}));
  try {
    k.finish();
    FAIL() << "accepted";
  } catch (const KernelError& error) {
    EXPECT_THAT(error.what(), HasSubstr("src"));
  }
}

}  // namespace
}  // namespace vkmoye::test
