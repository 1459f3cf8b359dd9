// SPDX-License-Identifier: MIT

#include "registry/operations.hpp"
#include "support/expect.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/operations/operations.hpp"
#include "vkmoye/gen/operations/user_operation.hpp"

namespace vkmoye::bench {
namespace {

OperationEntry doubling() {
  OperationEntry row;
  row.name = "doubling";
  row.size_form = "COUNT";
  row.example = {1024};
  row.problem = [](const std::vector<std::int64_t>& size, ScalarType) {
    return Problem{{{"src", size}}, {"dst", size}, {{"count", size[0]}}, 0};
  };
  row.reference = [](const Problem&, std::span<const std::vector<double>> in,
                     std::span<gen::Expected> out) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i].value = 2 * in[0][i];
  };
  return row;
}

gen::KernelEntry entry_of(const std::string& name, const std::string& operation) {
  gen::KernelEntry entry;
  entry.name = name;
  entry.operation = operation;
  entry.types = {ScalarType::f32};
  entry.describe = [](const gen::KernelRequest&) { return gen::ir::Kernel(); };
  return entry;
}

TEST(RegistryInUse, OursIsOneThatCanBeHad) {
  EXPECT_THAT(reasons_against(our_registry()), IsEmpty());
}

TEST(RegistryInUse, OursAndOthersStandSideBySide) {
  Registry registry = our_registry();
  registry.operations.push_back(doubling());
  registry.kernels.push_back(entry_of("own/double", "doubling"));
  registry.kernels.push_back(entry_of("own/copy", "copy"));
  EXPECT_THAT(reasons_against(registry), IsEmpty());
  registry.kernels.push_back(entry_of("vkcmdcopy", "doubling"));
  EXPECT_THAT(reasons_against(registry),
              ElementsAre("kernel 'vkcmdcopy': --baseline already uses this name"));
}

TEST(RegistryInUse, WhatCannotBeMeantIsRefusedWithEveryReason) {
  Registry registry;
  OperationEntry taken = doubling(), empty, twice = doubling();
  twice.name = "twice";
  twice.references = [](const Problem&, std::span<const std::vector<double>>,
                        std::span<std::vector<gen::Expected>>) {};
  taken.name = "gemm";
  taken.example = {1, 2};
  empty.name = "empty";
  registry.operations = {taken, empty, twice};
  registry.kernels = {entry_of("k", "nothing"), entry_of("k", "copy"), {}};
  EXPECT_THAT(
      reasons_against(registry),
      ElementsAre("operation 'gemm': there is another one of this name",
                  "operation 'gemm': its example has 2 extents, COUNT has 1",
                  "operation 'empty': does not say what its arrays are: problem is empty",
                  "operation 'empty': has no definition to compare with: reference is empty",
                  "operation 'twice': has both reference and references",
                  "kernel 'k': there is no operation 'nothing'",
                  "kernel 'k': there is another one of this name", "kernel '': has no name",
                  "kernel '': describe is empty", "kernel '': has no types",
                  "kernel '': there is no operation ''"));
}

// A form with one extent takes one, and the kernel is described for it.
TEST(RegistryInUse, AnOperationOfOthersKeepsTheFormOfItsSize) {
  const gen::Operation operation = gen::operation_of(doubling());
  EXPECT_EQ(operation.size.rank, 1u);
  const gen::KernelEntry entry = entry_of("own/double", "doubling");
  const auto problem = operation.of_size({&entry, "f32", {}, {}}, {1000});
  EXPECT_EQ(problem->size, Extents{1000});
  EXPECT_EQ(std::get<gen::ElementsForm>(problem->form).shape, Extents{1000});
  ASSERT_EQ(problem->arrays.size(), 2u);
  EXPECT_EQ(problem->arrays[1].name, "dst");
  EXPECT_EQ(problem->arrays[1].bytes, 4000u);
  EXPECT_EQ(problem->bytes, 8000);
}

// Results that the kernel also reads are inputs, too; without a size, the example counts.
TEST(RegistryInUse, AnOperationOfOthersMayHaveSeveralResults) {
  OperationEntry row = doubling();
  row.problem = [](const std::vector<std::int64_t>& size, ScalarType) {
    Problem problem{{{"src", size}}, {"dst", size}, {{"count", size[0]}}, 0};
    problem.output.in_out = true;
    problem.more_outputs = {{"sum", {1}, ScalarType::f64}};
    return problem;
  };
  const gen::KernelEntry entry = entry_of("own/double", "doubling");
  EXPECT_REFUSED(gen::operation_of(row).of_size({&entry, "f32", {}, {}}, {1000}), ArgumentError,
                 "operation 'doubling': has 2 results, but only the definition of the first");
  row.reference = nullptr;
  row.references = [](const Problem&, std::span<const std::vector<double>>,
                      std::span<std::vector<gen::Expected>>) {};
  const gen::Operation operation = gen::operation_of(row);
  const auto problem = operation.of_size({&entry, "f32", {}, {}}, {1000});
  const std::vector<gen::ProblemArray>& arrays = problem->arrays;
  ASSERT_EQ(arrays.size(), 3u);
  EXPECT_EQ(arrays[0].input, 0u);
  EXPECT_EQ(arrays[1].input, 1u);
  EXPECT_EQ(arrays[2].input, std::nullopt);
  EXPECT_EQ(arrays[2].bytes, 8u);
  EXPECT_EQ(problem->bytes, 3 * 4000 + 8);
  EXPECT_EQ(gen::usual_size(operation, {2048}), Extents{1024});
  EXPECT_EQ(gen::usual_size(gen::operations().front(), {2048}), Extents{2048});
}

}  // namespace
}  // namespace vkmoye::bench
