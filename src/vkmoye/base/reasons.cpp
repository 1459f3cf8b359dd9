// SPDX-License-Identifier: MIT
#include "vkmoye/base/reasons.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "vkmoye/base/text.hpp"

namespace vkmoye {

void Reasons::add(std::string reason) {
  if (std::find(all_.begin(), all_.end(), reason) == all_.end()) all_.push_back(std::move(reason));
}

void Reasons::add_all(std::vector<std::string> reasons) {
  for (std::string& reason : reasons) add(std::move(reason));
}

std::string Reasons::text(const std::string& subject) const { return with_reasons(subject, all_); }

void add_all(std::vector<std::string>& reasons, std::vector<std::string> more) {
  reasons.insert(reasons.end(), std::make_move_iterator(more.begin()),
                 std::make_move_iterator(more.end()));
}

}  // namespace vkmoye
