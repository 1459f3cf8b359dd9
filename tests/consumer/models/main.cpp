// SPDX-License-Identifier: MIT
// Runs the models whose names contain one of the arguments, or all of them. Exit status 1 if one is wrong. --spoiled
// changes what is expected, to test the comparison.

#include <algorithm>
#include <stdexcept>

#include "model.hpp"

namespace models {
namespace {

struct Entry {
  std::string name;
  std::function<void(const Machine&)> check;
};

std::vector<Entry>& entries() {
  static std::vector<Entry> all;
  return all;
}

std::mt19937_64& randomness() {
  static std::mt19937_64 engine(20);
  return engine;
}

std::vector<double> numbers(ScalarType type, const std::vector<std::byte>& bytes) {
  std::vector<double> out;
  for (std::size_t at = 0; at < bytes.size(); at += size_of(type)) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &bytes[at], size_of(type));
    out.push_back(number_of(type, bits));
  }
  return out;
}

bool& is_spoiled() {
  static bool spoiled = false;
  return spoiled;
}

// Throws for the first element that differs; returns the largest difference, as a part of what is allowed.
double compare(const char* where, const std::vector<double>& got,
               const std::vector<Expected>& expected) {
  if (got.size() != expected.size()) throw std::runtime_error("the result has another size");
  double largest = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double value = expected[i].value + (is_spoiled() ? 2 * expected[i].tolerance + 1 : 0);
    if (got[i] == value) continue;
    const double error = std::fabs(got[i] - value);
    if (!(error <= expected[i].tolerance)) {
      throw std::runtime_error(std::string(where) + ": element " + std::to_string(i) + " is " +
                               std::to_string(got[i]) + ", not " + std::to_string(value) +
                               " within " + std::to_string(expected[i].tolerance));
    }
    largest = std::max(largest, error / expected[i].tolerance);
  }
  return largest;
}

// Only the arguments that the kernel has.
Arguments arguments_of(const KernelInterface& kernel, const Arguments& all) {
  Arguments out;
  const auto take = [&](const std::string& name) {
    if (const auto found = all.find(name); found != all.end()) out.insert(*found);
  };
  const auto take_extent = [&](const Extent& extent) {
    for (const std::string& name : extent.arguments()) take(name);
  };
  for (const PushConstant& constant : kernel.push_constants) take(constant.name);
  for (const GridDimension& dimension : kernel.grid) take_extent(dimension.extent);
  for (const Binding& binding : kernel.bindings) {
    for (const Extent& extent : binding.extents) take_extent(extent);
  }
  return out;
}

}  // namespace

std::vector<std::byte> Data::bytes() const {
  std::vector<std::byte> out(values.size() * size_of(type));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint64_t bits = bits_of(type, values[i]);
    std::memcpy(&out[i * size_of(type)], &bits, size_of(type));
  }
  return out;
}

Data data(ScalarType type, std::size_t count, const std::function<double(std::size_t)>& value) {
  Data out{type, {}};
  for (std::size_t i = 0; i < count; ++i) {
    out.values.push_back(number_of(type, bits_of(type, value(i))));
  }
  return out;
}

Data random_data(ScalarType type, std::size_t count, double end) {
  return data(type, count, [&](std::size_t) {
    const double uniform = static_cast<double>(randomness()() >> 11) * 0x1p-53;
    return is_floating(type) ? end * (2 * uniform - 1) : std::floor(end * uniform);
  });
}

Data unwritten(ScalarType type, std::size_t count) {
  return data(type, count, [](std::size_t) { return 99; });
}

void Machine::check(const ir::Kernel& kernel, const std::vector<Data>& arrays,
                    const Arguments& arguments, const std::vector<Expected>& expected) const {
  std::vector<std::size_t> all(arrays.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  check(std::vector<Step>{{kernel, all}}, arrays, arguments, expected);
}

void Machine::check(const std::vector<Step>& steps, const std::vector<Data>& arrays,
                    const Arguments& arguments, const std::vector<Expected>& expected) const {
  std::vector<std::vector<std::byte>> bytes;
  std::vector<Buffer> buffers;
  for (const Data& array : arrays) {
    bytes.push_back(array.bytes());
    buffers.push_back(device_.buffer(bytes.back().size()));
    buffers.back().write(bytes.back());
  }
  for (const Step& step : steps) {
    const CompiledKernel code = compile(step.kernel, device_.caps());
    const Arguments own = arguments_of(code.interface, arguments);
    std::vector<HostArray> on_host;
    std::vector<BufferView> on_device;
    for (const std::size_t i : step.arrays) {
      on_host.push_back(bytes[i]);
      on_device.push_back(buffers[i]);
    }
    const TwinReport report =
        run_on_host(step.kernel, on_host, own, {.subgroup_size = lanes()});
    if (!report.reasons.empty()) throw std::runtime_error("twin: " + report.reasons.front());
    device_.run(device_.load(code), on_device, own);
  }
  const std::size_t result = steps.back().arrays.back();
  const ScalarType type = arrays[result].type;
  const double on_twin = compare("twin", numbers(type, bytes[result]), expected);
  buffers[result].read(bytes[result]);
  const double on_device = compare("device", numbers(type, bytes[result]), expected);
  std::printf(" %.2g %.2g", on_twin, on_device);
}

Model::Model(const char* name, std::function<void(const Machine&)> check) {
  entries().push_back({name, std::move(check)});
}

}  // namespace models

int main(int argc, char** argv) {
  using namespace models;
  Device device = Device::open();
  const Machine machine(device);
  const std::vector<std::string> words(argv + 1, argv + argc);
  std::vector<std::string> names;
  for (const std::string& word : words) {
    word == "--spoiled" ? void(is_spoiled() = true) : names.push_back(word);
  }
  int wrong = 0;
  for (const Entry& entry : entries()) {
    bool wanted = names.empty();
    for (const std::string& name : names) {
      wanted = wanted || entry.name.find(name) != std::string::npos;
    }
    if (!wanted) continue;
    std::printf("%s: largest error / allowed, on the twin and on the device",
                entry.name.c_str());
    try {
      entry.check(machine);
      std::printf(": right\n");
    } catch (const std::exception& error) {
      std::printf(": WRONG: %s\n", error.what());
      ++wrong;
    }
  }
  return wrong == 0 ? 0 : 1;
}
