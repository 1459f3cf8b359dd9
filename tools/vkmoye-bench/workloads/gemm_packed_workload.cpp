#include "workloads/gemm_packed_workload.hpp"

#include <array>

#include "vkmoye/gen/kernels/gemm_packed.hpp"
#include "vkmoye/gen/kernels/pack.hpp"

namespace vkmoye::bench {
namespace {

std::int64_t parts(std::int64_t extent, std::int64_t part) { return (extent + part - 1) / part; }

// An operand of the kernel and the blocks that it is packed into.
struct Packing {
  gen::PackedForm form;
  Matrix matrix;          // where its elements lie before
  std::int64_t rows, k;   // of it
  std::int64_t matrices;  // of a batch; 1: one for all of them
  bool beforehand;

  std::int64_t blocks() const { return parts(rows, form.block_rows()); }
  std::int64_t k_blocks() const { return parts(k, form.block_depth()); }
};

// The operands in the kernel's order: where C has m contiguous, A and B have changed places.
std::array<Packing, 2> packings(const gen::KernelRequest& request, const GemmProblem& problem,
                                const Extents& size) {
  const gen::GemmPackedConfig config = gen::gemm_packed_config_of(request);
  const std::array<Matrix, 3> matrices = matrices_of(problem, size);
  const auto packing = [&](char use, bool is_a) {
    const Matrix& matrix = matrices[is_a ? 0 : 1];
    const bool one_for_all = problem.batch == 1 || matrix.stride == 0;
    const std::string& packed = problem.packed;
    return Packing{gen::packed_form(config, request.gemm, use),
                   matrix,
                   size[is_a ? 0 : 1],
                   size[2],
                   one_for_all ? 1 : problem.batch,
                   packed.find(is_a ? 'a' : 'b') != std::string::npos};
  };
  const bool exchanged = !problem.c_n_contiguous;
  return {packing('a', !exchanged), packing('b', exchanged)};
}

Step pack_step(const Packing& x, const DeviceCaps& device, std::size_t from, std::size_t to) {
  const bool batched = x.matrices != 1;
  Arguments arguments = {{"rows", x.rows},
                         {"k", x.k},
                         {"leading", x.matrix.leading},
                         {"k_blocks", x.k_blocks()},
                         {"blocks", x.blocks()}};
  if (batched) {
    arguments["batch"] = x.matrices;
    arguments["stride"] = x.matrix.stride;
  }
  return {gen::pack({x.matrix.second_contiguous, batched}, x.form, device), arguments, {from, to}};
}

}  // namespace

std::vector<gen::ProbedMatrix> packed_probes(const gen::KernelRequest& request) {
  const gen::GemmPackedConfig config = gen::gemm_packed_config_of(request);
  std::vector<gen::ProbedMatrix> out;
  for (const char use : {'a', 'b'}) {
    out.push_back(gen::fragment_of(gen::packed_form(config, request.gemm, use)));
  }
  return out;
}

Step packed_step(const gen::KernelEntry& entry, const gen::KernelRequest& request,
                 const GemmProblem& problem, const Extents& size) {
  Arguments arguments = gemm_arguments(problem, size);
  for (const char* plain : {"lda", "ldb", "stride_a", "stride_b"}) arguments.erase(plain);
  const auto operands = packings(request, problem, size);
  arguments["k_blocks"] = operands[0].k_blocks();
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Packing& x = operands[i];
    const std::string name = i == 0 ? "a" : "b";
    arguments[name + "_blocks"] = x.blocks() * x.matrices;
    if (request.gemm.batched) arguments[name + "_step"] = x.matrices > 1 ? x.blocks() : 0;
  }
  return {entry.describe(request), arguments, {}};
}

Plan packed_plan(const gen::KernelEntry& entry, const gen::KernelRequest& request,
                 const GemmProblem& problem, const Extents& size, std::vector<Array> arrays) {
  Plan plan;
  plan.arrays = std::move(arrays);
  const std::size_t given = plan.arrays.size();
  plan.result = given - 1;
  const auto operands = packings(request, problem, size);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Packing& x = operands[i];
    const auto elements = static_cast<std::uint64_t>(x.form.block_elements() * x.blocks() *
                                                     x.k_blocks() * x.matrices);
    plan.arrays.push_back(
        {std::string("packed ") + (i == 0 ? "a" : "b"), elements * size_of(x.form.type), {}, 0});
  }
  for (const bool beforehand : {true, false}) {
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (operands[i].beforehand != beforehand) continue;
      plan.steps.push_back(pack_step(operands[i], request.device, i, given + i));
    }
    if (beforehand) plan.beforehand = plan.steps.size();
  }
  plan.main = plan.steps.size();
  plan.steps.push_back(packed_step(entry, request, problem, size));
  std::vector<std::size_t>& bindings = plan.steps.back().arrays;
  bindings = {given, given + 1};
  for (std::size_t i = 2; i < given; ++i) bindings.push_back(i);  // what the epilogue reads, and C
  return plan;
}

}  // namespace vkmoye::bench
