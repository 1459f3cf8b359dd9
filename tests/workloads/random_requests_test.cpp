// SPDX-License-Identifier: MIT
// What the checks of a kernel accept is described: every kernel of the registry, with random options, problems and
// types, for every device that vkmoye has a description of, and for fakes. The kernels are not verified here.
//
//   VKMOYE_REQUESTS=5000   number of requests for each kernel (20; tools/test all 200, tools/test long 2000)
//   VKMOYE_SEED=7          seed (1)
//   VKMOYE_REQUEST=417     only this request of each kernel

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "devices/description.hpp"
#include "io/parse.hpp"
#include "registry/operations.hpp"
#include "support/effort.hpp"
#include "support/expect.hpp"
#include "support/fake_devices.hpp"
#include "support/fragment_orders.hpp"
#include "support/number_in.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/dsl/unverified.hpp"
#include "workloads/workload.hpp"

namespace vkmoye::bench {
namespace {

using Names = std::vector<std::string>;

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}
  std::size_t below(std::size_t end) { return static_cast<std::size_t>(random_() % end); }
  bool one_in(std::size_t count) { return below(count) == 0; }
  template <class T>
  const T& of(const std::vector<T>& values) {
    return values[below(values.size())];
  }

 private:
  std::mt19937_64 random_;
};

const std::vector<DeviceCaps>& devices() {
  static const std::vector<DeviceCaps> all = [] {
    std::vector<DeviceCaps> found = {test::lavapipe_like(), test::h200_like(), test::rdna3_like(),
                                     test::poor()};
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(VKMOYE_DESCRIPTIONS)) {
      if (entry.path().extension() == ".json") files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    for (const auto& file : files) found.push_back(read_device_description(file));
    return found;
  }();
  return all;
}

// Values of options of a problem. Flags and words are read from what an option expects.
const std::map<std::string, Names>& values_of_problems() {
  static const std::map<std::string, Names> table = {
      {"batch", {"2"}},
      {"experts", {"3"}},
      {"split-k", {"2", "5"}},
      {"beta", {"0.5"}},
      {"a", {"m"}},
      {"b", {"n"}},
      {"c", {"m"}},
      {"alpha", {"2"}},
      {"epilogue", {"relu", "bias,gelu", "residual", "residual_c", "scale_m,scale_n", "bias_m"}},
      {"packed", {"a", "b", "ab"}},
      {"heads", {"4"}},
      {"kv-heads", {"1", "2"}},
      {"value-width", {"40", "64", "128"}},
      {"values-in-keys", {"8", "64"}},
      {"mask", {"f32", "f16", "bf16"}},
      {"axes", {"bshd", "bhsd,bshd,bshd,bhsd"}},
      {"window", {"1", "33"}},
      {"page", {"16", "64"}},
      {"soft-cap", {"20"}},
      {"permute", {"0,1", "1,0", "2,0,1", "0,2,1"}},
      {"k", {"1", "8", "64"}},
      {"axis", {"0", "1"}}};
  return table;
}

const Names& types_of_products() {
  static const Names types = {"f32",
                              "f64",
                              "i32",
                              "f16",
                              "f16,f32",
                              "f16,f16",
                              "bf16",
                              "bf16*f32",
                              "f32*f16",
                              "i8",
                              "u8",
                              "i8,i32,f16",
                              "f16*q4_0,f32",
                              "f32*q8_0",
                              "bf16*q4_1,f32",
                              "f32*i4g32",
                              "f16*i4g128,f32",
                              "f16*nf4,f32",
                              "bf16*e4m3g128,f32",
                              "f16*i8,f32",
                              "f16*q8_0",
                              "f16*q5_0,f32",
                              "f16*q4_K,f32",
                              "f32*q6_K",
                              "bf16*iq4_xs,f32"};
  return types;
}

std::string random_type(const gen::KernelEntry& entry, Draw& draw) {
  if (entry.operation == "gemm") return draw.of(types_of_products());
  const std::string type(to_string(draw.of(entry.types)));
  if (entry.operation == "attention" && draw.one_in(3)) {
    return type + draw.of(Names{"*f16", "*q8_0", "*q8_0*q5_1", "*iq4_nl", "*e4m3"});
  }
  if (entry.converts && draw.one_in(2)) return type + "*" + draw.of(Names{"f32", "f16", "e5m2"});
  return type;
}

// A value for an option with the default `usual`, by what it expects: words, numbers, layouts.
std::optional<std::string> random_value(const std::string& expects, const std::string& usual,
                                        Draw& draw) {
  if (expects.find("whole number") != std::string::npos) {
    const char between = usual.find(',') != std::string::npos ? ',' : 'x';
    Names parts = split(usual, between);
    for (std::string& part : parts) {
      const auto number = parse_count(part, 0);
      if (draw.one_in(3)) continue;
      if (number && *number > 0 && draw.one_in(2)) {
        part = std::to_string(draw.one_in(2) ? 2 * *number : (*number + 1) / 2);
      } else {
        part = draw.of(Names{"0", "1", "2", "3", "4", "8", "16", "32", "64", "128", "256", "1024"});
      }
    }
    return join(parts, std::string(1, between));
  }
  if (expects.find("layout") != std::string::npos) {
    const Names extents = {"1", "2", "4", "8", "16", "32"};
    return draw.of(extents) + "x" + draw.of(extents);
  }
  Names words;
  for (const std::string& part : split(expects, ' ')) {
    const std::string word = part.substr(0, part.find(','));
    if (word != "or") words.push_back(word);
  }
  const bool are_words = expects.find(" or ") != std::string::npos && words.size() <= 5;
  return are_words ? std::optional(draw.of(words)) : std::nullopt;
}

struct Request {
  gen::ProblemText spec;
  Extents size;

  std::string text() const {
    std::string out =
        fmt::format("run {} --type {} --size {}", spec.entry->name, spec.type, size_text(size));
    for (const auto* options : {&spec.config, &spec.values}) {
      for (const auto& [name, value] : *options) out += fmt::format(" --{} {}", name, value);
    }
    return out;
  }
};

// A shape of up to 20 axes, and a permutation of them.
Extents random_shape(Draw& draw, gen::Options& config) {
  Extents shape;
  Names axes;
  std::int64_t elements = 1;
  const std::size_t rank = 2 + draw.below(draw.one_in(2) ? 3 : 19);
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t largest = elements > 1 << 16 ? 2 : rank < 5 ? 300 : 5;
    shape.push_back(1 + static_cast<std::int64_t>(draw.below(static_cast<std::size_t>(largest))));
    elements *= shape.back();
    axes.insert(axes.begin() + static_cast<std::ptrdiff_t>(draw.below(i + 1)), std::to_string(i));
  }
  config.erase("permute");
  if (!draw.one_in(3)) config["permute"] = join(axes, ",");
  return shape;
}

Request random_request(const gen::KernelEntry& entry, Draw& draw) {
  Request request;
  request.spec = {&entry, random_type(entry, draw), {}, {}};
  const Operation& operation = operation_of(entry);
  for (const gen::OperationOption& option : operation.options) {
    if (!draw.one_in(5)) continue;
    const auto row = values_of_problems().find(option.name);
    if (option.is_flag) {
      request.spec.values[option.name] = "yes";
    } else if (row != values_of_problems().end()) {
      request.spec.values[option.name] = draw.of(row->second);
    } else if (const auto value = random_value(option.expects, "1", draw)) {
      request.spec.values[option.name] = *value;
    }
  }
  const std::size_t few = std::max<std::size_t>(1, entry.options.size() / 2);
  for (const gen::KernelOption& option : entry.options) {
    if (!draw.one_in(few)) continue;
    const auto row = values_of_problems().find(option.name);
    if (option.changes_result && row != values_of_problems().end()) {
      request.spec.config[option.name] = draw.of(row->second);
    } else if (const auto value = random_value(option.expects, option.value, draw)) {
      request.spec.config[option.name] = *value;
    }
  }
  const std::vector<Extents> sizes = {{64}, {1}, {33}, {128}, {256}, {4096}};
  if (operation.size.any_rank) {
    request.size = random_shape(draw, request.spec.config);
    return request;
  }
  request.size = gen::size_of_form(operation.size, draw.of(sizes));
  if (request.size.size() > 1 && draw.one_in(2)) request.size[draw.below(2)] = draw.of(sizes)[0];
  if (entry.operation == "attention") request.size.back() = draw.of(sizes)[0];
  request.size = in_whole_blocks(entry, request.size);
  return request;
}

enum class Answer { refused, described };

// Throws std::runtime_error with the fault: a kernel that the checks accept and that cannot be described.
Answer answer_to(const Request& request, DeviceCaps caps) {
  const gen::KernelEntry& entry = *request.spec.entry;
  Workload workload;
  try {
    workload = workload_of(request.spec, request.size);
  } catch (const ArgumentError&) {
    return Answer::refused;
  } catch (const KernelError&) {
    return Answer::refused;
  }
  if (!workload.has_type() || !workload.problem->refusal.empty()) return Answer::refused;
  const gen::UnverifiedDescriptions scope;
  bool is_accepted = false;
  try {
    gen::KernelRequest asked = workload.request(caps);
    for (const gen::ProbedMatrix& matrix :
         entry.probes ? entry.probes(asked) : std::vector<gen::ProbedMatrix>()) {
      if (gen::find_order(caps, matrix) == nullptr) {
        caps.fragment_orders.push_back(test::order_of_twin(matrix));
      }
    }
    asked.device = caps;
    is_accepted = entry.refuse && entry.refuse(asked).empty();
    described_plan(workload, caps);
  } catch (const KernelError& error) {
    // Without `refuse`, the checks are those that come before the description begins. A kernel that chooses describes
    // others, and says why each is refused.
    const bool begins = !entry.refuse && scope.begun() > 0;
    if (entry.chooses || (!is_accepted && !begins)) return Answer::refused;
    throw;
  }
  return Answer::described;
}

TEST(RandomRequests, AreDescribedIfTheChecksAcceptThem) {
  const auto seed = static_cast<std::uint64_t>(test::number_in("VKMOYE_SEED").value_or(1));
  const auto only = test::number_in("VKMOYE_REQUEST");
  const std::int64_t count = test::number_in("VKMOYE_REQUESTS").value_or(test::often(200, 10));
  std::size_t described = 0, refused = 0;
  std::map<std::string, std::size_t> described_of;
  std::uint64_t number = 0;  // of the kernel
  for (const gen::KernelEntry& entry : gen::registry()) {
    ++number;
    for (std::int64_t i = only.value_or(0); i < (only ? *only + 1 : count); ++i) {
      Draw draw(seed * 1'000'003 + static_cast<std::uint64_t>(i) * 10'007 + number);
      const Request request = random_request(entry, draw);
      const DeviceCaps& caps = draw.of(devices());
      try {
        const bool is_described = answer_to(request, caps) == Answer::described;
        (is_described ? described : refused) += 1;
        described_of[entry.name] += is_described;
      } catch (const std::exception& error) {
        ADD_FAILURE() << request.text() << "\n  on " << caps.name << ": " << error.what()
                      << "\n  VKMOYE_SEED=" << seed << " VKMOYE_REQUEST=" << i;
      }
    }
  }
  std::printf("%zu described, %zu refused\n", described, refused);
  EXPECT_TRUE(only || described > refused / 4);
  if (only || count < 200) return;
  for (const gen::KernelEntry& entry : gen::registry()) {
    EXPECT_GT(described_of[entry.name], 0u) << entry.name;
  }
}

}  // namespace
}  // namespace vkmoye::bench
