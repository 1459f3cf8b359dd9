// SPDX-License-Identifier: MIT
#include "workloads/tuned_entry.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/problems/products/options.hpp"

namespace vkmoye::bench {
namespace {

using gen::GemmQuantity;
using gen::GemmRange;

Json json_of(const GemmRange& range) {
  if (range.min == range.max) return range.min;
  const GemmRange any{range.quantity};
  return Json::array({range.min == any.min ? Json() : Json(range.min),
                      range.max == any.max ? Json() : Json(range.max)});
}

Json json_of(const gen::GemmWhere& where) {
  Json json = Json::object();
  for (const GemmRange& range : where.ranges) json[to_string(range.quantity)] = json_of(range);
  if (where.a != 0) json["a"] = std::string(1, where.a);
  if (where.b != 0) json["b"] = std::string(1, where.b);
  if (where.beta) json["beta"] = *where.beta;
  if (where.epilogue) json["epilogue"] = *where.epilogue;
  return json;
}

// Reads the members of an entry, and collects all errors.
struct Reader {
  gen::GemmTableEntry entry = {};
  std::vector<std::string> wrong = {};

  void refuse(const std::string& path, const std::string& why) {
    wrong.push_back(fmt::format("{} {}", path, why));
  }

  std::vector<std::string> texts(const std::string& path, const Json& json) {
    std::vector<std::string> out;
    const bool are_texts = json.is_array() && std::all_of(json.begin(), json.end(), [](auto& one) {
                             return one.is_string();
                           });
    if (!are_texts) refuse(path, "is not an array of strings");
    if (are_texts) out = json.get<std::vector<std::string>>();
    return out;
  }

  std::string text(const std::string& path, const Json& json) {
    const std::string* found = text_in(json);
    if (found == nullptr) refuse(path, "is not a string");
    return found == nullptr ? "" : *found;
  }

  void read_types(const Json& json) {
    for (const std::string& name : texts("types", json)) {
      const auto parts = split(name, ',').size();
      if (parts != 2 && parts != 3) {
        refuse("types:", fmt::format("'{}' is neither operands,accumulator nor "
                                     "operands,accumulator,result",
                                     name));
        continue;
      }
      try {
        const gen::GemmOptions types = gen::parse_gemm_type(name);
        entry.types.push_back({types.a_type, types.b_type, types.accumulator, {}, types.weights});
        if (parts == 3) entry.types.back().result = types.result;
      } catch (const Error& error) {
        refuse("types:", error.what());
      }
    }
  }

  void read_range(GemmQuantity quantity, const Json& json) {
    GemmRange range{quantity};
    const auto bound = [&](const Json& one, std::int64_t& value) {
      const auto whole = whole_in(one);
      if (whole) value = *whole;
      return whole || one.is_null();
    };
    bool is_range = false;
    if (const auto whole = whole_in(json)) {
      range.min = range.max = *whole;
      is_range = true;
    } else if (json.is_array() && json.size() == 2) {
      is_range = bound(json[0], range.min) && bound(json[1], range.max);
    }
    if (!is_range) {
      refuse(fmt::format("where.{}", to_string(quantity)),
             "is neither a whole number nor [least, most], null for no bound");
    }
    entry.where.ranges.push_back(range);
  }

  void read_contiguous(const std::string& path, const Json& json, char other, char& index) {
    const std::string* found = text_in(json);
    if (found != nullptr && (*found == "k" || *found == std::string(1, other))) {
      index = found->front();
    } else {
      refuse(path, fmt::format(R"(is neither "k" nor "{}")", other));
    }
  }

  void read_epilogue(const Json& json) {
    entry.where.epilogue = texts("where.epilogue", json);
    for (const std::string& name : *entry.where.epilogue) {
      if (gen::find_epilogue_op(name) != nullptr) continue;
      std::vector<std::string> names;
      for (const gen::EpilogueOp& step : gen::epilogue_ops()) names.push_back(step.name);
      refuse("where.epilogue:",
             fmt::format("there is no step '{}'; known: {}", name, join(names, ", ")));
    }
  }

  void read_condition(const std::string& name, const Json& json) {
    std::vector<std::string> names;
    for (int i = 0; i < static_cast<int>(GemmQuantity::count); ++i) {
      const auto quantity = static_cast<GemmQuantity>(i);
      if (name == to_string(quantity)) return read_range(quantity, json);
      names.emplace_back(to_string(quantity));
    }
    if (name == "a") return read_contiguous("where.a", json, 'm', entry.where.a);
    if (name == "b") return read_contiguous("where.b", json, 'n', entry.where.b);
    if (name == "epilogue") return read_epilogue(json);
    if (name == "beta" && json.is_boolean()) {
      entry.where.beta = json.get<bool>();
    } else if (name == "beta") {
      refuse("where.beta", "is neither true nor false");
    } else {
      names.insert(names.end(), {"a", "b", "beta", "epilogue"});
      refuse("where:", fmt::format("there is no '{}'; known: {}", name, join(names, ", ")));
    }
  }

  void read(const std::string& name, const Json& json) {
    if (name == "devices") {
      entry.devices = texts(name, json);
    } else if (name == "types") {
      read_types(json);
    } else if (name == "where" || name == "options") {
      if (!json.is_object()) return refuse(name, "is not an object");
      for (const auto& [key, value] : json.items()) {
        if (name == "where") read_condition(key, value);
        if (name == "options") entry.options[key] = text(fmt::format("options.{}", key), value);
      }
    } else if (name == "kernel") {
      entry.kernel = text(name, json);
    } else if (name == "why") {
      entry.why = text(name, json);
    } else {
      refuse(fmt::format("there is no '{}';", name),
             "known: devices, types, where, kernel, options, why");
    }
  }
};

}  // namespace

Json json_of(const gen::GemmTableEntry& entry) {
  Json json = Json::object();
  if (!entry.devices.empty()) json["devices"] = entry.devices;
  for (const gen::GemmTypes& types : entry.types) json["types"].push_back(to_string(types));
  if (entry.where != gen::GemmWhere{}) json["where"] = json_of(entry.where);
  json["kernel"] = entry.kernel;
  if (!entry.options.empty()) json["options"] = entry.options;
  json["why"] = entry.why;
  return json;
}

gen::GemmTableEntry table_entry_of(const Json& json) {
  if (!json.is_object()) throw ArgumentError("is not an object");
  Reader reader;
  for (const auto& [name, value] : json.items()) reader.read(name, value);
  const std::vector<std::string> names = reasons_against_names(reader.entry);
  reader.wrong.insert(reader.wrong.end(), names.begin(), names.end());
  if (!reader.wrong.empty()) throw ArgumentError(join(reader.wrong, "; "));
  return reader.entry;
}

}  // namespace vkmoye::bench
