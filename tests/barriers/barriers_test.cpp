// SPDX-License-Identifier: MIT
// Removes each barrier of shipped kernels in turn and runs the rest on lavapipe without verification: the result
// must be wrong. So every barrier that the verifier requires (tests/judge) is really needed.
//
// lavapipe runs the subgroups of a workgroup one after the other up to the next barrier, so that a missing barrier
// gives a wrong result every time, unless only lanes of one subgroup exchange something. A GPU may hide it.

#include "judge/barriers.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <stdexcept>

#include "devices/fragments.hpp"
#include "gemm_device/products.hpp"
#include "judge/judged_kernel.hpp"
#include "judge/unverified.hpp"
#include "support/device_fixture.hpp"
#include "support/effort.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/compile.hpp"
#include "vkmoye/gen/verify/verify.hpp"

namespace vkmoye::judge {
namespace {

// The buffers after one launch on `before`.
Buffers run(Device& device, const Pipeline& pipeline, const Arguments& sizes,
            const Buffers& before) try {
  std::vector<Buffer> buffers;
  std::vector<BufferView> views;
  for (const auto& bytes : before) {
    buffers.push_back(device.buffer(bytes.size()));
    buffers.back().write(bytes);
  }
  for (const Buffer& buffer : buffers) views.emplace_back(buffer);
  device.run(pipeline, views, sizes);
  Buffers after = before;
  for (std::size_t i = 0; i < buffers.size(); ++i) buffers[i].read(after[i]);
  return after;
} catch (const DeviceError& error) {
  throw std::runtime_error(
      fmt::format("{}: {} at {}", pipeline.interface().name, error.what(), to_text(sizes)));
}

// The caps of the device with the orders of the matrices that kernels use.
DeviceCaps caps_with_orders(Device& device) {
  test::Products executor(device);
  for (const gen::KernelEntry& entry : gen::registry()) {
    if (!entry.probes) continue;
    for (const ScalarType type : entry.types) {
      gen::KernelRequest request = gen::request_of(type);
      request.device = executor.caps();
      try {
        bench::find_fragment_orders(executor, entry.probes(request), entry.name);
      } catch (const Error&) {
        // Then the kernel cannot be described either.
      }
    }
  }
  return with_all_orders(executor.caps());
}

bool is_move(const std::string& name) {
  return name.find("copy") != std::string::npos || name.find("transpose") != std::string::npos ||
         name.find("relayout") != std::string::npos;
}

// A launch, and the result of the correct kernel on its data, computed on demand.
struct Launched {
  Arguments sizes;
  Buffers before, after;
};

// The approximate number of elements or multiplications of a launch.
double work_of(const Arguments& sizes) {
  double work = 1;
  for (const auto& [name, size] : sizes) {
    // The words of a row of weights are as many as k says; groups of rows divide m.
    const bool is_extent = !name.starts_with("ld") && !name.starts_with("stride") &&
                           name != "words" && name != "experts" && name != "ends" &&
                           name != "padded_m";
    const auto* number = std::get_if<std::int64_t>(&size.value);
    if (is_extent && number != nullptr) work *= static_cast<double>(*number);
  }
  return work;
}

// A correct kernel, and launches that show whether another kernel computes the same.
class Sound {
 public:
  Sound(Device& device, const ShippedKernel& shipped, Draw draw)
      : device_(device), pipeline_(device.load(gen::compile(shipped.kernel))) {
    constexpr double kMaxWork = 5e6;
    // Of rows of weights, a workgroup takes 1024 or 2048 elements at once: 1170 words have 2080 of them.
    const bool has_long_tiles = shipped.name.starts_with("gemm/quantised");
    const std::vector<std::int64_t> extents =
        has_long_tiles ? std::vector<std::int64_t>{33, 1170, 2080, 2080, 2400, 4680}
                       : std::vector<std::int64_t>{1, 33, 272, 272, 300, 304};
    const SizeRange range = {1e12, extents, true};
    for (Arguments& sizes : judging_sizes(shipped.kernel, 4 * kLaunches, draw, range)) {
      if (launches_.size() == kLaunches || work_of(sizes) > kMaxWork) continue;
      Buffers before = data_for(shipped.kernel, sizes, !is_move(shipped.name), draw);
      launches_.push_back({std::move(sizes), std::move(before), {}});
    }
  }

  // Whether `changed` gives a different result in one of the launches. A value that it reads too early from shared
  // memory may come from the previous launch, so that one has other data; and all launches run three times.
  bool differs(const Pipeline& changed) {
    for (std::size_t i = 0; i < 3 * launches_.size(); ++i) {
      Launched& launch = launches_[i % launches_.size()];
      if (launch.after.empty()) {
        launch.after = run(device_, pipeline_, launch.sizes, launch.before);
      }
      const Launched& other = launches_[(i + 1) % launches_.size()];
      run(device_, pipeline_, other.sizes, other.before);
      if (run(device_, changed, launch.sizes, launch.before) != launch.after) return true;
    }
    return false;
  }

  static constexpr std::size_t kLaunches = 24;

 private:
  Device& device_;
  Pipeline pipeline_;
  std::vector<Launched> launches_;
};

// Whether the race is only between lanes of one subgroup, which lavapipe runs in lockstep: if no two subgroups
// share k, each subgroup reads back from shared_c only what it wrote, to get the elements of its matrices in known
// lanes.
bool stays_in_a_subgroup(const gen::ir::Kernel& kernel, const std::vector<std::string>& reasons) {
  const auto subgroups =
      std::find_if(kernel.config.begin(), kernel.config.end(),
                   [](const auto& option) { return option.first == "subgroups"; });
  if (subgroups == kernel.config.end() ||
      std::count(subgroups->second.begin(), subgroups->second.end(), 'x') == 2) {
    return false;
  }
  return std::all_of(reasons.begin(), reasons.end(), [](const std::string& reason) {
    return reason.find("race in shared shared_c:") == 0;
  });
}

// Whether no launch can show the race: every maximum that it may give leads to the same softmax, rounded to 8 bits.
bool is_rounded_away(const std::string& name) {
  return name.starts_with("softmax/rows e4m3") || name.starts_with("softmax/rows e5m2");
}

// Whether 24 launches on lavapipe have not shown the race: the first barrier of a round keeps the tiles of the round
// before until all have read them. The verifier rejects each of these kernels without it. Of products with experts, the
// first barrier keeps what thread 0 stores from coming after what others combine with it, and lavapipe runs the
// subgroup of thread 0 first.
bool is_not_shown(const std::string& name, const std::string& barrier) {
  const bool is_first = barrier.starts_with("barrier 1 of");
  return is_first &&
         (name.starts_with("attention/coopmat") || name.find("experts") != std::string::npos);
}

// The forms of kernels that run: one in eight, one in 24 of products and attention, and none of products on matrix
// units. Of these lavapipe compiles each mutant for 5 to 130 s, of other products for 1 to 20 s. Forms differ in types
// and parameters, seldom in where barriers stand; that the verifier rejects each form without a barrier,
// Barriers.OfEveryShippedKernelAreNeeded shows. tools/test long runs all.
class FormsThatRun {
 public:
  bool has(const std::string& name) {
    if (is_rounded_away(name)) return false;
    const auto contains = [&](const char* word) { return name.find(word) != std::string::npos; };
    const bool is_product = contains("gemm");
    if (is_product && (contains("coopmat") || contains("packed"))) return test::is_long();
    const bool takes_long = is_product || contains("attention");
    return test::is_drawn(number_[name.substr(0, name.find(' '))]++, takes_long ? 24 : 8);
  }

 private:
  std::map<std::string, std::size_t> number_;  // of forms seen
};

class BarriersTest : public test::DeviceTest {};

// lavapipe showed 80; of all forms, 137 to 144 in each quarter.
constexpr std::size_t kMinWrong = 70, kMinWrongOfAll = 520;

TEST_F(BarriersTest, RemovedGiveAWrongResult) {
  for_each_device([&](Device& device) {
    if (device.caps().kind != DeviceKind::cpu) GTEST_SKIP() << "a GPU may get away with it";
    FormsThatRun forms;
    std::size_t number = 0, kernels = 0, barriers = 0, wrong = 0, in_step = 0;
    for (const ShippedKernel& shipped : kernels_with_barriers(caps_with_orders(device))) {
      if (!forms.has(shipped.name)) continue;
      ++number;
      if (const auto reasons =
              reasons_against(gen::ir::interface_of(shipped.kernel), device.caps());
          !reasons.empty()) {
        fmt::print("not on this device: {}: {}\n", shipped.name, reasons.front());
        continue;
      }
      ++kernels;
      std::deque<Sound> draws;  // of launches
      const auto differs = [&](const Pipeline& changed, std::size_t draw) {
        if (draws.size() == draw) draws.emplace_back(device, shipped, Draw(number + 1000 * draw));
        return draws[draw].differs(changed);
      };
      for (const Mutant& mutant : without_each_barrier(shipped.kernel)) {
        ++barriers;
        const Pipeline changed = device.load(compile_unverified(mutant.kernel));
        if (differs(changed, 0)) {
          ++wrong;
          continue;
        }
        const auto reasons = gen::verify(mutant.kernel);
        if (stays_in_a_subgroup(mutant.kernel, reasons) ||
            (!reasons.empty() && is_not_shown(shipped.name, mutant.text))) {
          ++in_step;
        } else if (differs(changed, 1) || differs(changed, 2)) {
          ++wrong;
        } else {
          ADD_FAILURE() << shipped.name << " without " << mutant.text << " is right in all of "
                        << 3 * Sound::kLaunches << " launches";
        }
      }
    }
    fmt::print("{} kernels with {} barriers; without it {} wrong, {} right as lanes run in step\n",
               kernels, barriers, wrong, in_step);
    EXPECT_GE(wrong, test::is_long() ? kMinWrongOfAll : kMinWrong);
  });
}

}  // namespace
}  // namespace vkmoye::judge
