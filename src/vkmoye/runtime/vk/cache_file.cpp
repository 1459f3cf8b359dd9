// SPDX-License-Identifier: MIT
#include "vkmoye/runtime/vk/cache_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace vkmoye::vk {
namespace {

constexpr std::uint32_t kFormatVersion = 1;
constexpr std::uint64_t kLargestFile = std::uint64_t{1} << 30;

// Laid out without padding, so that its bytes are all defined and can be hashed.
struct Header {
  char magic[8] = {'v', 'k', 'm', 'o', 'y', 'e', 'p', 'c'};
  std::uint32_t format_version = kFormatVersion;
  std::uint32_t vendor = 0, device = 0, driver_version = 0;
  std::uint8_t cache_uuid[VK_UUID_SIZE] = {};
  std::uint8_t device_uuid[VK_UUID_SIZE] = {};
  std::uint64_t pointer_bytes = sizeof(void*);
  std::uint64_t payload_bytes = 0;
  std::uint64_t hash = 0;  // of the header up to here, then of the payload
};
static_assert(sizeof(Header) == 8 + 4 * 4 + 2 * VK_UUID_SIZE + 3 * 8);

Header header_for(const DriverIdentity& driver, std::span<const std::byte> payload) {
  Header header;
  header.vendor = driver.vendor;
  header.device = driver.device;
  header.driver_version = driver.driver_version;
  std::memcpy(header.cache_uuid, driver.cache_uuid.data(), VK_UUID_SIZE);
  std::memcpy(header.device_uuid, driver.device_uuid.data(), VK_UUID_SIZE);
  header.payload_bytes = payload.size();
  const std::uint64_t of_header = XXH3_64bits(&header, offsetof(Header, hash));
  header.hash = XXH3_64bits_withSeed(payload.data(), payload.size(), of_header);
  return header;
}

std::string system_error(int error) { return std::generic_category().message(error); }

// A file descriptor, closed with its owner.
struct File {
  int descriptor = -1;
  ~File() {
    if (descriptor >= 0) close(descriptor);
  }
};

bool write_all(int descriptor, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

std::vector<std::byte> encode_cache(const DriverIdentity& driver,
                                    std::span<const std::byte> payload) {
  const Header header = header_for(driver, payload);
  std::vector<std::byte> file(sizeof header + payload.size());
  std::memcpy(file.data(), &header, sizeof header);
  std::copy(payload.begin(), payload.end(), file.begin() + sizeof header);
  return file;
}

DecodedCache decode_cache(const DriverIdentity& driver, std::span<const std::byte> file) {
  Header found;
  if (file.size() < sizeof found) return {{}, "shorter than its header"};
  std::memcpy(&found, file.data(), sizeof found);
  const auto payload = file.subspan(sizeof found);
  const Header expected = header_for(driver, payload);
  if (std::memcmp(found.magic, expected.magic, sizeof found.magic) != 0) {
    return {{}, "not a pipeline cache of vkmoye"};
  }
  if (found.format_version != expected.format_version) return {{}, "another format version"};
  if (found.payload_bytes != expected.payload_bytes) {
    return {
        {},
        fmt::format("{} bytes long where its header says {}", payload.size(), found.payload_bytes)};
  }
  // From the vendor to the size of a pointer: whose cache it is.
  constexpr std::size_t kFrom = offsetof(Header, vendor), kTo = offsetof(Header, payload_bytes);
  const auto* found_bytes = reinterpret_cast<const std::byte*>(&found);
  const auto* expected_bytes = reinterpret_cast<const std::byte*>(&expected);
  if (std::memcmp(found_bytes + kFrom, expected_bytes + kFrom, kTo - kFrom) != 0) {
    return {{}, "made by another device or driver"};
  }
  if (found.hash != expected.hash) return {{}, "damaged: its hash does not agree"};
  return {payload, ""};
}

std::string cache_file_name(const DriverIdentity& driver) {
  return fmt::format("pipelines-{:016x}.bin", header_for(driver, {}).hash);
}

std::filesystem::path default_cache_folder() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::filesystem::path(value != nullptr ? value : "");
  };
  if (const auto own = variable("VKMOYE_CACHE_DIR"); !own.empty()) return own;
  // The XDG base directory specification: relative paths are to be ignored.
  if (const auto xdg = variable("XDG_CACHE_HOME"); xdg.is_absolute()) return xdg / "vkmoye";
  if (const auto home = variable("HOME"); home.is_absolute()) return home / ".cache" / "vkmoye";
  return {};
}

std::vector<std::byte> read_file(const std::filesystem::path& path, std::string& error) {
  error.clear();
  // O_NONBLOCK: opening a named pipe in its place must not hang.
  const File file{open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.descriptor < 0) {
    if (errno != ENOENT) error = system_error(errno);
    return {};
  }
  struct stat status = {};
  if (fstat(file.descriptor, &status) != 0 || !S_ISREG(status.st_mode) ||
      static_cast<std::uint64_t>(status.st_size) > kLargestFile) {
    error = "not a regular file of at most 1 GiB";
    return {};
  }
  std::vector<std::byte> contents(static_cast<std::size_t>(status.st_size));
  std::size_t filled = 0;
  while (filled < contents.size()) {
    const ssize_t got = read(file.descriptor, contents.data() + filled, contents.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) error = system_error(errno);
    if (got <= 0) break;  // shorter than it was: the hash will tell
    filled += static_cast<std::size_t>(got);
  }
  contents.resize(filled);
  return contents;
}

std::string replace_file(const std::filesystem::path& path, std::span<const std::byte> contents) {
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  if (error) return error.message();
  std::string temporary = path.string() + ".XXXXXX";
  const File file{mkostemp(temporary.data(), O_CLOEXEC)};  // makes it with mode 0600
  if (file.descriptor < 0) return system_error(errno);
  if (!write_all(file.descriptor, contents) || fsync(file.descriptor) != 0 ||
      std::rename(temporary.c_str(), path.c_str()) != 0) {
    const std::string reason = system_error(errno);
    unlink(temporary.c_str());
    return reason;
  }
  return "";
}

}  // namespace vkmoye::vk
