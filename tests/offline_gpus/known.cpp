// SPDX-License-Identifier: MIT
#include "offline_gpus/known.hpp"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace vkmoye::test {

std::vector<Known> read_known(const std::string& path, const std::string& gpu) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::vector<Known> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    std::istringstream fields(line);
    Known row;
    for (std::string* field :
         {&row.gpus, &row.kernel, &row.types, &row.variant, &row.check, &row.reason}) {
      if (!std::getline(fields, *field, '\t') || field->empty()) {
        throw std::runtime_error(path + ": no six columns: " + line);
      }
    }
    const bool concerns =
        row.gpus == "*" || (" " + row.gpus + " ").find(" " + gpu + " ") != std::string::npos;
    if (concerns) rows.push_back(std::move(row));
  }
  return rows;
}

const Known* explain(std::vector<Known>& known, const Case& one, const std::string& check) {
  const auto is = [](const std::string& pattern, const std::string& text) {
    return pattern == "*" || pattern == text;
  };
  for (Known& row : known) {
    if (is(row.kernel, one.kernel) && is(row.types, one.types) && is(row.variant, one.variant) &&
        row.check == check) {
      ++row.findings;
      return &row;
    }
  }
  return nullptr;
}

}  // namespace vkmoye::test
