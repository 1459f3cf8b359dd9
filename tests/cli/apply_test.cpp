// SPDX-License-Identifier: MIT
// apply: kernels on the user's own arrays.

#include <filesystem>

#include "cli/bench.hpp"
#include "support/expect.hpp"
#include "support/npy.hpp"
#include "support/process.hpp"

namespace vkmoye::test {
namespace {

// On a device, and on the host where there is no Vulkan.
TEST(Cli, ApplyTransposesAnArray) {
  const TemporaryFolder folder;
  const std::string in = folder.file("a.npy"), out = folder.file("b.npy");
  write_file(in, npy("|i1", "(2, 3)", std::string("\1\2\3\4\5\6", 6)));
  using Environment = std::vector<std::string>;
  for (const auto& [device, environment] :
       {std::pair{"0", Environment{}}, {"host", Environment{"VK_DRIVER_FILES=/nonexistent"}}}) {
    const Outcome outcome = bench(
        {"apply", "transpose/padded", "--device", device, "--in", in, "--out", out}, environment);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(read_file(out), npy("|i1", "(3, 2)", std::string("\1\4\2\5\3\6", 6)));
  }
}

TEST(Cli, ApplyMovesElementsOfEveryWidth) {
  const TemporaryFolder folder;
  for (const auto& [descr, width] :
       {std::pair{"<i2", 2}, {"<u2", 2}, {"<i8", 8}, {"<u8", 8}, {"<c8", 8}, {"<c16", 16}}) {
    std::string input, expected;
    for (const char column : {'a', 'c', 'e', 'b', 'd', 'f'}) input += std::string(width, column);
    for (const char column : {'a', 'b', 'c', 'd', 'e', 'f'}) expected += std::string(width, column);
    write_file(folder.file("a.npy"), npy(descr, "(2, 3)", input));
    const Outcome outcome = bench(
        {"apply", "transpose/auto", "--in", folder.file("a.npy"), "--out", folder.file("b.npy")});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(read_file(folder.file("b.npy")), npy(descr, "(3, 2)", expected)) << descr;
  }
}

TEST(Cli, ApplyPermutesTheAxesOfAnArrayOfAnyRank) {
  const TemporaryFolder folder;
  std::string input(24, '\0'), expected;
  for (std::size_t i = 0; i < input.size(); ++i) input[i] = static_cast<char>(i);
  for (int k = 0; k < 4; ++k) {  // b = a.transpose(2, 0, 1)
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 3; ++j) expected += static_cast<char>(12 * i + 4 * j + k);
    }
  }
  write_file(folder.file("a.npy"), npy("|u1", "(2, 3, 4)", input));
  const Outcome outcome = bench({"apply", "relayout", "--permute", "2,0,1", "--in",
                                 folder.file("a.npy"), "--out", folder.file("b.npy")});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(read_file(folder.file("b.npy")), npy("|u1", "(4, 2, 3)", expected));

  expect_refused({"apply", "relayout", "--permute", "2,0", "--in", folder.file("a.npy"), "--out",
                  folder.file("c.npy")},
                 "permute (2,0) must contain each axis of (2,3,4) once");
}

// Like NumPy: a scalar, a row, an empty array.
TEST(Cli, ApplyTakesArraysOfNoAxesAndOfNoElements) {
  const TemporaryFolder folder;
  const auto applied = [&](const std::string& kernel, const std::string& shape,
                           const std::string& data, const std::string& result_shape) {
    std::filesystem::remove(folder.file("b.npy"));
    write_file(folder.file("a.npy"), npy("|u1", shape, data));
    const Outcome outcome =
        bench({"apply", kernel, "--in", folder.file("a.npy"), "--out", folder.file("b.npy")});
    EXPECT_EQ(outcome.status, 0) << kernel << shape << outcome.err;
    EXPECT_EQ(read_file(folder.file("b.npy")), npy("|u1", result_shape, data)) << kernel << shape;
  };
  for (const char* kernel : {"relayout", "transpose/padded", "transpose/auto", "copy/simple"}) {
    applied(kernel, "()", "x", "()");
    applied(kernel, "(3,)", "xyz", "(3,)");
    applied(kernel, "(0,)", "", "(0,)");
    applied(kernel, "(0, 4)", "", kernel[0] == 'c' ? "(0, 4)" : "(4, 0)");
  }
  applied("relayout", "(2, 0, 3)", "", "(3, 0, 2)");
  applied("copy/auto", "(2, 1, 3)", "abcdef", "(2, 1, 3)");
  write_file(folder.file("a.npy"), npy("|u1", "(2, 1, 3)", "abcdef"));
  expect_refused(
      {"apply", "transpose/auto", "--in", folder.file("a.npy"), "--out", folder.file("b")},
      "takes up to 2 dimensions, (2, 1, 3) has 3; relayout takes");
}

// Rounded to nearest even: 2049 lies between two numbers of f16.
TEST(Cli, ApplyConvertsElements) {
  const TemporaryFolder folder;
  const std::string floats("\x00\x00\x80\x3f\x00\x10\x00\x45", 8);  // 1, 2049
  write_file(folder.file("a.npy"), npy("<f4", "(2,)", floats));
  const auto applied = [&](const std::string& kernel, const std::string& type) {
    return bench({"apply", kernel, "--type", type, "--in", folder.file("a.npy"), "--out",
                  folder.file("b.npy")});
  };
  const Outcome outcome = applied("copy/auto", "f32*f16");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(read_file(folder.file("b.npy")),
            npy("<f2", "(2,)", std::string("\x00\x3c\x00\x68", 4)));
  EXPECT_THAT(applied("copy/auto", "f16*f32").err,
              HasSubstr("has type f32, but --type is f16*f32"));
  EXPECT_THAT(applied("copy/auto", "f32*i64").err,
              HasSubstr("convert f32 to i64: i64 is only moved, not converted"));
  EXPECT_THAT(applied("copy/auto", "f32*f16*f16").err,
              HasSubstr("has 3 parts; copy/auto takes one type, or those of src and dst"));
  EXPECT_THAT(applied("copy/simple", "f32*f16").err,
              HasSubstr("the kernel does not convert f32 to f16"));
  EXPECT_THAT(applied("transpose/auto", "f32*f16").err,
              HasSubstr("transpose/auto takes one type; copy/auto converts"));
}

// Of Python 2, and other names that NumPy reads; what is written is what NumPy writes.
TEST(Cli, ApplyReadsEveryHeaderThatNumpyReads) {
  const TemporaryFolder folder;
  const std::string in = folder.file("a.npy"), out = folder.file("b.npy"), data = "abcdefgh";
  const auto read = [&](std::string header, const std::string& written) {
    header.append(64 - (10 + header.size() + 1) % 64, ' ');
    header += '\n';
    const std::string size = {static_cast<char>(header.size()), '\0'};
    write_file(in, std::string("\x93NUMPY\x01\x00", 8) + size + header + data);
    const Outcome outcome =
        bench({"apply", "copy/auto", "--device", "host", "--in", in, "--out", out});
    EXPECT_EQ(outcome.status, 0) << header << outcome.err;
    EXPECT_EQ(read_file(out), npy(written, "(2,)", data)) << header;
  };
  read("{'descr': '|f4', 'fortran_order': False, 'shape': (2L,), }", "<f4");
  read("{u'descr': u'f4',\t'fortran_order':\tFalse, U\"shape\" : (2L ,)}", "<f4");
  read("{'descr': 'uint32', 'fortran_order': False, 'shape': (2,), }", "<u4");
  read("{'descr': '=i', 'fortran_order': False, 'shape': (2,), }", "<i4");
}

// NumPy has no float8: it loads V1, as ml_dtypes writes float8_e4m3fn. ml_dtypes writes f1 for float8_e5m2.
TEST(Cli, ApplyKnowsFloat8ByTheTypeThatIsAsked) {
  const TemporaryFolder folder;
  const std::string in = folder.file("a.npy"), out = folder.file("b.npy");
  const auto applied = [&](const char* descr, const char* type, const std::string& data) {
    write_file(in, npy(descr, "(2,)", data));
    const Outcome outcome =
        bench({"apply", "copy/auto", "--type", type, "--device", "host", "--in", in, "--out", out});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return read_file(out);
  };
  const std::string ones = bytes_of(std::vector<float>{1, -2}), e4m3 = "\x38\xc0",
                    e5m2 = "\x3c\xc0";
  for (const char* descr : {"|V1", "<V1", "|f1", "<f1"}) {
    EXPECT_EQ(applied(descr, "e5m2*f32", e5m2), npy("<f4", "(2,)", ones)) << descr;
  }
  EXPECT_EQ(applied("|V1", "e4m3*f32", e4m3), npy("<f4", "(2,)", ones));
  EXPECT_EQ(applied("|V1", "e5m2*e4m3", e5m2), npy("<V1", "(2,)", e4m3));
  EXPECT_EQ(applied("<f4", "f32*e5m2", ones), npy("<V1", "(2,)", e5m2));
}

TEST(Cli, ApplyMovesBooleansAndDoesNotComputeWithThem) {
  const TemporaryFolder folder;
  const std::string in = folder.file("a.npy"), out = folder.file("b.npy");
  const auto applied = [&](std::vector<std::string> words, const char* order = "False") {
    write_file(in, npy("|b1", "(2, 3)", std::string("\1\0\0\1\1\0", 6), order));
    words.insert(words.end(), {"--device", "host", "--in", in, "--out", out});
    return bench(words);
  };
  const std::string turned = npy("|b1", "(3, 2)", std::string("\1\1\0\1\0\0", 6));
  EXPECT_EQ(applied({"apply", "transpose/auto"}).status, 0);
  EXPECT_EQ(read_file(out), turned);
  EXPECT_EQ(applied({"apply", "relayout", "--permute", "1,0"}).status, 0);
  EXPECT_EQ(read_file(out), turned);
  EXPECT_EQ(applied({"apply", "copy/auto"}, "True").status, 0);
  EXPECT_EQ(read_file(out), npy("|b1", "(2, 3)", std::string("\1\0\0\1\1\0", 6), "True"));
  EXPECT_EQ(applied({"apply", "copy/auto", "--type", "u8*f32"}).status, 0);
  EXPECT_EQ(read_file(out), npy("<f4", "(2, 3)", bytes_of(std::vector<float>{1, 0, 0, 1, 1, 0})));
  expect_refused(applied({"apply", "reduce/sum"}),
                 "has booleans, which are only moved and converted");
}

TEST(Cli, ApplyRefusesFilesThatAreNotWhatItTakes) {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& bytes, const std::string& text) {
    write_file(folder.file("a.npy"), bytes);
    expect_refused(
        {"apply", "copy/simple", "--in", folder.file("a.npy"), "--out", folder.file("b.npy")},
        text);
    EXPECT_EQ(read_file(folder.file("b.npy")), "");
  };
  const std::string good = npy("<f4", "(2, 2)", std::string(16, 'x'));
  refused("", "not a .npy file");
  refused("hello, this is no array", "not a .npy file");
  refused(good.substr(0, 9), "not a .npy file");
  refused(good.substr(0, 40), "truncated");
  refused(good.substr(0, good.size() - 1),
          "holds 15 bytes of data, its shape (2, 2) of f32 needs 16");
  refused(good + "y", "holds 17 bytes");
  refused(npy(">f4", "(2, 2)", std::string(16, 'x')),
          "big-endian elements, '>f4'; convert it with "
          "numpy.save(file, a.astype(a.dtype.newbyteorder('<')))");
  refused(npy("<f4', 'descr': '<f4", "(2, 2)", std::string(16, 'x')), "has an invalid header");
  std::string structured = npy("..", "(2, 2)", std::string(16, 'x'));
  structured.replace(structured.find("'..'"), 4, "[  ]");  // its fields do not matter
  refused(structured, "structured type; save one field");
  std::string shape;
  for (int i = 0; i < 10000; ++i) shape += "1,";
  refused(npy("<f4", "(" + shape + ")", ""), "... of f32 needs 4");
  refused(npy("\x1b[31m", "(2, 2)", std::string(16, 'x')), "'\\x1b[31m'");
  refused(npy(std::string(5000, 'q'), "(2, 2)", std::string(16, 'x')),
          std::string(80, 'q') + "...'");
  refused(npy("<U2", "(1, 2)", std::string(16, 'x')), "'<U2'");
  refused(npy("<f4", "(99999999999, 99999999999)", "x"), "2^48");
  refused(npy("<f4", "(2, 2", std::string(16, 'x')), "header");
  expect_refused({"apply", "copy/simple", "--in", "/dev/stdin", "--out", folder.file("b.npy")},
                 "/dev/stdin: cannot be read: is not a regular file");
  expect_refused(
      {"apply", "copy/simple", "--in", folder.file("none.npy"), "--out", folder.file("b.npy")},
      "cannot be read");
}

TEST(Cli, ApplyTakesEverySpellingOfAByteOrder) {
  const TemporaryFolder folder;
  for (const char* descr : {"<f4", "=f4", "<i4", "|i1", "=i1", ">u1"}) {
    const std::string data(static_cast<std::size_t>(6 * (descr[2] - '0')), 'x');
    write_file(folder.file("a.npy"), npy(descr, "(2, 3)", data));
    const Outcome outcome = bench(
        {"apply", "copy/simple", "--in", folder.file("a.npy"), "--out", folder.file("b.npy")});
    EXPECT_EQ(outcome.status, 0) << descr << outcome.err;
  }
}

// Where `run` would skip the kernel, the status is 3: the file is not wrong.
TEST(Cli, ApplyOfTooMuchForTheDeviceCannotRun) {
  const TemporaryFolder folder;
  const std::string header = npy("|i1", "(65536, 65537)", "");
  write_file(folder.file("a.npy"), header);
  std::filesystem::resize_file(folder.file("a.npy"),
                               header.size() + std::uintmax_t{65536} * 65537);  // a hole
  expect_refused(
      {"apply", "copy/simple", "--in", folder.file("a.npy"), "--out", folder.file("b.npy")},
      AllOf(HasSubstr("src: "), HasSubstr("dst: "), HasSubstr("2^32")), 3);
  EXPECT_FALSE(std::filesystem::exists(folder.file("b.npy")));
}

}  // namespace
}  // namespace vkmoye::test
