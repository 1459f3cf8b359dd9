// SPDX-License-Identifier: MIT
#include "vkmoye/layout/access.hpp"

#include <algorithm>
#include <vector>

namespace vkmoye {
namespace {

/// Calls f(byte addresses of one request) for every request of `access`, until it returns false.
template <class Storage, class F>
void for_each_request(const Storage& storage, const TileAccess& access, std::int64_t element_bytes,
                      int lanes, F f) {
  const bool by_value = !access.elements.is_leaf() && access.elements.rank() == 2;
  const Layout threads = by_value ? access.elements.mode(0) : access.elements;
  const Layout values = by_value ? access.elements.mode(1) : Layout();
  std::vector<std::int64_t> addresses;
  for (std::int64_t value = 0; value < values.size(); ++value) {
    for (std::int64_t first = 0; first < threads.size(); first += lanes) {
      addresses.clear();
      const std::int64_t end = std::min<std::int64_t>(threads.size(), first + lanes);
      for (std::int64_t thread = first; thread < end; ++thread) {
        const std::int64_t element = checked_add(threads(thread), values(value));
        const std::int64_t offset = storage(element);
        for (std::int64_t j = 1; j < access.width; ++j)
          if (storage(element + j) != offset + j)
            raise("access", {access.elements, access.width},
                  "elements {} and {} are at offsets {} and {}: not neighbours",
                  {element, element + j, offset, storage(element + j)});
        if (offset % access.width != 0)
          raise("access", {access.elements, access.width},
                "element {} is at offset {}, which is not a multiple of the {} elements accessed "
                "at once",
                {element, offset, access.width});
        addresses.push_back(checked_mul(offset, element_bytes));
      }
      if (!f(addresses)) return;
    }
  }
}

void check_bytes(const char* operation, std::int64_t bytes) {
  if (bytes < 1 || bytes > kMaxAccessBytes)
    raise(operation, {bytes}, "an access has 1..{} bytes", {kMaxAccessBytes});
}

void check(const char* operation, const BankModel& model) {
  for (const int number : {model.lanes, model.banks, model.bank_bytes})
    if (number < 1 || number > 1024)
      raise(operation, {model.lanes, model.banks, model.bank_bytes},
            "lanes, banks and bank bytes are 1..1024");
}

}  // namespace

void check_access(const TileAccess& access, std::int64_t tile_size, std::int64_t element_bytes,
                  const BankModel& model) {
  check("access", model);
  if (access.width < 1 || element_bytes < 1)
    raise("access", {access.elements, access.width, element_bytes},
          "width and element bytes are at least 1");
  check_bytes("access", checked_mul(access.width, element_bytes));
  if (access.elements.size() > kMaxAccesses)
    raise("access", {access.elements}, "more than {} accesses", {kMaxAccesses});
  if (access.elements.cosize() > tile_size - access.width + 1)
    raise("access", {access.elements, access.width}, "element {} is outside the tile of {}",
          {checked_add(access.elements.cosize(), access.width) - 2, tile_size});
}

BankConflicts bank_conflicts(std::span<const std::int64_t> byte_addresses,
                             std::int64_t access_bytes, const BankModel& model) {
  check_bytes("bank_conflicts", access_bytes);
  check("bank_conflicts", model);
  const std::int64_t row = static_cast<std::int64_t>(model.banks) * model.bank_bytes;
  const std::int64_t phases =
      std::clamp<std::int64_t>(ceil_div(access_bytes * model.lanes, row), 1, model.lanes);
  const std::int64_t lanes = ceil_div(model.lanes, phases);
  BankConflicts result{1, static_cast<int>(phases), 0};
  std::vector<std::int64_t> words;
  std::vector<int> load(static_cast<std::size_t>(model.banks));
  for (std::size_t first = 0; first < byte_addresses.size();
       first += static_cast<std::size_t>(lanes)) {
    words.clear();
    const std::size_t end =
        std::min(byte_addresses.size(), first + static_cast<std::size_t>(lanes));
    for (std::size_t lane = first; lane < end; ++lane)
      for (std::int64_t word = byte_addresses[lane] / model.bank_bytes;
           word <= (checked_add(byte_addresses[lane], access_bytes) - 1) / model.bank_bytes; ++word)
        words.push_back(word);
    std::sort(words.begin(), words.end());
    words.erase(std::unique(words.begin(), words.end()), words.end());
    std::fill(load.begin(), load.end(), 0);
    int degree = 0;
    for (std::int64_t word : words)
      degree = std::max(degree, ++load[static_cast<std::size_t>(word % model.banks)]);
    result.degree = std::max(result.degree, degree);
    result.wavefronts += degree;
  }
  return result;
}

BankConflicts bank_conflicts(const ComposedLayout& storage, const TileAccess& access,
                             std::int64_t element_bytes, const BankModel& model) {
  check_access(access, storage.size(), element_bytes, model);
  BankConflicts worst;
  for_each_request(
      storage, access, element_bytes, model.lanes, [&](const std::vector<std::int64_t>& addresses) {
        const BankConflicts one = bank_conflicts(addresses, access.width * element_bytes, model);
        worst.phases = one.phases;
        worst.degree = std::max(worst.degree, one.degree);
        worst.wavefronts = std::max(worst.wavefronts, one.wavefronts);
        return true;
      });
  return worst;
}

bool is_conflict_free(const ComposedLayout& storage, const TileAccess& access,
                      std::int64_t element_bytes, const BankModel& model) {
  check_access(access, storage.size(), element_bytes, model);
  bool free = true;
  for_each_request(
      storage, access, element_bytes, model.lanes, [&](const std::vector<std::int64_t>& addresses) {
        return free = bank_conflicts(addresses, access.width * element_bytes, model).degree == 1;
      });
  return free;
}

int sectors_per_request(std::span<const std::int64_t> byte_addresses, std::int64_t access_bytes,
                        std::int64_t sector_bytes) {
  check_bytes("sectors_per_request", access_bytes);
  if (sector_bytes < 1)
    raise("sectors_per_request", {sector_bytes}, "a sector has at least 1 byte");
  std::vector<std::int64_t> sectors;
  for (std::int64_t address : byte_addresses)
    for (std::int64_t sector = address / sector_bytes;
         sector <= (checked_add(address, access_bytes) - 1) / sector_bytes; ++sector)
      sectors.push_back(sector);
  std::sort(sectors.begin(), sectors.end());
  return static_cast<int>(std::unique(sectors.begin(), sectors.end()) - sectors.begin());
}

SectorCount sectors_per_request(const Layout& layout, const TileAccess& access,
                                std::int64_t element_bytes, int lanes, std::int64_t sector_bytes) {
  check_access(access, layout.size(), element_bytes, {.lanes = lanes});
  const std::int64_t bytes = access.width * element_bytes;
  SectorCount result;
  for_each_request(
      layout, access, element_bytes, lanes, [&](const std::vector<std::int64_t>& addresses) {
        result.most = std::max(result.most, sectors_per_request(addresses, bytes, sector_bytes));
        result.ideal = std::max(
            result.ideal, static_cast<int>(ceil_div(
                              static_cast<std::int64_t>(addresses.size()) * bytes, sector_bytes)));
        return true;
      });
  return result;
}

}  // namespace vkmoye
