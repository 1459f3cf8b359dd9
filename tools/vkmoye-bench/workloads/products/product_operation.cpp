// SPDX-License-Identifier: MIT
#include "workloads/products/product_operation.hpp"

#include <memory>
#include <vector>

#include "workloads/products/given_arrays.hpp"
#include "workloads/products/problem.hpp"
#include "workloads/products/workload.hpp"

namespace vkmoye::bench {
namespace {

std::unique_ptr<Workload> product_of_size(const WorkloadSpec& spec, const Extents& size) {
  return make_product(spec, read_product(spec.values, spec.type), size);
}

}  // namespace

Operation products() {
  Operation operation;
  operation.name = "gemm";
  operation.size = {.text = "MxNxK", .rank = 3, .example = {1024, 1024, 1024}};
  operation.takes_all_types = true;
  operation.is_tuned = true;
  for (const auto& field : gemm_problem_fields()) {
    const bool of_form = field.name == "a" || field.name == "b" || field.name == "c" ||
                         field.name == "alpha" || field.name == "beta" ||
                         field.name == "epilogue" || field.name == "experts";
    const bool is_order = field.name == "a" || field.name == "b" || field.name == "c";
    const bool is_packed = field.name == "packed";
    operation.options.push_back({field.name, field.help, of_form || is_packed,
                                 of_form || is_packed || field.name == "batch" ||
                                     field.name == "experts" || field.name == "split-k",
                                 is_order, field.expects.starts_with("a ") ? field.expects : "",
                                 is_packed});
  }
  operation.baselines = {"cublas", "openblas", kPeakBaseline};
  operation.of_size = product_of_size;
  operation.of_arrays = product_of_arrays;
  operation.takes_fortran_order = [](const GivenArray& array, std::size_t place) {
    return place < 2 && array.shape.size() == 2;  // A or B without a batch
  };
  return operation;
}

}  // namespace vkmoye::bench
