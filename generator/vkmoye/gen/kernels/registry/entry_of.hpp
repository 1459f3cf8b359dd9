// SPDX-License-Identifier: MIT
#pragma once
// Makes a registry entry from the parts that differ between kernels. A kernel is described for forms of one kind.
//
//   entry_of<Config>({.name = "copy/auto", .operation = "copy", .summary = "..", .source = "..",
//                     .types = every_type(), .fields = copy_auto_fields(),
//                     .defaults = [](const auto& request) { return Config{request.form.type}; },
//                     .describe = [](const Config& config, const auto& request) { .. }});

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "vkmoye/gen/kernels/registry/registry.hpp"

namespace vkmoye::gen {

/// Options of a command line in their order; those without a value are switches.
using OptionList = std::vector<std::pair<std::string, std::string>>;

/// How a command line states a form: its types and sizes; nullopt if it cannot: the shape of a single number, a step of
/// an epilogue of the user's own. Numbers that kernels take at run time are examples.
std::optional<OptionList> command_options(const ElementsForm& form);
std::optional<OptionList> command_options(const GemmProduct& form);
std::optional<OptionList> command_options(const TypedAttention& form);

/// The form of the problem for which `emit` prints a kernel, given these options: those of a product state no size, so
/// it takes its example.
inline const ElementsForm& form_of_command(const ElementsForm& form) { return form; }
inline GemmProduct form_of_command(const GemmProduct& form) {
  return {form, kProductExample, form.batched ? 2 : 1};
}
inline const TypedAttention& form_of_command(const TypedAttention& form) { return form; }

template <class Config, class Kind = ElementsForm>
struct EntryParts {
  using Request = TypedRequest<Kind>;

  std::string name, operation = {}, summary, source;  // as in KernelEntry
  std::vector<ScalarType> types;
  std::vector<ConfigField<Config>> fields = {};  // the config values that `--NAME` replaces
  /// The config for a request without options.
  std::function<Config(const Request&)> defaults;
  std::function<ir::Kernel(const Config&, const Request&)> describe = {};
  /// See KernelEntry::refuse.
  std::function<std::vector<std::string>(const Config&, const Request&)> refuse = {};
  /// See KernelEntry::probes.
  std::function<std::vector<ProbedMatrix>(const Config&, const Request&)> probes = {};
  bool converts = false;                  // see KernelEntry::converts
  bool takes_packed = false;              // see KernelEntry::takes_packed
  const WeightFormat* weights = nullptr;  // see KernelEntry::weights
  /// See KernelEntry::in_slices.
  std::function<KernelPlan(const Config&, const Request&)> in_slices = {};
};

/// All element types, for kernels that only move elements.
std::vector<ScalarType> every_type();

/// Why there is no kernel for elements of `type`; empty if there is one.
std::vector<std::string> reasons_against_type(const std::vector<ScalarType>& types,
                                              ScalarType type);

/// Why `entry` has no kernel for the types of `form`; empty if it has one.
std::vector<std::string> reasons_against_types(const KernelEntry& entry, const Form& form);

/// The command that prints kernel `name` for a problem with these `options`:
/// "vkmoye-bench emit transpose/padded --type f32 --pad 2". Empty if `problem` is nullopt.
std::string emit_command(const std::string& name, const std::optional<OptionList>& problem,
                         const Options& options);

/// Bytes of shared memory of a workgroup on `device`; 32 KiB if it is unknown.
inline std::int64_t shared_bytes_of(const DeviceCaps& device) {
  constexpr std::int64_t kUsual = 32768;
  return device.max_shared_bytes == 0 ? kUsual : device.max_shared_bytes;
}

template <class Config, class Kind = ElementsForm>
KernelEntry entry_of(EntryParts<Config, Kind> parts) {
  using Request = TypedRequest<Kind>;
  using Reasons = std::vector<std::string>;
  KernelEntry entry{parts.name, parts.operation, parts.summary, parts.source, parts.types, {}, {}};
  entry.converts = parts.converts;
  entry.takes_packed = parts.takes_packed;
  entry.weights = parts.weights;
  const KernelRequest first = {.form = parts.types.front()};
  const Config usual = parts.defaults(typed_request<Kind>(parts.name, parts.weights, first));
  for (const auto& field : parts.fields) {
    entry.options.push_back({field.name, field.show(usual), field.help, field.expects,
                             field.changes_result, field.choices});
  }
  const auto typed = [name = parts.name, weights = parts.weights](const KernelRequest& request) {
    return typed_request<Kind>(name, weights, request);
  };
  const auto read = [entry, fields = parts.fields, defaults = parts.defaults](
                        const Request& request, Reasons& reasons) {
    reasons = reasons_against_types(entry, request.form);
    Config config = defaults(request);
    for (std::string& reason : read_fields(fields, request.options, config)) {
      reasons.push_back(std::move(reason));
    }
    return config;
  };
  // The config, or KernelError with every reason.
  const auto config_of = [read, name = parts.name](const Request& request) {
    Reasons reasons;
    Config config = read(request, reasons);
    throw_if_any(name, std::move(reasons));
    return config;
  };
  if (parts.refuse) {
    entry.refuse = [typed, read, refuse = parts.refuse](const KernelRequest& untyped) {
      const Request request = typed(untyped);
      Reasons reasons;
      const Config config = read(request, reasons);
      return reasons.empty() ? refuse(config, request) : reasons;
    };
  }
  if (parts.probes) {
    entry.probes = [typed, read, probes = parts.probes](const KernelRequest& untyped) {
      const Request request = typed(untyped);
      Reasons reasons;
      const Config config = read(request, reasons);
      return reasons.empty() ? probes(config, request) : std::vector<ProbedMatrix>();
    };
  }
  entry.describe = [typed, config_of, parts](const KernelRequest& untyped) {
    const Request request = typed(untyped);
    const Config config = config_of(request);
    ir::Kernel kernel = parts.describe(config, request);
    if (!kernel.command.empty()) return kernel;
    // The options of the request, and what was chosen for its device, which emit does not know.
    const Options no_options;
    const DeviceCaps no_device = common_device();
    Config usual = parts.defaults(Request{form_of_command(request.form), no_options, no_device});
    read_fields(parts.fields, request.options, usual);
    Options options;
    for (const auto& field : parts.fields) {
      const std::string value = field.show(config);
      if (request.options.count(field.name) > 0 || value != field.show(usual)) {
        options[field.name] = value;
      }
    }
    kernel.command = emit_command(parts.name, command_options(request.form), options);
    return kernel;
  };
  if (parts.in_slices) {
    entry.in_slices = [typed, config_of, plan = parts.in_slices](const KernelRequest& untyped) {
      const Request request = typed(untyped);
      return plan(config_of(request), request);
    };
  }
  return entry;
}

}  // namespace vkmoye::gen
