// SPDX-License-Identifier: MIT
#include "workloads/operation.hpp"

#include <fmt/format.h>

#include "vkmoye/base/error.hpp"

namespace vkmoye::bench {

Extents usual_size(const Operation& operation, const Extents& usual) {
  return operation.is_own ? operation.size.example : usual;
}

Extents size_of_form(const SizeForm& form, const Extents& extents) {
  const std::size_t count = form.extents_of_one_number;
  if (count > 0 && (extents.size() == 1 || extents.size() == count)) {
    Extents size = form.example;
    for (std::size_t i = 0; i < count; ++i) size[i] = extents[extents.size() == 1 ? 0 : i];
    return size;
  }
  if (extents.size() == 1) return Extents(form.rank, extents.front());
  if (extents.size() == form.rank || form.any_rank) return extents;
  throw ArgumentError(fmt::format("size '{}' has {} extents, {} has {}", to_string(extents),
                                  extents.size(), form.text, form.rank));
}

}  // namespace vkmoye::bench
