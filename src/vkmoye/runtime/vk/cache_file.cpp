// SPDX-License-Identifier: MIT
#include "vkmoye/runtime/vk/cache_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace vkmoye::vk {
namespace {

constexpr std::uint32_t kFormatVersion = 1;

// Without padding, so that all bytes are defined and can be hashed.
struct Header {
  char magic[8] = {'v', 'k', 'm', 'o', 'y', 'e', 'p', 'c'};
  std::uint32_t format_version = kFormatVersion;
  std::uint32_t vendor = 0, device = 0, driver_version = 0;
  std::uint8_t cache_uuid[VK_UUID_SIZE] = {};
  std::uint8_t device_uuid[VK_UUID_SIZE] = {};
  std::uint64_t pointer_bytes = sizeof(void*);
  std::uint64_t payload_bytes = 0;
  std::uint64_t hash = 0;  // covers the header up to here, then the payload
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
        fmt::format("has {} bytes, but its header says {}", payload.size(), found.payload_bytes)};
  }
  // From the vendor to the size of a pointer: the identity of the driver.
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

}  // namespace vkmoye::vk
