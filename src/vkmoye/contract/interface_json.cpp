// SPDX-License-Identifier: MIT
#include "vkmoye/contract/interface_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <limits>
#include <optional>

#include "vkmoye/base/text.hpp"

namespace vkmoye {
namespace {

Json to_json(const Extent& extent) {
  return extent.is_symbol() ? Json(to_string(extent)) : Json(extent.value);
}

template <class Items, class ToJson>
Json list_of(const Items& items, ToJson to_json) {
  Json list = Json::array();
  for (const auto& item : items) list.push_back(to_json(item));
  return list;
}

// "n", "n*m", or "ceil(n/1024)".
std::optional<Extent> extent_of_text(const std::string& text) {
  constexpr std::string_view kBefore = "ceil(";
  if (text.starts_with(kBefore) && text.ends_with(')')) {
    const std::size_t slash = text.rfind('/');
    if (slash == std::string::npos) return std::nullopt;
    const auto whole = extent_of_text(text.substr(kBefore.size(), slash - kBefore.size()));
    std::int64_t size = 0;
    const char *first = text.data() + slash + 1, *last = text.data() + text.size() - 1;
    const auto [end, error] = std::from_chars(first, last, size);
    const bool is_number = error == std::errc() && end == last && size > 1 && size <= 0xffffffff;
    if (!whole || whole->per != 1 || !is_number) return std::nullopt;
    return Extent::parts(*whole, size);
  }
  const std::vector<std::string> factors = split(text, '*');
  for (const std::string& factor : factors) {
    if (factor.empty() || factor.find_first_of("()/") != std::string::npos) return std::nullopt;
  }
  if (factors.size() == 1) return Extent(factors[0]);
  return factors.size() == 2 ? std::optional(Extent(factors[0], factors[1])) : std::nullopt;
}

// Reads members of objects, and adds a reason for each invalid one.
class Reader {
 public:
  explicit Reader(std::vector<std::string>& reasons) : reasons_(reasons) {}

  std::string text(const Json& of, const char* key) { return text_in(of, key, reasons_); }
  const Json& list(const Json& of, const char* key) { return array_in(of, key, reasons_); }
  /// From 0 to `max`.
  std::uint64_t count(const Json& of, const char* key,
                      std::int64_t max = std::numeric_limits<std::uint32_t>::max()) {
    return static_cast<std::uint64_t>(whole_in(of, key, 0, max, reasons_));
  }
  /// Text that is printed unchanged.
  std::string name(const Json& object, const char* key) { return printed(text(object, key), key); }
  std::string printed(std::string text, const char* key) {
    const bool has_control = std::any_of(text.begin(), text.end(),
                                         [](unsigned char c) { return c < 0x20 || c == 0x7f; });
    if (has_control) note("{} has a control character", key);
    return text;
  }
  /// One of the `count` values of an enumeration, by its name.
  template <class Enum>
  Enum one_of(const Json& json, const char* what, std::size_t count) {
    const auto* name = text_of(json);
    for (std::size_t i = 0; name != nullptr && i < count; ++i) {
      if (to_string(static_cast<Enum>(i)) == *name) return static_cast<Enum>(i);
    }
    note("unknown {} {}", what, dump(json));
    return {};
  }
  std::vector<Extent> extents(const Json& of, const char* key) {
    std::vector<Extent> out;
    for (const Json& json : list(of, key)) out.push_back(extent(json, key));
    return out;
  }
  Extent extent(const Json& json, const char* what) {
    if (const auto number = whole_of(json); number && *number >= 0) {
      return *number;
    }
    const auto* text = text_of(json);
    if (const auto extent = text == nullptr ? std::nullopt : extent_of_text(*text)) return *extent;
    note("{}: {} is not an extent", what, dump(json));
    return 0;
  }
  MatrixShape shape(const Json& json) {
    // "16x16x16  f16 * f16 + f32 -> f32  subgroup, saturating"
    const auto* text = text_of(json);
    std::vector<std::string> words;
    for (std::string& word : split(text == nullptr ? "" : *text, ' ')) {
      if (!word.empty()) words.push_back(std::move(word));
    }
    MatrixShape shape;
    if (words.size() >= 9) {
      const std::vector<std::string> sizes = split(words[0], 'x');
      const auto number = [](const std::string& from, std::uint32_t& to) {
        std::from_chars(from.data(), from.data() + from.size(), to);
      };
      if (sizes.size() == 3) {
        number(sizes[0], shape.m);
        number(sizes[1], shape.n);
        number(sizes[2], shape.k);
      }
      shape.a = words[1], shape.b = words[3], shape.c = words[5], shape.result = words[7];
      shape.saturating = words.size() == 10;
      shape.scope = split(words[8], ',')[0];
    }
    if (text == nullptr || to_string(shape) != *text) note("{} is not a matrix shape", dump(json));
    return shape;
  }
  template <class... Parts>
  void note(fmt::format_string<Parts...> format, Parts&&... parts) {
    reasons_.push_back(fmt::format(format, std::forward<Parts>(parts)...));
  }

 private:
  std::vector<std::string>& reasons_;
};

// The relations between fields on which a runtime relies: it finds arguments by name, and sets addresses itself.
void check_names(const KernelInterface& kernel, Reader& read) {
  const auto check_twice = [&](const auto& items, const char* what) {
    for (auto item = items.begin(); item != items.end(); ++item) {
      const auto is_same = [&](const auto& other) { return other.name == item->name; };
      if (std::any_of(items.begin(), item, is_same)) {
        read.note("two {} are called {}", what, item->name);
      }
    }
  };
  check_twice(kernel.bindings, "bindings");
  check_twice(kernel.push_constants, "push constants");
  check_twice(kernel.specialised, "specialisation constants");
  for (const SpecialisedArgument& one : kernel.specialised) {
    const auto has_name = [&](const PushConstant& other) { return other.name == one.name; };
    const auto& others = kernel.push_constants;
    if (std::any_of(others.begin(), others.end(), has_name)) {
      read.note("{} is both a push constant and a specialisation constant", one.name);
    }
  }
  const auto& constants = kernel.push_constants;
  for (const Binding& binding : kernel.bindings) {
    const PushConstant address(address_name(binding.name), ScalarType::u64);
    const bool has_address =
        std::find(constants.begin(), constants.end(), address) != constants.end();
    if (binding.addressing == Addressing::pointer && !has_address) {
      read.note("{} is accessed through a pointer, but no push constant holds its address",
                binding.name);
    }
  }
  for (const PushConstant& constant : constants) {
    constexpr ScalarType kTypes[] = {ScalarType::u32, ScalarType::i32, ScalarType::f32,
                                     ScalarType::f64, ScalarType::u64};
    const bool is_type =
        is_first_group(constant.name)
            ? constant.type == ScalarType::u32
            : std::find(std::begin(kTypes), std::end(kTypes), constant.type) != std::end(kTypes);
    if (!is_type) {
      read.note("push constant {} has the type {}", constant.name, to_string(constant.type));
    }
  }
}

void check_arrivals(const KernelInterface& kernel, Reader& read) {
  const std::uint32_t at = *kernel.arrivals;
  const Binding* binding = at < kernel.bindings.size() ? &kernel.bindings[at] : nullptr;
  if (binding == nullptr || binding->type != ScalarType::u32 ||
      binding->extents != std::vector<Extent>{2} || binding->access != Access::read_write) {
    read.note(
        "arrivals is {}, which is no binding of two elements of u32 that are read and written", at);
  }
  const auto& [x, y, z] = kernel.grid;
  if (x.extent.is_symbol() || y.extent != Extent(1) || z.extent != Extent(1)) {
    read.note("the workgroups that wait for each other are not a fixed number along x alone");
  }
}

}  // namespace

Json interface_to_json(const KernelInterface& kernel) {
  Json bindings = Json::array(), constants = Json::array();
  for (const Binding& binding : kernel.bindings) {
    bindings.push_back({{"set", 0},
                        {"binding", bindings.size()},
                        {"name", binding.name},
                        {"type", to_string(binding.type)},
                        {"access", to_string(binding.access)},
                        {"alignment", binding.alignment},
                        {"reach", to_string(binding.addressing)},
                        {"extents", list_of(binding.extents, to_json)},
                        {"strides", list_of(binding.strides, to_json)}});
  }
  const std::vector<std::uint32_t> offsets = push_constant_offsets(kernel);
  for (const PushConstant& constant : kernel.push_constants) {
    constants.push_back({{"name", constant.name},
                         {"type", to_string(constant.type)},
                         {"offset", offsets[constants.size()]}});
  }
  const Json grid = list_of(kernel.grid, [](const GridDimension& dimension) {
    Json row = {{"extent", to_json(dimension.extent)}, {"tile", dimension.tile}};
    if (dimension.max_groups > 0) row["most"] = dimension.max_groups;
    return row;
  });
  const auto text_of = [](const auto& value) { return Json(to_string(value)); };
  const auto number_of = [](std::uint32_t number) { return Json(number); };
  Json out = {
      {"schema", 1},
      {"kernel", kernel.name},
      {"entry_point", "main"},
      {"bindings", bindings},
      {"push_constants", constants},
      {"grid", grid},
      {"grid_rule",
       "groups[i] = ceil(extent / tile), no more than most where it is given; set each "
       "first_group_* to 0, or to the first group of "
       "each piece of a grid dispatched in pieces"},
      {"reach_rule",
       "descriptor: a storage buffer bound at set and binding; pointer: NAME_address is the "
       "address of "
       "the first element (vkGetBufferDeviceAddress and the offset)"},
      {"strides_rule", "elements from one coordinate along each mode to the next; none: compact"},
      {"workgroup_size", list_of(kernel.workgroup_size, number_of)},
      {"needs",
       {{"vulkan", "1.2"},
        {"features", list_of(kernel.features.list(), text_of)},
        {"matrices", list_of(kernel.matrices, text_of)},
        {"subgroup_size", kernel.subgroup_size},
        {"shared_bytes", kernel.shared_bytes},
        {"push_constant_bytes", push_constant_bytes(kernel)},
        {"storage_buffers", descriptor_count(kernel)}}}};
  if (!kernel.assumptions.empty()) out["assumptions"] = kernel.assumptions;
  if (kernel.arrivals) {
    out["arrivals"] = *kernel.arrivals;
    out["arrivals_rule"] =
        "workgroups wait for each other with the two elements of this binding: all of them must "
        "run at once; both "
        "elements are 0 before the first launch; after a launch, the second one is 1 if a "
        "workgroup waited in vain";
  }
  if (!kernel.specialised.empty()) {
    Json specialised = Json::array();
    for (const SpecialisedArgument& argument : kernel.specialised) {
      specialised.push_back({{"name", argument.name},
                             {"type", to_string(ScalarType::u32)},
                             {"constant_id", specialised.size()}});
    }
    out["specialised"] = specialised;
    out["specialised_rule"] =
        "sizes that are specialisation constants of the SPIR-V: give each its value, at least 1, "
        "in VkSpecializationInfo; extents and the grid use the same value";
  }
  return out;
}

KernelInterface interface_of_json(const Json& json, std::vector<std::string>& reasons) {
  Reader read(reasons);
  KernelInterface kernel;
  if (read.count(json, "schema") != 1) read.note("schema is not 1");
  kernel.name = read.name(json, "kernel");
  if (read.text(json, "entry_point") != "main") read.note("entry_point is not main");
  for (const Json& row : read.list(json, "bindings")) {
    Binding& binding = kernel.bindings.emplace_back();
    if (read.count(row, "set") != 0 || read.count(row, "binding") + 1 != kernel.bindings.size()) {
      read.note("bindings are not 0, 1, .. of set 0");
    }
    binding.name = read.name(row, "name");
    binding.type =
        read.one_of<ScalarType>(member_or_null(row, "type"), "type", scalar_types().size());
    binding.access = read.one_of<Access>(member_or_null(row, "access"), "access", 3);
    binding.alignment = static_cast<std::uint32_t>(read.count(row, "alignment"));
    binding.addressing = read.one_of<Addressing>(member_or_null(row, "reach"), "reach", 2);
    binding.extents = read.extents(row, "extents");
    binding.strides = read.extents(row, "strides");
    if (!std::has_single_bit(binding.alignment) || binding.alignment > 16) {
      read.note("{}: alignment {} is not a power of two from 1 to 16", binding.name,
                binding.alignment);
    }
    if (!binding.strides.empty() && binding.strides.size() != binding.extents.size()) {
      read.note("{} has {} extents and {} strides", binding.name, binding.extents.size(),
                binding.strides.size());
    }
  }
  for (const Json& row : read.list(json, "push_constants")) {
    kernel.push_constants.emplace_back(
        read.name(row, "name"),
        read.one_of<ScalarType>(member_or_null(row, "type"), "type", scalar_types().size()));
    const std::uint32_t offset = push_constant_offsets(kernel).back();
    if (read.count(row, "offset") != offset) {
      read.note("{} is not at byte {}", kernel.push_constants.back().name, offset);
    }
  }
  const Json& grid = read.list(json, "grid");
  const Json& size = read.list(json, "workgroup_size");
  if (grid.size() != 3 || size.size() != 3) read.note("grid and workgroup_size are not of three");
  for (std::size_t i = 0; i < 3 && grid.size() == 3 && size.size() == 3; ++i) {
    constexpr std::int64_t kMax = std::int64_t{1} << 62;
    kernel.grid[i].extent = read.extent(member_or_null(grid[i], "extent"), "grid");
    kernel.grid[i].tile = static_cast<std::int64_t>(read.count(grid[i], "tile", kMax));
    if (kernel.grid[i].tile == 0) read.note("the grid has tiles of 0");
    if (find(grid[i], "most") != nullptr) {
      kernel.grid[i].max_groups = static_cast<std::int64_t>(read.count(grid[i], "most", kMax));
    }
    const auto threads = whole_of(size[i]);
    const bool fits = threads && *threads > 0 && *threads <= UINT32_MAX;
    if (!fits) read.note("workgroup_size has {}", dump(size[i]));
    kernel.workgroup_size[i] = fits ? static_cast<std::uint32_t>(*threads) : 0;
  }
  const Json& needs = member_or_null(json, "needs");
  for (const Json& name : read.list(needs, "features")) {
    kernel.features.add(read.one_of<Feature>(name, "feature", kFeatureCount));
  }
  for (const Json& shape : read.list(needs, "matrices")) {
    kernel.matrices.push_back(read.shape(shape));
  }
  kernel.subgroup_size = static_cast<std::uint32_t>(read.count(needs, "subgroup_size"));
  kernel.shared_bytes = read.count(needs, "shared_bytes", INT64_MAX);
  if (find(json, "assumptions") != nullptr) {
    for (const Json& assumption : read.list(json, "assumptions")) {
      const std::string* text = text_of(assumption);
      if (text == nullptr) read.note("assumptions contains {}", shown(assumption));
      kernel.assumptions.push_back(text == nullptr ? "" : read.printed(*text, "assumptions"));
    }
  }
  if (find(json, "specialised") != nullptr) {
    for (const Json& row : read.list(json, "specialised")) {
      const std::string name = read.name(row, "name"), type = read.text(row, "type");
      const std::uint64_t id = read.count(row, "constant_id"), place = kernel.specialised.size();
      if (id != place) {
        read.note("the specialisation constant {} has constant_id {}, not {}", name, id, place);
      }
      if (type != to_string(ScalarType::u32)) {
        read.note("the specialisation constant {} has the type {}, not u32", name, type);
      }
      kernel.specialised.push_back({name});
    }
  }
  if (kernel.features.has(Feature::grid_barrier) && find(json, "arrivals") == nullptr) {
    read.note("it has the feature grid_barrier, but no arrivals");
  }
  if (find(json, "arrivals") != nullptr) {
    kernel.arrivals = static_cast<std::uint32_t>(read.count(json, "arrivals", UINT32_MAX));
    check_arrivals(kernel, read);
  }
  check_names(kernel, read);
  return kernel;
}

}  // namespace vkmoye
