// SPDX-License-Identifier: MIT
// The pipeline cache on disk: used if it is valid, otherwise rebuilt; it never prevents a run.

#include <filesystem>
#include <optional>
#include <random>

#include "runtime/shaders.hpp"
#include "support/device_fixture.hpp"
#include "support/expect.hpp"
#include "support/fault_table.hpp"
#include "support/process.hpp"
#include "support/their_device.hpp"
#include "vkmoye/base/cache_folder.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/runtime/vk/cache_file.hpp"
#include "vkmoye/runtime/vulkan.hpp"

namespace vkmoye::test {
namespace {

namespace fs = std::filesystem;

vk::DriverIdentity some_driver() {
  vk::DriverIdentity driver;
  driver.vendor = 0x10de;
  driver.device = 0x2335;
  driver.driver_version = 580;
  driver.cache_uuid.fill(1);
  driver.device_uuid.fill(2);
  return driver;
}

std::vector<std::byte> random_bytes(std::mt19937& random, std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

TEST(CacheFile, ReturnsItsPayload) {
  std::mt19937 random(1);
  for (const std::size_t bytes : {0, 1, 31, 5000}) {
    const auto payload = random_bytes(random, bytes);
    const auto file = vk::encode_cache(some_driver(), payload);
    const auto decoded = vk::decode_cache(some_driver(), file);
    EXPECT_EQ(decoded.refusal, "");
    EXPECT_TRUE(
        std::equal(payload.begin(), payload.end(), decoded.payload.begin(), decoded.payload.end()));
  }
}

TEST(CacheFile, RefusesEveryFlippedBit) {
  std::mt19937 random(2);
  auto file = vk::encode_cache(some_driver(), random_bytes(random, 700));
  for (std::size_t bit = 0; bit < file.size() * 8; ++bit) {
    const auto flip = static_cast<std::byte>(1u << (bit % 8));
    file[bit / 8] ^= flip;
    const auto decoded = vk::decode_cache(some_driver(), file);
    ASSERT_NE(decoded.refusal, "") << "bit " << bit;
    ASSERT_TRUE(decoded.payload.empty());
    file[bit / 8] ^= flip;
  }
}

TEST(CacheFile, RefusesEveryOtherLength) {
  std::mt19937 random(3);
  auto file = vk::encode_cache(some_driver(), random_bytes(random, 300));
  for (std::size_t length = 0; length < file.size(); ++length) {
    ASSERT_NE(vk::decode_cache(some_driver(), std::span(file).first(length)).refusal, "") << length;
  }
  file.push_back(std::byte{0});
  EXPECT_THAT(vk::decode_cache(some_driver(), file).refusal,
              HasSubstr("has 301 bytes, but its header says 300"));
}

TEST(CacheFile, RefusesRandomDamage) {
  std::mt19937 random(4);
  const auto whole = vk::encode_cache(some_driver(), random_bytes(random, 2000));
  for (int round = 0; round < 10000; ++round) {
    auto file = whole;
    const int damages = 1 + static_cast<int>(random() % 4);
    for (int i = 0; i < damages; ++i) {
      switch (random() % 4) {
        case 0: file[random() % file.size()] ^= static_cast<std::byte>(1 + random() % 255); break;
        case 1: file.resize(1 + random() % file.size()); break;
        case 2: file.insert(file.begin() + random() % file.size(), std::byte(random())); break;
        case 3: std::fill_n(file.begin() + random() % file.size(), 1, std::byte{0}); break;
      }
    }
    if (file == whole) continue;
    ASSERT_NE(vk::decode_cache(some_driver(), file).refusal, "") << "round " << round;
  }
}

TEST(CacheFile, BelongsToOneDriver) {
  const auto file = vk::encode_cache(some_driver(), {});
  const auto expect_other = [&](auto change) {
    vk::DriverIdentity driver = some_driver();
    change(driver);
    EXPECT_EQ(vk::decode_cache(driver, file).refusal, "made by another device or driver");
    EXPECT_NE(vk::cache_file_name(driver), vk::cache_file_name(some_driver()));
  };
  expect_other([](vk::DriverIdentity& d) { ++d.vendor; });
  expect_other([](vk::DriverIdentity& d) { ++d.device; });
  expect_other([](vk::DriverIdentity& d) { ++d.driver_version; });
  expect_other([](vk::DriverIdentity& d) { d.cache_uuid[15] = 9; });
  expect_other([](vk::DriverIdentity& d) { d.device_uuid[0] = 9; });
}

class PipelineCacheTest : public DeviceTest {
 protected:
  static OpenOptions in(const std::string& folder) {
    OpenOptions options;
    options.cache_folder = folder;
    return options;
  }

  std::string use(const OpenOptions& options) {
    Device device = Device::open("0", validated(options));
    Buffer a = device.buffer(4), b = device.buffer(4);
    a.fill(std::byte{0});
    device.run(device.load(affine_kernel()), {a, b}, {{"n", 1}});
    device.save_cache();
    return device.cache_status();
  }

  static std::string only_file(const std::string& folder) {
    return fs::directory_iterator(folder)->path().string();
  }
};

TEST_F(PipelineCacheTest, IsMadeThenLoaded) {
  const TemporaryFolder folder;
  EXPECT_THAT(use(in(folder.path())), AllOf(StartsWith("new: "), HasSubstr("; saved ")));
  EXPECT_THAT(use(in(folder.path())), StartsWith("loaded "));
}

TEST_F(PipelineCacheTest, IsSavedWhenTheDeviceGoes) {
  const TemporaryFolder folder;
  {
    Device device = Device::open("0", validated(in(folder.path())));
    device.load(affine_kernel());
  }
  EXPECT_THAT(use(in(folder.path())), StartsWith("loaded "));
}

TEST_F(PipelineCacheTest, IsRebuiltAndNotShownToTheDriverWhenDamaged) {
  const TemporaryFolder folder;
  use(in(folder.path()));
  const std::string path = only_file(folder.path());
  const std::string whole = read_file(path);
  FaultTable faults;  // makes no faults, but records the arguments of the driver
  std::size_t shown = 0;
  faults.on_create_pipeline_cache = [&](const VkPipelineCacheCreateInfo& info) {
    shown = info.initialDataSize;
  };
  const auto open = [&] {
    shown = 99;
    Device device = open_through(FaultTable::get_instance_proc_addr(), "0", in(folder.path()));
    return device.cache_status();
  };
  EXPECT_THAT(open(), StartsWith("loaded "));
  EXPECT_EQ(shown, whole.size() - 80);
  for (const std::size_t at : {std::size_t{0}, std::size_t{9}, std::size_t{14}, std::size_t{60},
                               std::size_t{75}, whole.size() - 1}) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x40);
    write_file(path, damaged);
    EXPECT_THAT(open(), StartsWith("rebuilt: ")) << at;
    EXPECT_EQ(shown, 0u) << at;
    EXPECT_THAT(open(), StartsWith("loaded ")) << at;  // saved again
  }
}

TEST_F(PipelineCacheTest, ThatCannotBeWrittenIsNoError) {
  const TemporaryFolder folder;
  write_file(folder.file("file"), "in the way");
  const std::string status = use(in(folder.file("file") + "/below"));
  EXPECT_THAT(status, HasSubstr("not saved: "));
  EXPECT_THAT(status, HasSubstr(folder.file("file")));
}

TEST_F(PipelineCacheTest, ThatTheDriverRefusesIsRebuilt) {
  const TemporaryFolder folder;
  use(in(folder.path()));
  FaultTable faults;
  faults.on_create_pipeline_cache = [&](const VkPipelineCacheCreateInfo& info) {
    faults.fail_all("vkCreatePipelineCache",
                    info.initialDataSize == 0 ? VK_SUCCESS : VK_ERROR_INITIALIZATION_FAILED);
  };
  Device device = open_through(FaultTable::get_instance_proc_addr(), "0", in(folder.path()));
  EXPECT_THAT(device.cache_status(), HasSubstr("the driver refused it"));
}

TEST_F(PipelineCacheTest, CanBeOff) {
  OpenOptions options;
  options.cache = false;
  EXPECT_EQ(use(options), "off");
}

// Sets the variables that say where files are kept, and restores them.
class CacheVariables {
 public:
  CacheVariables(const std::string& own, const std::string& xdg, const std::string& home) {
    const std::string values[] = {own, xdg, home};
    for (int i = 0; i < 3; ++i) {
      if (const char* value = std::getenv(kNames[i])) saved_[i] = value;
      setenv(kNames[i], values[i].c_str(), 1);
    }
  }
  ~CacheVariables() {
    for (int i = 0; i < 3; ++i) {
      saved_[i] ? setenv(kNames[i], saved_[i]->c_str(), 1) : unsetenv(kNames[i]);
    }
  }
  CacheVariables(const CacheVariables&) = delete;
  CacheVariables& operator=(const CacheVariables&) = delete;

 private:
  static constexpr const char* kNames[] = {"VKMOYE_CACHE_DIR", "XDG_CACHE_HOME", "HOME"};
  std::optional<std::string> saved_[3];
};

// A user's device. Drivers keep caches of their own below the same folders: only our files count.
class AdoptedCacheTest : public PipelineCacheTest {
 protected:
  // Loads a kernel on a Device that adopted `theirs`, and returns the status of its cache in the end.
  static std::string load_on(const AdoptedDevice& theirs, const OpenOptions& options = {}) {
    Device device = Device::adopt(theirs, options);
    device.load(affine_kernel());
    device.save_cache();
    return device.cache_status();
  }

  static int files_of_ours(const std::string& folder) {
    int count = 0;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      count += entry.path().filename().string().starts_with("pipelines-");
    }
    return count;
  }
};

TEST_F(AdoptedCacheTest, IsAFileOnlyInAFolderOfTheUsersChoice) {
  const Device owner = Device::open("0", validated({.cache = false}));
  const TemporaryFolder home, chosen;
  const CacheVariables variables(home.file("own"), home.file("xdg"), home.path());
  EXPECT_THAT(load_on(handles_in(owner)),
              HasSubstr("in memory only: no OpenOptions::cache_folder"));
  EXPECT_EQ(load_on(handles_in(owner), {.cache = false, .cache_folder = chosen.path()}), "off");
  EXPECT_EQ(files_of_ours(chosen.path()), 0);
  EXPECT_THAT(load_on(handles_in(owner), in(chosen.path())), StartsWith("new: "));
  EXPECT_THAT(load_on(handles_in(owner), in(chosen.path())), StartsWith("loaded "));
  EXPECT_EQ(files_of_ours(chosen.path()), 1);
  EXPECT_EQ(files_of_ours(home.path()), 0);
}

TEST_F(AdoptedCacheTest, MayBeTheUsersOwn) {
  FaultTable faults;
  const Device owner =
      open_through(FaultTable::get_instance_proc_addr(), "0", validated({.cache = false}));
  const VkDevice device = handles_of(owner).device;
  VkPipelineCacheCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO;
  AdoptedDevice theirs = handles_in(owner);
  ASSERT_EQ(function_of<PFN_vkCreatePipelineCache>(owner, "vkCreatePipelineCache")(
                device, &info, nullptr, &theirs.pipeline_cache),
            VK_SUCCESS);
  const TemporaryFolder home;
  const CacheVariables variables(home.file("own"), home.file("xdg"), home.path());
  std::vector<VkPipelineCache> used;
  faults.on_create_pipelines = [&](VkPipelineCache cache) { used.push_back(cache); };
  const int made = faults.calls("vkCreatePipelineCache");
  EXPECT_EQ(load_on(theirs), "AdoptedDevice::pipeline_cache");
  EXPECT_EQ(load_on(theirs, {.cache = false, .cache_folder = home.path()}),
            "AdoptedDevice::pipeline_cache");
  EXPECT_EQ(used, std::vector<VkPipelineCache>(2, theirs.pipeline_cache));
  EXPECT_EQ(faults.calls("vkCreatePipelineCache"), made);
  EXPECT_EQ(faults.calls("vkDestroyPipelineCache"), 0);
  EXPECT_EQ(faults.calls("vkGetPipelineCacheData"), 0);
  EXPECT_EQ(files_of_ours(home.path()), 0);
  EXPECT_REFUSED(
      load_on(theirs, in(home.path())), ArgumentError,
      "pipeline_cache is set, and nothing is kept in the cache_folder '" + home.path() + "'");
  function_of<PFN_vkDestroyPipelineCache>(owner, "vkDestroyPipelineCache")(
      device, theirs.pipeline_cache, nullptr);
}

TEST(CacheFolder, FollowsTheEnvironment) {
  const auto with = [](const char* own, const char* xdg, const char* home) {
    const CacheVariables variables(own, xdg, home);
    return default_cache_folder().string();
  };
  EXPECT_EQ(with("/own", "/xdg", "/home/a"), "/own");
  EXPECT_EQ(with("", "/xdg", "/home/a"), "/xdg/vkmoye");
  EXPECT_EQ(with("", "relative", "/home/a"), "/home/a/.cache/vkmoye");
  EXPECT_EQ(with("", "", ""), "");
}

}  // namespace
}  // namespace vkmoye::test
