#include "measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "device_fit.hpp"
#include "random.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/compile.hpp"
#include "vkmoye/runtime/guarded_buffer.hpp"
#include "vkmoye/runtime/timing.hpp"

namespace vkmoye::bench {
namespace {

constexpr std::uint64_t kChunkElements = std::uint64_t{1} << 21;
constexpr std::uint64_t kFullVerification = std::uint64_t{1} << 26;
constexpr std::uint64_t kSampledChunks = 24;  // beside the first and the last

void write_random(GuardedBuffer& buffer, std::size_t element_bytes, std::uint64_t seed) {
  std::vector<std::byte> chunk(kChunkElements * element_bytes);
  for (std::uint64_t at = 0; at < buffer.bytes(); at += chunk.size()) {
    const std::uint64_t bytes = std::min<std::uint64_t>(chunk.size(), buffer.bytes() - at);
    const std::span part(chunk.data(), bytes);
    fill_random(part, element_bytes, seed, at / element_bytes);
    buffer.write(part, at);
  }
}

// The first elements of the chunks to compare.
std::vector<std::uint64_t> chunks_to_check(std::uint64_t elements, Verify verify,
                                           std::uint64_t seed) {
  const std::uint64_t chunks = (elements + kChunkElements - 1) / kChunkElements;
  std::vector<std::uint64_t> out;
  if (verify == Verify::full || chunks <= kSampledChunks + 2) {
    for (std::uint64_t i = 0; i < chunks; ++i) out.push_back(i);
  } else {
    out = {0, chunks - 1};
    for (std::uint64_t i = 0; i < kSampledChunks; ++i) {
      out.push_back(random_bits(~seed, i) % chunks);
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
  }
  for (std::uint64_t& chunk : out) chunk *= kChunkElements;
  return out;
}

// Compares dst with the definition of the operation; reports into `row`.
void compare(const Problem& problem, const GuardedBuffer& dst, Verify verify, std::uint64_t seed,
             Row& row) {
  const std::size_t element_bytes = size_of(problem.type);
  const auto rows = static_cast<std::uint64_t>(problem.size.rows);
  const auto cols = static_cast<std::uint64_t>(problem.size.cols);
  std::vector<std::byte> chunk(kChunkElements * element_bytes);
  for (const std::uint64_t first : chunks_to_check(rows * cols, verify, seed)) {
    const std::uint64_t count = std::min(kChunkElements, rows * cols - first);
    const std::span part(chunk.data(), count * element_bytes);
    dst.read(part, first * element_bytes);
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t source =
          gen::source_index(problem.entry->operation, first + i, rows, cols);
      std::byte expected[16];
      random_element({expected, element_bytes}, seed, source);
      if (std::memcmp(expected, part.data() + i * element_bytes, element_bytes) == 0) continue;
      if (row.mismatches++ == 0) {
        row.wrong = fmt::format("element {} of dst is not element {} of src", first + i, source);
      }
    }
  }
}

Arguments arguments_of(const Size& size) { return {{"rows", size.rows}, {"cols", size.cols}}; }

const char* to_string(Verify verify) {
  return verify == Verify::full ? "full" : verify == Verify::sample ? "sample" : "off";
}

// Runnable as it stands, by the user who sees it.
std::string repeat_command(const Device& device, const Problem& problem,
                           const MeasureOptions& options) {
  std::vector<std::string> words = {options.program,
                                    "run",
                                    problem.entry->name,
                                    "--size",
                                    fmt::format("{}x{}", problem.size.rows, problem.size.cols),
                                    "--type",
                                    std::string(vkmoye::to_string(problem.type))};
  const auto add = [&](const std::string& name, const std::string& value) {
    words.push_back("--" + name);
    words.push_back(value);
  };
  for (const auto& [name, value] : problem.config) add(name, value);
  const MeasureOptions defaults;
  if (options.verify) add("verify", to_string(*options.verify));
  if (options.min_time != defaults.min_time) add("min-time", fmt::format("{}", options.min_time));
  if (!options.baselines.empty()) add("baseline", join(options.baselines, ","));
  if (options.seed != defaults.seed) add("seed", std::to_string(options.seed));
  add("device", options.device.empty() ? device.caps().name.substr(0, device.caps().name.find(" ("))
                                       : options.device);
  return shell_line(words);
}

double median(const Timing& timing) { return quantile(timing, 0.5); }

Timing time_baseline(const std::string& name, Device& device, const Problem& problem,
                     const GuardedBuffer& src, const GuardedBuffer& dst, const TimeOptions& times) {
  if (name == "vkcmdcopy") return vkmoye::measure_copy(device, src.payload(), dst.payload(), times);
  // "copy": as many bytes, the tutorial's copy kernel.
  const gen::ir::Kernel copy = gen::find_kernel("copy/simple")->describe(problem.type, {});
  const Pipeline pipeline = device.load(gen::compile(copy));
  return vkmoye::measure(
      device, device.prepare(pipeline, {src.view(), dst.view()}, arguments_of(problem.size)),
      times);
}

// Fills in the verdict and the times of a row whose kernel the device can run.
void check_and_time(Device& device, const Problem& problem, const CompiledKernel& kernel,
                    const MeasureOptions& options, Row& row) {
  const auto elements =
      static_cast<std::uint64_t>(problem.size.rows) * static_cast<std::uint64_t>(problem.size.cols);
  const std::uint64_t bytes = elements * size_of(problem.type);
  const Verify verify =
      options.verify.value_or(elements <= kFullVerification ? Verify::full : Verify::sample);

  GuardedBuffer src(device, bytes), dst(device, bytes);
  write_random(src, size_of(problem.type), options.seed);
  const Launch launch =
      device.prepare(device.load(kernel), {src.view(), dst.view()}, arguments_of(problem.size));
  device.run(launch);
  if (verify != Verify::off) {
    compare(problem, dst, verify, options.seed, row);
    row.verification = to_string(verify);
  }

  TimeOptions times;
  times.warm_up_seconds = times.min_seconds = options.min_time;
  times.max_seconds = std::max(times.max_seconds, options.min_time);
  row.timing = vkmoye::measure(device, launch, times);
  row.gbps = 2.0 * static_cast<double>(bytes) / (median(*row.timing) * 1e3);
  for (const std::string& name : options.baselines) {
    const Timing baseline = time_baseline(name, device, problem, src, dst, times);
    row.ratio[name] = median(baseline) / median(*row.timing);
  }

  // After everything that ran, so that no launch wrote beside its buffers unseen.
  for (const auto& [name, buffer] : {std::pair{"src", &src}, std::pair{"dst", &dst}}) {
    const std::string damage = buffer->damage();
    if (damage.empty()) continue;
    row.wrong += fmt::format("{}{}: {}", row.wrong.empty() ? "" : "; ", name, damage);
  }
  if (verify != Verify::off || !row.wrong.empty()) row.verified = row.wrong.empty();
}

}  // namespace

Row measure(Device& device, const Problem& problem, const MeasureOptions& options) {
  const gen::ir::Kernel kernel = problem.entry->describe(problem.type, problem.config);
  Row row;
  row.kernel = problem.entry->name;
  row.type = vkmoye::to_string(problem.type);
  row.size = {problem.size.rows, problem.size.cols};
  row.config = kernel.config;
  row.verification = "off";
  row.command = repeat_command(device, problem, options);

  const CompiledKernel compiled = gen::compile(kernel);
  row.skipped =
      join(reasons_against(device.caps(), compiled.interface, arguments_of(problem.size)), "; ");
  if (!row.skipped.empty()) return row;
  try {
    check_and_time(device, problem, compiled, options, row);
  } catch (const DeviceError& error) {
    if (error.kind != DeviceError::Kind::kOutOfMemory) throw;
    row.skipped = error.what();
  }
  return row;
}

}  // namespace vkmoye::bench
