// SPDX-License-Identifier: MIT
// Files of packed operands: a written file is read back; invalid files are errors, and so is another order, with both
// layouts in the message.

#include "workloads/packed_file.hpp"

#include <fstream>
#include <nlohmann/json.hpp>

#include "devices/fragments.hpp"
#include "devices/host_executor.hpp"
#include "io/kept_file.hpp"
#include "registry/operations.hpp"
#include "support/expect.hpp"
#include "support/temporary_folder.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/kernels/products/choice/problem_plan.hpp"
#include "vkmoye/layout/text.hpp"
#include "workloads/workload.hpp"

namespace vkmoye::bench {
namespace {

using nlohmann::json;

// A file in the format, with an arbitrary header.
std::string file_of(const std::string& header, const std::string& data) {
  std::string start = "vkmoyepk";
  const auto number = [&](std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) start += static_cast<char>(value >> (8 * i) & 0xff);
  };
  number(1, 4);
  number(header.size(), 4);
  const auto bytes = [](const std::string& text) { return std::as_bytes(std::span(text)); };
  number(checksum(bytes(header), checksum(bytes(start))), 8);
  return start + header + data;
}

class PackedFileTest : public testing::Test {
 protected:
  PackedFile read(const std::string& bytes) {
    std::ofstream(path_, std::ios::binary) << bytes;
    return read_packed_header(path_);
  }
  test::TemporaryFolder folder_;
  std::filesystem::path path_ = folder_.file("operand.packed");
  json header_ = {{"operand", "b"},
                  {"type", "f16"},
                  {"rows", 3},
                  {"k", 5},
                  {"lanes", 2},
                  {"fragment_rows", 2},
                  {"fragment_k", 2},
                  {"fragments_along_rows", 1},
                  {"fragments_along_k", 2},
                  {"fragment", "(2,2):(1,2)"},
                  {"block", "((2,1),(2,2)):((1,4),(2,4))"},
                  {"device", "one"},
                  {"driver", "1.0"},
                  {"checksum", "0000000000000000"}};
  // 2 blocks along the rows, 2 along k, of 8 elements.
  std::string data_ = std::string(2 * 2 * 8 * 2, 'x');
};

TEST_F(PackedFileTest, WhatIsWrittenIsRead) {
  gen::PackedOperand operand;
  operand.form = {'a', ScalarType::f16, 2, 2, 2, 1, 2};
  operand.rows = 3;
  operand.k = 5;
  operand.batch = 2;
  operand.fragment = "(2,2):(1,2)";
  operand.block = "((2,1),(2,2)):((1,4),(2,4))";
  operand.device = "a \"device\"";
  operand.driver = "1\t2";
  EXPECT_EQ(operand.bytes(), 2u * data_.size());
  const std::string data = data_ + data_;
  {
    std::filesystem::remove(path_);
    OutputFile out(path_.string());
    write_packed(out, operand, std::as_bytes(std::span(data)));
    out.commit();
  }
  EXPECT_TRUE(is_packed_file(path_));
  const PackedFile found = read_packed_header(path_);
  EXPECT_EQ(found.operand.form, operand.form);
  EXPECT_EQ(found.operand.shape(), (std::vector<std::int64_t>{2, 3, 5}));
  EXPECT_EQ(found.operand.fragment, operand.fragment);
  EXPECT_EQ(found.operand.block, operand.block);
  EXPECT_EQ(found.operand.device, operand.device);
  EXPECT_EQ(found.operand.driver, operand.driver);
  const auto read = read_packed_data(path_, found);
  EXPECT_TRUE(std::equal(read.begin(), read.end(), std::as_bytes(std::span(data)).begin()));
}

TEST_F(PackedFileTest, HeadersThatNoPackWritesAreRefused) {
  EXPECT_EQ(read(file_of(header_.dump(), data_)).operand.bytes(), data_.size());
  EXPECT_REFUSED(read_packed_data(path_, read_packed_header(path_)), ArgumentError,
                 "the checksum of its blocks is wrong");
  const auto refused = [&](const std::string& header, const auto& text) {
    EXPECT_REFUSED(read(file_of(header, data_)), ArgumentError, text) << header;
  };
  // Each field left out, and with invalid values.
  for (const auto& [name, value] : header_.items()) {
    json without = header_;
    without.erase(name);
    refused(without.dump(), HasSubstr(name));
    for (const json& wrong : {json(-1), json(1.5), json(1e300), json(nullptr), json::array(),
                              json(18446744073709551615u)}) {
      json other = header_;
      other[name] = wrong;
      refused(other.dump(), HasSubstr(name));
    }
  }
  // The largest extents: an error before any allocation.
  json absurd = header_;
  absurd["rows"] = absurd["k"] = absurd["batch"] = 4294967295u;
  absurd["fragment_rows"] = 1024;
  refused(absurd.dump(), HasSubstr("its extents need more than 2^48 bytes"));
  json large = header_;
  large["rows"] = 1 << 30;
  refused(large.dump(), HasSubstr("holds 64 bytes of blocks"));
  json many = header_;
  many["type"] = "f7";
  many["operand"] = "c";
  many["lanes"] = 0;
  many["checksum"] = "xyz";
  refused(many.dump(), AllOf(HasSubstr("type is unknown"), HasSubstr("operand is neither"),
                             HasSubstr("lanes is 0, not a whole number from 1 to 128"),
                             HasSubstr("checksum is not valid")));
  refused("[1, 2]", HasSubstr("not a JSON object"));
  refused(std::string(60000, '['), HasSubstr("not a JSON object"));
  refused(std::string(70000, ' '), HasSubstr("has a header of 70000 bytes"));
}

// The same fragments in another order than that of this device.
TEST_F(PackedFileTest, AnotherOrderIsRefusedWithBothLayouts) {
  HostExecutor host;
  const gen::KernelEntry& entry = *gen::find_kernel("gemm/packed");
  const gen::ProblemText question = {&entry, "f16,f32", {}, {}};
  gen::OperandToPack operand =
      gen::operand_to_pack(question, false, {"w", ScalarType::f16, {11, 20}});
  operand.request.device = host.caps();
  find_fragment_orders(host, entry.probes(operand.request), "test");
  operand.request.device = host.caps();
  gen::PackedOperand packed = gen::pack_plan(operand).operand;
  const auto plan_with = [&](const gen::PackedOperand& file) {
    const Workload workload = workload_of(
        question, {{"x", ScalarType::f16, {9, 20}}, {"w", ScalarType::f16, file.shape(), file}});
    return plan_on(host, workload);
  };
  // Only the activations are packed.
  const RunPlan plan = plan_with(packed);
  EXPECT_EQ(plan.steps.size(), 2u);
  EXPECT_EQ(plan.arrays[1].bytes, packed.bytes());
  EXPECT_EQ(plan.arrays[1].input, 1u);

  const std::string here = packed.fragment;
  packed.fragment = "((8,2),(2,4,2)):((32,4),(1,8,2))";
  packed.device = "NVIDIA H200";
  EXPECT_REFUSED(plan_with(packed), ArgumentError,
                 AllOf(HasSubstr(packed.fragment), HasSubstr(here),
                       HasSubstr("packed on NVIDIA H200"), HasSubstr("host (the twin)")));
}

}  // namespace
}  // namespace vkmoye::bench
