// SPDX-License-Identifier: MIT
#include "devices/description.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <concepts>
#include <system_error>
#include <utility>

#include "devices/fragments.hpp"
#include "devices/trials.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/path_text.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/base/text_file.hpp"
#include "vkmoye/contract/json.hpp"
#include "vkmoye/gen/kernels/products/packing/packed_form.hpp"
#include "vkmoye/layout/text.hpp"
#include "vkmoye/system/environment.hpp"
#include "vkmoye/system/file.hpp"

namespace vkmoye::bench {
namespace {

constexpr std::uint32_t kMaxLanes = 128;

// Visits each plain field with its name, so that writing and reading use the same names.
template <class Caps, class Visit>
void visit_fields(Caps& caps, Visit visit) {
  visit("name", caps.name);
  visit("driver", caps.driver);
  visit("api", caps.api);
  visit("why_unusable", caps.why_unusable);
  visit("max_group_count", caps.max_group_count);
  visit("max_workgroup_size", caps.max_workgroup_size);
  visit("max_workgroup_invocations", caps.max_workgroup_invocations);
  visit("max_shared_bytes", caps.max_shared_bytes);
  visit("max_push_constant_bytes", caps.max_push_constant_bytes);
  visit("max_storage_buffers", caps.max_storage_buffers);
  visit("max_storage_buffer_bytes", caps.max_storage_buffer_bytes);
  visit("max_buffer_bytes", caps.max_buffer_bytes);
  visit("max_allocation_bytes", caps.max_allocation_bytes);
  visit("device_memory_bytes", caps.device_memory_bytes);
  visit("storage_buffer_alignment", caps.storage_buffer_alignment);
  visit("subgroup_size", caps.subgroup_size);
  visit("min_subgroup_size", caps.min_subgroup_size);
  visit("max_subgroup_size", caps.max_subgroup_size);
  visit("max_workgroup_subgroups", caps.max_workgroup_subgroups);
  visit("timestamp_period_ns", caps.timestamp_period_ns);
}

template <class Shape, class Visit>
void visit_shape(Shape& shape, Visit visit) {
  visit("m", shape.m);
  visit("n", shape.n);
  visit("k", shape.k);
  visit("a", shape.a);
  visit("b", shape.b);
  visit("c", shape.c);
  visit("result", shape.result);
  visit("scope", shape.scope);
  visit("saturating", shape.saturating);
}

template <class Order, class Visit>
void visit_order(Order& order, Visit visit) {
  visit("use", order.use);
  visit("type", order.type);
  visit("rows", order.rows);
  visit("columns", order.columns);
  visit("lanes", order.lanes);
}

// A character is written as a string.
Json json_of(char value) { return std::string(1, value); }
template <class Value>
Json json_of(const Value& value) {
  return value;
}

constexpr DeviceKind kDeviceKinds[] = {DeviceKind::discrete, DeviceKind::integrated,
                                       DeviceKind::virtual_gpu, DeviceKind::cpu, DeviceKind::other};

Json to_json(const DeviceDescription& device) {
  const DeviceCaps& caps = device.caps;
  const auto into = [](Json& out) {
    return [&out](const char* name, const auto& value) { out[name] = json_of(value); };
  };
  const MatrixVerdicts verdicts{DeviceFacts(DeviceFacts::default_file())};
  Json out;
  visit_fields(caps, into(out));
  out["max_sparse_buffer_bytes"] = caps.max_sparse_buffer_bytes;
  out["resident_groups"] = caps.resident_groups;
  out["type"] = to_string(caps.kind);
  out["features"] = Json::array();
  for (const Feature feature : caps.features.list()) out["features"].push_back(to_string(feature));
  out["matrix_shapes"] = Json::array();
  for (const MatrixShape& shape : caps.matrix_shapes) {
    Json& row = out["matrix_shapes"].emplace_back();
    visit_shape(shape, into(row));
    row["verdicts"] = Json::array();
    for (const auto& [lanes, wrong] : verdicts.all_of(caps, shape)) {
      row["verdicts"].push_back({{"lanes", lanes}, {"wrong", or_null(wrong)}});
    }
  }
  out["fragment_orders"] = Json::array();
  for (const FragmentOrder& order : caps.fragment_orders) {
    Json& row = out["fragment_orders"].emplace_back();
    visit_order(order, into(row));
    row["places"] = order_text(order);
  }
  out["fragments"] = Json::array();
  for (const DescribedFragment& fragment : describe_fragments(caps, device.why_missing)) {
    Json& row = out["fragments"].emplace_back();
    row["matrix"] = fragment.name;
    row["layout"] = or_null(fragment.layout);
    if (fragment.layout.empty()) row["reason"] = fragment.reason;
  }
  return out;
}

// Reads the fields of objects, and collects all errors.
class DescriptionReader {
 public:
  template <class Value>
  void read(const Json& from, const std::string& name, Value& value) {
    const Json* found = find(from, name);
    if (found == nullptr) {
      reasons.push_back(name + " is missing");
    } else if (!take(*found, value)) {
      reasons.push_back(fmt::format("{} is {}", name, shown(*found)));
    }
  }
  auto from(const Json& object) {
    return [this, &object](const char* name, auto& value) { read(object, name, value); };
  }

  std::vector<std::string> reasons;

 private:
  static bool take(const Json& from, std::string& value) {
    const std::string* text = text_of(from);
    if (text != nullptr) value = *text;
    return text != nullptr;
  }
  static bool take(const Json& from, char& value) {
    std::string text;
    if (!take(from, text) || text.size() != 1) return false;
    value = text[0];
    return true;
  }
  static bool take(const Json& from, bool& value) {
    if (!from.is_boolean()) return false;
    value = from.get<bool>();
    return true;
  }
  static bool take(const Json& from, double& value) {
    if (!from.is_number()) return false;
    value = from.get<double>();
    return value >= 0;
  }
  template <std::unsigned_integral Number>
  static bool take(const Json& from, Number& value) {
    if (!from.is_number_unsigned()) return false;
    const auto wide = from.get<std::uint64_t>();
    value = static_cast<Number>(wide);
    return value == wide;
  }
  static bool take(const Json& from, std::array<std::uint32_t, 3>& value) {
    if (!from.is_array() || from.size() != value.size()) return false;
    for (std::size_t i = 0; i < value.size(); ++i) {
      if (!take(from[i], value[i])) return false;
    }
    return true;
  }
};

DeviceCaps caps_of(const Json& device, std::vector<std::string>& reasons) {
  DescriptionReader reader;
  DeviceCaps caps;
  visit_fields(caps, reader.from(device));
  const auto read_newer = [&](const char* name, auto& value) {  // missing in older files
    if (device.is_object() && device.contains(name)) reader.read(device, name, value);
  };
  read_newer("max_sparse_buffer_bytes", caps.max_sparse_buffer_bytes);
  read_newer("resident_groups", caps.resident_groups);
  std::string kind;
  reader.read(device, "type", kind);
  const auto found = std::find_if(std::begin(kDeviceKinds), std::end(kDeviceKinds),
                                  [&](DeviceKind row) { return to_string(row) == kind; });
  if (found == std::end(kDeviceKinds)) {
    reader.reasons.push_back(fmt::format("type '{}' is unknown", kind));
  } else {
    caps.kind = *found;
  }
  const auto lanes = [&](const char* name, std::uint32_t value) {
    if (std::has_single_bit(value) && value <= kMaxLanes) return;
    reader.reasons.push_back(
        fmt::format("{} = {} is not a power of two up to {}", name, value, kMaxLanes));
  };
  lanes("subgroup_size", caps.subgroup_size);
  lanes("min_subgroup_size", caps.min_subgroup_size);
  lanes("max_subgroup_size", caps.max_subgroup_size);
  for (const Json& row : array_in(device, "features", reader.reasons)) {
    for (std::size_t i = 0; i < kFeatureCount; ++i) {
      const auto feature = static_cast<Feature>(i);
      if (row == to_string(feature)) caps.features.add(feature);  // no kernel uses other features
    }
  }
  for (const Json& row : array_in(device, "matrix_shapes", reader.reasons)) {
    MatrixShape& shape = caps.matrix_shapes.emplace_back();
    visit_shape(shape, reader.from(row));
    if (shape.m > 0 && shape.n > 0 && shape.k > 0) continue;
    reader.reasons.push_back(
        fmt::format("matrix_shapes[{}] has no elements", caps.matrix_shapes.size() - 1));
  }
  for (const Json& row : array_in(device, "fragment_orders", reader.reasons)) {
    FragmentOrder& order = caps.fragment_orders.emplace_back();
    visit_order(order, reader.from(row));
    std::string places;
    reader.read(row, "places", places);
    const bool is_operand = order.use >= 'a' && order.use <= 'c';
    if (read_order(places, order) && is_operand && order.lanes <= kMaxLanes) continue;
    reader.reasons.push_back(fmt::format("fragment_orders[{}] does not give each element one place",
                                         caps.fragment_orders.size() - 1));
  }
  reasons = std::move(reader.reasons);
  return caps;
}

}  // namespace

std::vector<DescribedFragment> describe_fragments(const DeviceCaps& caps,
                                                  const std::string& why_missing) {
  std::vector<DescribedFragment> out;
  for (const gen::MatrixOperand& operand : gen::matrix_operands(caps)) {
    DescribedFragment& fragment = out.emplace_back();
    fragment.name = operand.name;
    fragment.reason = operand.why_not;
    if (!operand.probed) continue;
    const FragmentOrder* order = gen::find_order(caps, *operand.probed);
    if (order == nullptr) {
      fragment.was_looked_for = false;
      fragment.reason = "not known" + (why_missing.empty() ? why_missing : ": " + why_missing);
      continue;
    }
    const gen::OrderOrReason found = gen::fragment_layout(*order);
    fragment.reason = found.reason;
    if (!found.layout) continue;
    fragment.layout = to_string(*found.layout);
    const std::int64_t held = found.layout->size() / order->lanes;
    fragment.note = fmt::format(", {} lanes", order->lanes);
    if (gen::neighbours_along_k(*found.layout) >= held) {
      fragment.note += ", the elements of a lane are contiguous along k: plain loads work as well";
    }
  }
  return out;
}

std::string device_descriptions(const std::vector<DeviceDescription>& devices) {
  Json all = Json::array();
  for (const DeviceDescription& device : devices) all.push_back(to_json(device));
  const Json out = {{"schema", 1}, {"devices", all}};
  return out.dump(1, ' ', true, Json::error_handler_t::replace) + '\n';
}

DeviceCaps read_device_description(const std::filesystem::path& file) {
  const auto refuse = [&](const std::string& why) {
    throw ArgumentError(fmt::format("{}: {}", path_text(file), why));
  };
  const std::string what = "is not a description of devices written by 'devices --format json'";
  const std::string text = read_text_file(file);
  Json all;
  try {
    all = parse_json(text);
  } catch (const ArgumentError& error) {
    refuse(fmt::format("{}: {}", what, error.what()));
  }
  const bool has_devices = all.is_object() && all.contains("devices") && all["devices"].is_array();
  if (!has_devices || all.value("schema", Json()) != 1) refuse(what);
  const Json& devices = all["devices"];
  if (devices.size() != 1) {
    refuse(fmt::format("describes {} devices; keep only one of them", devices.size()));
  }
  std::vector<std::string> reasons;
  const DeviceCaps caps = caps_of(devices[0], reasons);
  if (!reasons.empty()) throw ArgumentError(with_reasons(path_text(file), reasons));
  return caps;
}

std::vector<ShippedDescription> shipped_descriptions() {
  namespace fs = std::filesystem;
  const fs::path program = system::program_file().parent_path(),
                 library = system::library_file().parent_path();
  std::vector<ShippedDescription> found;
  // VKMOYE_DEVICES_FROM_BIN, _LIB: from the folder of installed programs, and that of libraries, to the descriptions.
  const std::pair<fs::path, const char*> places[] = {{library, "devices"},
                                                     {library, VKMOYE_DEVICES_FROM_LIB},
                                                     {program, "devices"},
                                                     {program, VKMOYE_DEVICES_FROM_BIN}};
  for (const auto& [from, folder] : places) {
    std::error_code absent;
    if (from.empty()) continue;
    for (const auto& entry : fs::directory_iterator(from / folder, absent)) {
      const fs::path& file = entry.path();
      if (file.extension() == ".json") found.push_back({path_text(file.stem()), file});
    }
    if (!found.empty()) break;
  }
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return found;
}

}  // namespace vkmoye::bench
