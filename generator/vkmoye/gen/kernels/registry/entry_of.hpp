// SPDX-License-Identifier: MIT
#pragma once
// Makes a registry entry from the parts that differ between kernels.
//
//   entry_of<Config>({.name = "copy/auto", .operation = "copy", .summary = "..", .source = "..",
//                     .types = every_type(), .fields = copy_auto_fields(),
//                     .defaults = [](const KernelRequest& request) { return Config{request.type}; },
//                     .describe = [](const Config& config, const KernelRequest&) { .. }});

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "vkmoye/gen/kernels/registry/registry.hpp"

namespace vkmoye::gen {

/// Options of a command line in their order; those without a value are switches.
using OptionList = std::vector<std::pair<std::string, std::string>>;

/// --type of a request and, if it has a shape, --size. nullopt for the shape of a single number.
std::optional<OptionList> options_of_elements(const KernelRequest& request);

template <class Config>
struct EntryParts {
  std::string name, operation = {}, summary, source;  // as in KernelEntry
  std::vector<ScalarType> types;
  std::vector<ConfigField<Config>> fields;  // the config values that `--NAME` replaces
  /// The config for a request without options.
  std::function<Config(const KernelRequest&)> defaults;
  std::function<ir::Kernel(const Config&, const KernelRequest&)> describe;
  /// See KernelEntry::refuse.
  std::function<std::vector<std::string>(const Config&, const KernelRequest&)> refuse = {};
  /// See KernelEntry::probes.
  std::function<std::vector<ProbedMatrix>(const Config&, const KernelRequest&)> probes = {};
  /// How a command line states the problem of a request; nullopt if it cannot.
  std::function<std::optional<OptionList>(const KernelRequest&)> problem = options_of_elements;
  bool converts = false;                  // see KernelEntry::converts
  bool takes_packed = false;              // see KernelEntry::takes_packed
  const WeightFormat* weights = nullptr;  // see KernelEntry::weights
  /// See KernelEntry::plan.
  std::function<KernelPlan(const Config&, const KernelRequest&)> plan = {};
};

/// All element types, for kernels that only move elements.
std::vector<ScalarType> every_type();

/// Why there is no kernel for elements of `type`; empty if there is one.
std::vector<std::string> reasons_against_type(const std::vector<ScalarType>& types,
                                              ScalarType type);

/// Why `entry` has no kernel for the types of `request`; empty if it has one.
std::vector<std::string> reasons_against_types(const KernelEntry& entry,
                                               const KernelRequest& request);

/// The command that prints kernel `name` for a problem with these `options`:
/// "vkmoye-bench emit transpose/padded --type f32 --pad 2". Empty if `problem` is nullopt.
std::string emit_command(const std::string& name, const std::optional<OptionList>& problem,
                         const Options& options);

/// Bytes of shared memory of a workgroup on `device`; 32 KiB if it is unknown.
inline std::int64_t shared_bytes_of(const DeviceCaps& device) {
  constexpr std::int64_t kUsual = 32768;
  return device.max_shared_bytes == 0 ? kUsual : device.max_shared_bytes;
}

template <class Config>
KernelEntry entry_of(EntryParts<Config> parts) {
  KernelEntry entry{parts.name, parts.operation, parts.summary, parts.source, parts.types, {}, {}};
  entry.converts = parts.converts;
  entry.takes_packed = parts.takes_packed;
  entry.weights = parts.weights;
  const Config usual = parts.defaults(request_of(parts.types.front()));
  for (const auto& field : parts.fields) {
    entry.options.push_back(
        {field.name, field.show(usual), field.help, field.expects, field.changes_result});
  }
  const auto read = [entry, fields = parts.fields, defaults = parts.defaults](
                        const KernelRequest& request, std::vector<std::string>& reasons) {
    reasons = reasons_against_types(entry, request);
    Config config = defaults(request);
    for (std::string& reason : read_fields(fields, request.options, config)) {
      reasons.push_back(std::move(reason));
    }
    return config;
  };
  if (parts.refuse) {
    entry.refuse = [read, refuse = parts.refuse, weights = parts.weights](KernelRequest request) {
      request.gemm = with_weights(weights, std::move(request.gemm));
      std::vector<std::string> reasons;
      const Config config = read(request, reasons);
      return reasons.empty() ? refuse(config, request) : reasons;
    };
  }
  if (parts.probes) {
    entry.probes = [read, probes = parts.probes](const KernelRequest& request) {
      std::vector<std::string> reasons;
      const Config config = read(request, reasons);
      return reasons.empty() ? probes(config, request) : std::vector<ProbedMatrix>();
    };
  }
  if (parts.plan) {
    entry.plan = [read, name = parts.name, plan = parts.plan](const KernelRequest& request) {
      std::vector<std::string> reasons;
      const Config config = read(request, reasons);
      throw_if_any(name, std::move(reasons));
      return plan(config, request);
    };
  }
  entry.describe = [read, parts](KernelRequest request) {
    request.gemm = with_weights(parts.weights, std::move(request.gemm));
    std::vector<std::string> reasons;
    const Config config = read(request, reasons);
    throw_if_any(parts.name, std::move(reasons));
    ir::Kernel kernel = parts.describe(config, request);
    if (!kernel.command.empty()) return kernel;
    // The options of the request, and what was chosen because of its device: emit knows none.
    KernelRequest without = {request.type, {}, request.gemm, request.shape};
    without.attention = request.attention;
    Config usual = parts.defaults(without);
    read_fields(parts.fields, request.options, usual);
    Options options;
    for (const auto& field : parts.fields) {
      const std::string value = field.show(config);
      if (request.options.count(field.name) > 0 || value != field.show(usual)) {
        options[field.name] = value;
      }
    }
    kernel.command = emit_command(parts.name, parts.problem(request), options);
    return kernel;
  };
  return entry;
}

}  // namespace vkmoye::gen
