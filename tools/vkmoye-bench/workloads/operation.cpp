// SPDX-License-Identifier: MIT
#include "workloads/operation.hpp"

#include <fmt/format.h>

#include "vkmoye/base/error.hpp"

namespace vkmoye::bench {

Extents usual_size(const Operation& operation, const Extents& usual) {
  return operation.is_own ? operation.size.example : usual;
}

Extents size_of_form(const SizeForm& form, const Extents& extents) {
  if (extents.size() == 1) return Extents(form.rank, extents.front());
  if (extents.size() == form.rank || form.any_rank) return extents;
  throw ArgumentError(fmt::format("size '{}' has {} extents, {} has {}", to_string(extents),
                                  extents.size(), form.text, form.rank));
}

}  // namespace vkmoye::bench
