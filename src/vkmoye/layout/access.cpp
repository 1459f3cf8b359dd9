#include "vkmoye/layout/access.hpp"

#include <algorithm>
#include <vector>

namespace vkmoye {
namespace {

/// Calls f(byte addresses of one request) for every request of `access`.
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
                "element {} is at offset {}, no multiple of the {} elements accessed at once",
                {element, offset, access.width});
        addresses.push_back(checked_mul(offset, element_bytes));
      }
      f(addresses);
    }
  }
}

void check(const TileAccess& access, std::int64_t element_bytes, int lanes) {
  if (access.width < 1 || element_bytes < 1 || lanes < 1)
    raise("access", {access.elements, access.width, element_bytes, lanes},
          "width, element bytes and lanes are at least 1");
}

}  // namespace

BankConflicts bank_conflicts(std::span<const std::int64_t> byte_addresses,
                             std::int64_t access_bytes, const BankModel& model) {
  if (access_bytes < 1 || model.lanes < 1 || model.banks < 1 || model.bank_bytes < 1)
    raise("bank_conflicts", {access_bytes}, "bytes, lanes and banks are at least 1");
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
           word * model.bank_bytes < byte_addresses[lane] + access_bytes; ++word)
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
  check(access, element_bytes, model.lanes);
  BankConflicts worst;
  for_each_request(
      storage, access, element_bytes, model.lanes, [&](const std::vector<std::int64_t>& addresses) {
        const BankConflicts one = bank_conflicts(addresses, access.width * element_bytes, model);
        worst.phases = one.phases;
        worst.degree = std::max(worst.degree, one.degree);
        worst.wavefronts = std::max(worst.wavefronts, one.wavefronts);
      });
  return worst;
}

int sectors_per_request(std::span<const std::int64_t> byte_addresses, std::int64_t access_bytes,
                        std::int64_t sector_bytes) {
  if (access_bytes < 1 || sector_bytes < 1)
    raise("sectors_per_request", {access_bytes, sector_bytes}, "bytes are at least 1");
  std::vector<std::int64_t> sectors;
  for (std::int64_t address : byte_addresses)
    for (std::int64_t sector = address / sector_bytes;
         sector * sector_bytes < address + access_bytes; ++sector)
      sectors.push_back(sector);
  std::sort(sectors.begin(), sectors.end());
  return static_cast<int>(std::unique(sectors.begin(), sectors.end()) - sectors.begin());
}

SectorCount sectors_per_request(const Layout& layout, const TileAccess& access,
                                std::int64_t element_bytes, int lanes, std::int64_t sector_bytes) {
  check(access, element_bytes, lanes);
  const std::int64_t bytes = access.width * element_bytes;
  SectorCount result;
  for_each_request(
      layout, access, element_bytes, lanes, [&](const std::vector<std::int64_t>& addresses) {
        result.most = std::max(result.most, sectors_per_request(addresses, bytes, sector_bytes));
        result.ideal = std::max(
            result.ideal, static_cast<int>(ceil_div(
                              static_cast<std::int64_t>(addresses.size()) * bytes, sector_bytes)));
      });
  return result;
}

}  // namespace vkmoye
