#include "workloads/problem.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"

namespace vkmoye::bench {
namespace {

struct SizeForm {
  const char* name;
  std::size_t rank;
};

SizeForm size_form(gen::Operation operation) {
  if (operation == gen::Operation::gemm) return {"MxNxK", 3};
  return {"ROWSxCOLUMNS", 2};
}

}  // namespace

Extents size_of_problem(gen::Operation operation, const Extents& extents) {
  if (operation == gen::Operation::relayout && extents.size() > 1) return extents;
  const SizeForm form = size_form(operation);
  if (extents.size() == 1) return Extents(form.rank, extents.front());
  if (extents.size() == form.rank) return extents;
  throw ArgumentError(fmt::format("size '{}' has {} extents, {} has {}", to_string(extents),
                                  extents.size(), form.name, form.rank));
}

std::vector<Problem> problems_of(const gen::KernelEntry& entry, const std::string& type,
                                 const Extents& size, const gen::Options& config,
                                 const GemmOptions& gemm) {
  std::vector<Problem> problems;
  const auto add = [&](const std::string& types) -> Problem& {
    Problem& problem = problems.emplace_back();
    problem.entry = &entry;
    problem.request = request_of(entry, types, config, gemm);
    problem.size = size;
    if (entry.operation == gen::Operation::relayout) problem.request.shape = size;
    return problem;
  };
  if (entry.operation == gen::Operation::gemm) {
    add(type).gemm = gemm.problem_of(type);
    matrices_of(problems.back().gemm, size);  // refuses what cannot be
  } else {
    for (const std::string& one : split(type, ',')) add(one);
  }
  return problems;
}

bool has_type(const gen::KernelEntry& entry, const gen::Request& request) {
  return std::find(entry.types.begin(), entry.types.end(), request.type) != entry.types.end();
}

gen::Request request_of(const gen::KernelEntry& entry, const std::string& type,
                        const gen::Options& config, const GemmOptions& gemm) {
  gen::Request request;
  request.options = config;
  if (entry.operation == gen::Operation::gemm) {
    request.gemm = gemm.problem_of(type).form();
    request.type = request.gemm.operand;
  } else {
    request.type = parse_type(type);
  }
  return request;
}

}  // namespace vkmoye::bench
