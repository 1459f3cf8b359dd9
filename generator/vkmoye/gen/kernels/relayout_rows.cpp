#include "vkmoye/gen/kernels/relayout_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/kernels/config_fields.hpp"
#include "vkmoye/gen/kernels/relayout.hpp"
#include "vkmoye/layout/algebra.hpp"

namespace vkmoye::gen {
namespace {

constexpr const char* kName = "relayout";
constexpr std::string_view kWalks[] = {"dst", "src", "both"};  // in the order of Walk

struct Config : RelayoutConfig {
  std::vector<std::int64_t> axes;  // empty: reversed
};

bool parse_axes(std::string_view text, std::vector<std::int64_t>& axes) {
  axes.clear();
  while (true) {
    const auto comma = text.find(',');
    std::int64_t axis = 0;
    if (!parse_number(text.substr(0, comma), axis) || axis < 0) return false;
    axes.push_back(axis);
    if (comma == std::string_view::npos) return true;
    text.remove_prefix(comma + 1);
  }
}

const std::vector<ConfigField<Config>>& fields() {
  static const std::vector<ConfigField<Config>> rows = {
      {"permute", "axes of src in the order of dst, as NumPy's transpose takes them",
       "a list of axes, such as 2,0,1",
       [](const Config& config) {
         return config.axes.empty() ? std::string("reversed")
                                    : fmt::format("{}", fmt::join(config.axes, ","));
       },
       [](const std::string& text, Config& config) { return parse_axes(text, config.axes); }},
      number_field<Config>("threads", "threads of a workgroup, at most", &Config::threads),
      number_field<Config>("vector", "bytes of an access, at most", &Config::vector),
      number_field<Config>("run", "elements of a tile along src and along dst, 0: by type",
                           &Config::run),
      number_field<Config>("rounds", "accesses in flight where no tile is needed", &Config::rounds),
      {"walk", "neighbouring workgroups go further along: dst, src or both", "dst, src or both",
       [](const Config& config) { return std::string(kWalks[static_cast<int>(config.walk)]); },
       [](const std::string& text, Config& config) {
         const auto found = std::find(std::begin(kWalks), std::end(kWalks), text);
         if (found == std::end(kWalks)) return false;
         config.walk = static_cast<Walk>(found - std::begin(kWalks));
         return true;
       }},
  };
  return rows;
}

Config config_of(const Request& request) {
  Config config;
  config.type = request.type;
  auto reasons = read_fields(fields(), request.options, config);
  if (!reasons.empty()) throw KernelError(kName, std::move(reasons));
  return config;
}

}  // namespace

PermutedArray permuted_array(const Request& request) {
  const std::vector<std::int64_t> example = {32, 64, 128};
  const auto& shape = request.shape.empty() ? example : request.shape;
  PermutedArray out;
  try {
    out.layouts = permuted(shape, config_of(request).axes);
  } catch (const LayoutError& error) {
    throw KernelError(kName, {error.what()});
  }
  for (int i = 0; i < out.layouts.dst.rank(); ++i) {
    out.shape.push_back(size(out.layouts.dst.mode(i)));
  }
  return out;
}

KernelEntry relayout_row() {
  KernelEntry row;
  row.name = kName;
  row.operation = Operation::relayout;
  row.summary = "axes of an array of any rank permuted; in C++, any strided tensor into another";
  row.source = "this project";
  for (const ScalarTypeInfo& type : scalar_types()) row.types.push_back(type.type);
  row.options = option_rows(fields(), Config());
  row.describe = [](const Request& request) {
    const PermutedArray array = permuted_array(request);
    return relayout(array.layouts.src, array.layouts.dst, config_of(request), kName);
  };
  return row;
}

}  // namespace vkmoye::gen
