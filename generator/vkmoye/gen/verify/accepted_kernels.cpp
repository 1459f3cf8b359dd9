// SPDX-License-Identifier: MIT
#include "vkmoye/gen/verify/accepted_kernels.hpp"

#include <chrono>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

#include "vkmoye/base/path_text.hpp"
#include "vkmoye/gen/proof/integer_set.hpp"

namespace vkmoye::gen {

extern const char kLibraryText[];  // a hash of the text of the library, made by library_text.cmake

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kPrefix = "verified-";
// 65536 kernels. A larger file begins anew.
constexpr std::uintmax_t kMaxBytes = std::uintmax_t{1} << 20;
constexpr auto kMaxAge = std::chrono::days(30);  // of the file of another version

fs::path file_in(const fs::path& folder) {
  return folder / (std::string(kPrefix) + kLibraryText + "-" + proof::version_of_isl());
}

void remove_old_versions(const fs::path& folder) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (!path_text(entry.path().filename()).starts_with(kPrefix)) continue;
    const auto age = fs::file_time_type::clock::now() - entry.last_write_time(error);
    if (!error && age > kMaxAge) fs::remove(entry.path(), error);
  }
}

// Whether the file is too large, or ends within an entry, after which all others would be misread.
bool must_begin_anew(const fs::path& file) {
  std::error_code error;
  const std::uintmax_t bytes = fs::file_size(file, error);
  return !error && (bytes > kMaxBytes || bytes % sizeof(ir::Fingerprint) != 0);
}

}  // namespace

void AcceptedKernels::keep_in(const fs::path& folder) {
  const std::lock_guard lock(mutex_);
  file_.clear();
  read_ = 0;
  if (folder.empty()) return;
  std::error_code error;
  fs::create_directories(folder, error);
  file_ = file_in(folder);
  remove_old_versions(folder);
  if (must_begin_anew(file_)) fs::remove(file_, error);
  read_on();
}

// Reads what was added to the file since the last time.
void AcceptedKernels::read_on() {
  std::ifstream in(file_, std::ios::binary);
  in.seekg(read_);
  ir::Fingerprint one;
  for (; in.read(reinterpret_cast<char*>(&one), sizeof one); read_ += sizeof one) {
    known_.insert(one);
  }
}

bool AcceptedKernels::contains(const ir::Kernel& kernel) {
  const ir::Fingerprint wanted = fingerprint(kernel);
  const std::lock_guard lock(mutex_);
  if (known_.contains(wanted)) return true;
  if (!file_.empty()) read_on();  // another process may have added it
  return known_.contains(wanted);
}

void AcceptedKernels::add(const ir::Kernel& kernel) {
  const ir::Fingerprint one = fingerprint(kernel);
  const std::lock_guard lock(mutex_);
  if (!known_.insert(one).second || file_.empty()) return;
  // What two processes write at once, or what does not fit the disk, is lost or no fingerprint of a kernel.
  std::ofstream out(file_, std::ios::binary | std::ios::app);
  out.write(reinterpret_cast<const char*>(&one), sizeof one);
}

AcceptedKernels& accepted_kernels() {
  static AcceptedKernels kernels;
  return kernels;
}

}  // namespace vkmoye::gen
