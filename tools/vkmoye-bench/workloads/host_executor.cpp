#include "workloads/host_executor.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/twin/twin.hpp"

namespace vkmoye::bench {
namespace {

// About a minute of work.
constexpr std::uint64_t kMostSteps = std::uint64_t{1} << 28;
// Of an array that is filled, read and checked.
constexpr std::uint64_t kMostElements = std::uint64_t{1} << 24;
constexpr std::byte kPoison{0xa5};

class HostExecution : public Execution {
 public:
  HostExecution(const DeviceCaps& caps, gen::ir::Kernel kernel, const std::vector<Array>& arrays,
                Arguments arguments)
      : caps_(caps), kernel_(std::move(kernel)), arguments_(std::move(arguments)), arrays_(arrays) {
    for (const Array& array : arrays) memory_.emplace_back(array.bytes, kPoison);
  }

  void write(std::size_t array, std::span<const std::byte> from, std::uint64_t offset) override {
    std::copy(from.begin(), from.end(),
              memory_[array].begin() + static_cast<std::ptrdiff_t>(offset));
  }
  void read(std::size_t array, std::span<std::byte> to, std::uint64_t offset) const override {
    std::copy_n(memory_[array].begin() + static_cast<std::ptrdiff_t>(offset), to.size(),
                to.begin());
  }
  void run() override {
    const KernelInterface interface = interface_of(kernel_);
    std::vector<std::span<std::byte>> buffers;
    for (std::size_t i = 0; i < memory_.size(); ++i) {
      const Binding& binding = interface.bindings[i];
      buffers.push_back(std::span(memory_[i])
                            .subspan(arrays_[i].offset,
                                     element_count(binding, arguments_) * size_of(binding.type)));
    }
    try {
      reasons_ = gen::run_on_host(kernel_, buffers, arguments_, {.most_steps = kMostSteps}).reasons;
    } catch (const gen::TooManySteps& error) {
      throw Unavailable(error.what());
    }
  }
  const DeviceCaps& caps() const override { return caps_; }
  std::string damage() const override { return join(reasons_, "; "); }

 private:
  const DeviceCaps& caps_;
  gen::ir::Kernel kernel_;
  Arguments arguments_;
  std::vector<Array> arrays_;
  std::vector<std::vector<std::byte>> memory_;
  std::vector<std::string> reasons_;
};

}  // namespace

HostExecutor::HostExecutor() : caps_(common_device()) {
  caps_.name = "host";
  caps_.driver = "the twin";
  caps_.api = "none";
  caps_.kind = DeviceKind::cpu;
  caps_.max_shared_bytes = 65536;
  caps_.features.add(Feature::cooperative_matrix);
  for (const char* sum : {"f32", "f16"}) {
    caps_.matrix_shapes.push_back({16, 16, 16, "f16", "f16", sum, sum, "subgroup"});
  }
}

std::vector<std::string> HostExecutor::reasons_against(const KernelInterface& kernel,
                                                       const Arguments& arguments) const {
  std::vector<std::string> reasons = vkmoye::reasons_against(kernel, caps_);
  for (const Binding& binding : kernel.bindings) {
    try {
      const std::uint64_t count = element_count(binding, arguments);
      if (count <= kMostElements) continue;
      reasons.push_back(fmt::format("{} has {} elements, the host takes at most {}", binding.name,
                                    count, kMostElements));
    } catch (const ArgumentError& error) {
      reasons.push_back(error.what());
    }
  }
  return reasons;
}

std::unique_ptr<Execution> HostExecutor::prepare(const gen::ir::Kernel& kernel,
                                                 const std::vector<Array>& arrays,
                                                 const Arguments& arguments) {
  return std::make_unique<HostExecution>(caps_, kernel, arrays, arguments);
}

}  // namespace vkmoye::bench
