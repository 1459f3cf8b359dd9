// SPDX-License-Identifier: MIT
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "matrices.hpp"
#include "test.hpp"
#include "twin_decoder.hpp"

namespace llama {
namespace {

using namespace vkmoye;
using Bytes = std::vector<std::byte>;

constexpr std::int64_t kDepth = 64;  // k of all matrices

// A GPU like an H200, of which only what packing looks at. It packs up to 4096 rows in blocks of 32, more in blocks of
// 64.
DeviceCaps gpu() {
  DeviceCaps caps = common_device();
  caps.features.add(Feature::cooperative_matrix);
  caps.subgroup_size = caps.min_subgroup_size = caps.max_subgroup_size = 32;
  caps.matrix_shapes = {{16, 16, 16, "f16", "f16", "f32", "f32", "subgroup"}};
  const Layout order({{8, 2}, {2, 4, 2}}, {{32, 4}, {1, 8, 2}});  // (row, k) -> lane * 8 + number
  for (const char use : {'a', 'b'}) {
    FragmentOrder held{use, "f16", 16, 16, 32};
    for (std::int64_t i = 0; i < 256; ++i) {
      const std::int64_t row = use == 'a' ? i % 16 : i / 16, k = use == 'a' ? i / 16 : i % 16;
      held.places.push_back(static_cast<std::uint32_t>(order(row + 16 * k)));
    }
    caps.fragment_orders.push_back(held);
  }
  return caps;
}

// Rows of random bytes, as a matrix in blocks.
FileTensor matrix(const std::string& type, std::span<const std::byte> rows) {
  const TensorType& of = tensor_type(type);
  const std::uint64_t bytes = kDepth / of.block_elements * of.block_bytes;
  return {type, &of, {kDepth, rows.size() / bytes}, rows};
}

Bytes packed(const Matrices& matrices, const FileTensor& tensor, std::int64_t n_of_array) {
  const gen::KernelPlan plan = matrices.packing(tensor, n_of_array);
  Bytes from(tensor.bytes.begin(), tensor.bytes.end()), to(plan.arrays[1].bytes);
  run_on_twin(plan, {from, to});
  return to;
}

void expect(bool is_right, const std::string& what) {
  if (!is_right) throw std::runtime_error(what);
}

void check(const std::string& type) {
  const DeviceCaps caps = gpu();
  Plans plans(caps);
  Matrices matrices(plans, ScalarType::f16);
  const auto rows = [](const FileTensor& tensor) {
    return static_cast<std::int64_t>(tensor.extents[1]);
  };
  Bytes bytes(kDepth / tensor_type(type).block_elements * tensor_type(type).block_bytes * 4608);
  std::mt19937 random(1);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  const std::span<const std::byte> all(bytes);
  // Each of two parts has fewer than 4096 rows, both together more.
  const FileTensor whole = matrix(type, all);
  const FileTensor first = matrix(type, all.first(all.size() / 2));
  const FileTensor second = matrix(type, all.subspan(all.size() / 2));
  const auto parts = matrices.load({&first, &second});
  const auto both = joined(parts);
  expect(both && both->n == rows(whole), "the parts are not joined");
  Bytes of_parts = packed(matrices, first, rows(whole));
  expect(parts[0].part.bytes == of_parts.size(), "the first part has another length");
  const Bytes of_second = packed(matrices, second, rows(whole));
  of_parts.insert(of_parts.end(), of_second.begin(), of_second.end());
  expect(of_parts == packed(matrices, whole, rows(whole)), "the parts are packed differently");
  expect(packed(matrices, first, rows(first)) != packed(matrices, first, rows(whole)),
         "the rows of the array do not matter");
  // 71 blocks of 32 rows are not whole blocks of 64.
  const FileTensor odd = matrix(type, all.first(all.size() / 4608 * 2272));
  expect(!joined(matrices.load({&odd, &second})), "parts of blocks are joined");
  expect(joined(matrices.load({&second, &odd})).has_value(), "the last block need not be whole");
}

}  // namespace

int check_matrices() {
  int wrong = 0;
  for (const char* type : {"q4_0", "q4_1", "q8_0"}) {
    try {
      check(type);
    } catch (const std::exception& error) {
      std::printf("packed %s: WRONG: %s\n", type, error.what());
      ++wrong;
    }
  }
  if (wrong == 0) std::printf("packed matrices: right\n");
  return wrong;
}

}  // namespace llama
