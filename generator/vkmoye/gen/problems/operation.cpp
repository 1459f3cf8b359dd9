// SPDX-License-Identifier: MIT
#include "vkmoye/gen/problems/operation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"

namespace vkmoye::gen {

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
  throw ArgumentError(fmt::format("size '{}' has {} extents, {} has {}", size_text(extents),
                                  extents.size(), form.text, form.rank));
}

void require_arrays(const std::string& kernel, const std::vector<GivenArray>& given,
                    const std::vector<WantedArray>& wanted, ScalarType type) {
  std::vector<std::string> reasons;
  if (given.size() != wanted.size()) {
    std::vector<std::string> names;
    for (const WantedArray& one : wanted) names.push_back(one.name);
    reasons.push_back(fmt::format("takes {} array{} ({}), got {}", wanted.size(),
                                  wanted.size() == 1 ? "" : "s", join(names, ", "), given.size()));
  }
  for (std::size_t i = 0; i < std::min(given.size(), wanted.size()); ++i) {
    const ScalarType needed = wanted[i].type.value_or(type);
    if (given[i].type != needed) {
      reasons.push_back(fmt::format("{}: has type {}, {} takes {} there", given[i].name,
                                    to_string(given[i].type), kernel, to_string(needed)));
    }
    if (i > 0 && given[i].shape != wanted[i].shape) {
      reasons.push_back(fmt::format("{}: has shape {}, but {} needs {}", given[i].name,
                                    shape_text(given[i].shape), wanted[i].name,
                                    shape_text(wanted[i].shape)));
    }
  }
  if (!reasons.empty()) throw ArgumentError(with_reasons(kernel, reasons));
}

}  // namespace vkmoye::gen
