#include "vkmoye/gen/kernels/gemm_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/kernels/gemm.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye::gen {
namespace {

// "128x128x8" -> 128, 128, 8; nothing where a part is no number.
std::optional<std::vector<std::int64_t>> numbers(std::string_view text, char between) {
  std::vector<std::int64_t> out;
  while (true) {
    const auto end = std::min(text.find(between), text.size());
    std::int64_t value = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + end, value);
    if (error != std::errc() || stop != text.data() + end) return std::nullopt;
    out.push_back(value);
    if (end == text.size()) return out;
    text.remove_prefix(end + 1);
  }
}

// One option: how it is shown, and how its text changes a config; false: it cannot be read.
struct Field {
  const char* name;
  const char* help;
  std::string (*show)(const GemmConfig&);
  bool (*read)(const std::string& text, GemmConfig&);
};

template <std::int64_t GemmConfig::*... members>
bool read_numbers(const std::string& text, char between, GemmConfig& config) {
  const auto values = numbers(text, between);
  if (!values || values->size() != sizeof...(members)) return false;
  std::size_t i = 0;
  ((config.*members = (*values)[i++]), ...);
  return true;
}

const Field kFields[] = {
    {"tile", "MxNxK: elements of C that one workgroup sums up, and of k that it stages",
     [](const GemmConfig& c) { return fmt::format("{}x{}x{}", c.tile_m, c.tile_n, c.tile_k); },
     [](const std::string& text, GemmConfig& c) {
       return read_numbers<&GemmConfig::tile_m, &GemmConfig::tile_n, &GemmConfig::tile_k>(text, 'x',
                                                                                          c);
     }},
    {"threads", "layout of a workgroup's threads over (m, n)",
     [](const GemmConfig& c) { return to_string(c.threads); },
     [](const std::string& text, GemmConfig& c) {
       if (const auto extents = numbers(text, 'x')) {
         if (extents->size() != 2 || (*extents)[0] < 1 || (*extents)[1] < 1) return false;
         c.threads = Layout(IntTuple{(*extents)[0], (*extents)[1]});
         return true;
       }
       c.threads = parse_layout(text);
       return true;
     }},
    {"values", "MxN: neighbouring elements of C that one thread has",
     [](const GemmConfig& c) { return fmt::format("{}x{}", c.values_m, c.values_n); },
     [](const std::string& text, GemmConfig& c) {
       return read_numbers<&GemmConfig::values_m, &GemmConfig::values_n>(text, 'x', c);
     }},
    {"pad", "A,B: elements after each column of the shared tiles",
     [](const GemmConfig& c) { return fmt::format("{},{}", c.pad_a, c.pad_b); },
     [](const std::string& text, GemmConfig& c) {
       return read_numbers<&GemmConfig::pad_a, &GemmConfig::pad_b>(text, ',', c);
     }},
    {"stages", "shared tiles of A and of B: 1, or 2 that take turns",
     [](const GemmConfig& c) { return std::to_string(c.stages); },
     [](const std::string& text, GemmConfig& c) {
       return read_numbers<&GemmConfig::stages>(text, ',', c);
     }},
    {"prefetch", "yes: the next tiles wait in registers while these are multiplied",
     [](const GemmConfig& c) { return std::string(c.prefetch ? "yes" : "no"); },
     [](const std::string& text, GemmConfig& c) {
       c.prefetch = text == "yes";
       return text == "yes" || text == "no";
     }},
    {"fragments", "of A and of B in registers: 1, or 2 that take turns",
     [](const GemmConfig& c) { return std::to_string(c.fragments); },
     [](const std::string& text, GemmConfig& c) {
       return read_numbers<&GemmConfig::fragments>(text, ',', c);
     }},
    {"unroll", "steps of k that the compiler repeats; 0: a whole tile",
     [](const GemmConfig& c) { return std::to_string(c.unroll); },
     [](const std::string& text, GemmConfig& c) {
       return read_numbers<&GemmConfig::unroll>(text, ',', c);
     }},
    {"vector", "bytes that a thread moves at once from and to memory, at most",
     [](const GemmConfig& c) { return std::to_string(c.vector_bytes); },
     [](const std::string& text, GemmConfig& c) {
       return read_numbers<&GemmConfig::vector_bytes>(text, ',', c);
     }},
};

GemmConfig read(GemmConfig config, const Options& options, std::vector<std::string>& reasons) {
  for (const auto& option : options) {
    const std::string &name = option.first, &text = option.second;
    const auto field = std::find_if(std::begin(kFields), std::end(kFields),
                                    [&](const Field& row) { return row.name == name; });
    if (field == std::end(kFields)) {
      std::vector<std::string> names;
      for (const Field& row : kFields) names.emplace_back(row.name);
      reasons.push_back(
          fmt::format("there is no option '{}'; there are {}", name, join(names, ", ")));
      continue;
    }
    try {
      if (!field->read(text, config)) {
        reasons.push_back(fmt::format("{} '{}' cannot be read; it is {}", name, text, field->help));
      }
    } catch (const LayoutError& error) {
      reasons.push_back(fmt::format("{} '{}': {}", name, text, error.what()));
    }
  }
  return config;
}

KernelEntry row(const char* name, const char* summary, const char* source,
                GemmConfig (*defaults)(const Request&)) {
  KernelEntry entry;
  entry.name = name;
  entry.operation = Operation::gemm;
  entry.summary = summary;
  entry.source = source;
  entry.types = {ScalarType::f16, ScalarType::f32, ScalarType::f64, ScalarType::i32};
  for (const Field& field : kFields) {
    entry.options.push_back({field.name, field.show(defaults({})), field.help});
  }
  entry.describe = [defaults, kernel = entry.name](const Request& request) {
    std::vector<std::string> reasons;
    const GemmConfig config = read(defaults(request), request.options, reasons);
    if (!reasons.empty()) throw KernelError(kernel, std::move(reasons));
    return gemm(config, request.gemm, kernel);
  };
  return entry;
}

GemmConfig moye_simple(const Request&) { return {}; }

GemmConfig moye_prefetch(const Request&) {
  GemmConfig config;
  config.threads = Layout(IntTuple{32, 8});
  config.pad_a = config.pad_b = 1;
  config.prefetch = true;
  return config;
}

// The fastest of a sweep on an H200. f32: 8 x 16 sums in each of 128 threads read 6 vectors of
// shared memory for 128 multiply-adds. f64: 8 x 8, as registers allow.
GemmConfig simt(const Request& request) {
  GemmConfig config;
  config.threads = make_layout({{8, 2}, {4, 2}}, {{1, 32}, {8, 64}});  // a subgroup of 32: 8 x 4
  config.values_m = config.values_n = 4;
  config.pad_a = config.pad_b = 4;
  config.stages = config.fragments = 2;
  config.prefetch = true;
  config.vector_bytes = 16;
  if (request.gemm.operand != ScalarType::f64) return config;
  config.threads = make_layout({{8, 2}, {4, 4}}, {{1, 32}, {8, 64}});
  config.values_m = config.values_n = 2;
  config.pad_a = config.pad_b = 2;
  constexpr std::uint64_t kOfLargeTile = 2 * (130 + 130) * 8 * sizeof(double);
  if (request.shared_bytes < kOfLargeTile) config.tile_n = 64;
  return config;
}

}  // namespace

std::vector<KernelEntry> gemm_rows() {
  return {row("gemm/moye_simple", "copy a tile of each operand, multiply, repeat",
              "MoYe.jl, matrix multiplication tutorial", moye_simple),
          row("gemm/moye_prefetch", "the next tiles travel in registers meanwhile",
              "MoYe.jl, TiledMMA tutorial", moye_prefetch),
          row("gemm/simt", "vectors, two shared tiles, subgroups in a square",
              "CUTLASS, efficient GEMM", simt)};
}

}  // namespace vkmoye::gen
