#include "problem.hpp"

#include <fmt/format.h>

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
  const SizeForm form = size_form(operation);
  if (extents.size() == 1) return Extents(form.rank, extents.front());
  if (extents.size() == form.rank) return extents;
  throw ArgumentError(fmt::format("size '{}' has {} extents, {} has {}", to_string(extents),
                                  extents.size(), form.name, form.rank));
}

}  // namespace vkmoye::bench
