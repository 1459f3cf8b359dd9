// SPDX-License-Identifier: MIT
#include "baselines/baselines.hpp"

#include "baselines/copy.hpp"
#include "baselines/moves.hpp"
#include "baselines/peak.hpp"
#include "baselines/products.hpp"
#include "vkmoye/gen/problems/moves/moves.hpp"
#include "vkmoye/gen/problems/products/gemm_problem.hpp"

namespace vkmoye::bench {

std::vector<std::string> baselines_of(const std::string& operation) {
  if (operation == "copy") return {"copy", "vkcmdcopy", "cudamemcpy"};
  if (operation == "transpose") {
    return {kPatternBaseline, "copy", "vkcmdcopy", "cudamemcpy", "cublas"};
  }
  if (operation == "relayout") return {kPatternBaseline, "copy", "vkcmdcopy", "cudamemcpy"};
  if (operation == "gemm") return {"cublas", "openblas", kPeakBaseline};
  return {"copy"};
}

Timing time_baseline(const std::string& name, const gen::Problem& problem, const BaselineRun& run) {
  return or_unavailable([&] {
    if (const auto* product = dynamic_cast<const gen::GemmProblem*>(&problem)) {
      if (name == kPeakBaseline) return time_peak(run, product->options().form(), product->flops);
      return time_gemm_baseline(name, run, product->options(), product->size);
    }
    if (const auto* move = dynamic_cast<const gen::MoveProblem*>(&problem)) {
      if (!move->types().converts()) {
        return time_move_baseline(name, run, move->types().src, move->map());
      }
      return time_bytes_baseline(name, run, static_cast<std::uint64_t>(move->bytes));
    }
    return time_copy_of(static_cast<std::uint64_t>(problem.bytes), run);
  });
}

}  // namespace vkmoye::bench
