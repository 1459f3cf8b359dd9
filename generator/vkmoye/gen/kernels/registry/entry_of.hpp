// SPDX-License-Identifier: MIT
#pragma once
// A row of the registry, made of what differs from kernel to kernel.
//
//   entry_of<Config>({.name = "copy/auto", .operation = "copy", .summary = "..", .source = "..",
//                     .types = every_type(), .fields = copy_auto_fields(),
//                     .defaults = [](const KernelRequest& request) { return Config{request.type}; },
//                     .describe = [](const Config& config, const KernelRequest&) { .. }});

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "vkmoye/gen/kernels/registry/registry.hpp"

namespace vkmoye::gen {

template <class Config>
struct KernelRow {
  std::string name, operation, summary, source;  // as in KernelEntry
  std::vector<ScalarType> types;
  std::vector<ConfigField<Config>> fields;  // what of the config `--NAME` replaces
  /// The config for a request without options.
  std::function<Config(const KernelRequest&)> defaults;
  std::function<ir::Kernel(const Config&, const KernelRequest&)> describe;
  /// See KernelEntry::refuse.
  std::function<std::vector<std::string>(const Config&, const KernelRequest&)> refuse = {};
  /// See KernelEntry::probes.
  std::function<std::vector<ProbedMatrix>(const Config&, const KernelRequest&)> probes = {};
};

/// Every element type there is: of kernels that move elements and do not look at them.
std::vector<ScalarType> every_type();

/// Why there is no kernel for elements of `type`; empty: there is.
std::vector<std::string> reasons_against_type(const std::vector<ScalarType>& types,
                                              ScalarType type);

/// Bytes of shared memory that a workgroup on `device` has; 32 KiB where it does not say.
inline std::int64_t shared_bytes_of(const DeviceCaps& device) {
  constexpr std::int64_t kUsual = 32768;
  return device.max_shared_bytes == 0 ? kUsual : device.max_shared_bytes;
}

template <class Config>
KernelEntry entry_of(KernelRow<Config> row) {
  KernelEntry entry{row.name, row.operation, row.summary, row.source, row.types, {}, {}};
  const Config usual = row.defaults(request_of(row.types.front()));
  for (const auto& field : row.fields) {
    entry.options.push_back({field.name, field.show(usual), field.help, field.expects});
  }
  const auto read = [types = row.types, fields = row.fields, defaults = row.defaults](
                        const KernelRequest& request, std::vector<std::string>& reasons) {
    reasons = reasons_against_type(types, request.type);
    Config config = defaults(request);
    for (std::string& reason : read_fields(fields, request.options, config)) {
      reasons.push_back(std::move(reason));
    }
    return config;
  };
  if (row.refuse) {
    entry.refuse = [read, refuse = row.refuse](const KernelRequest& request) {
      std::vector<std::string> reasons;
      const Config config = read(request, reasons);
      return reasons.empty() ? refuse(config, request) : reasons;
    };
  }
  if (row.probes) {
    entry.probes = [read, probes = row.probes](const KernelRequest& request) {
      std::vector<std::string> reasons;
      const Config config = read(request, reasons);
      return reasons.empty() ? probes(config, request) : std::vector<ProbedMatrix>();
    };
  }
  entry.describe = [read, name = row.name, describe = row.describe](const KernelRequest& request) {
    std::vector<std::string> reasons;
    const Config config = read(request, reasons);
    throw_if_any(name, std::move(reasons));
    return describe(config, request);
  };
  return entry;
}

}  // namespace vkmoye::gen
