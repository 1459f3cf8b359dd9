// SPDX-License-Identifier: MIT
#include "vkmoye/gen/verify/accepted_kernels.hpp"

#include <fstream>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "vkmoye/base/path_text.hpp"
#include "vkmoye/gen/ir/fingerprint.hpp"

namespace vkmoye::gen {

extern const char kLibraryText[];  // a hash of the text of the library, made by library_text.cmake

namespace {

using ir::Fingerprint;

constexpr std::string_view kPrefix = "verified-";
// 65536 kernels. A larger file begins anew.
constexpr std::uintmax_t kMaxBytes = std::uintmax_t{1} << 20;

class AcceptedKernels {
 public:
  void keep_in(const std::filesystem::path& folder) {
    const std::lock_guard lock(mutex_);
    file_.clear();
    if (folder.empty()) return;
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    file_ = folder / (std::string(kPrefix) + kLibraryText);
    remove_others(folder);
    if (std::filesystem::file_size(file_, error) > kMaxBytes && !error) {
      std::filesystem::remove(file_, error);
    }
    read_ = 0;
    read_on();
  }

  bool contains(const Fingerprint& kernel) {
    const std::lock_guard lock(mutex_);
    if (known_.contains(kernel)) return true;
    if (!file_.empty()) read_on();  // another process may have added it
    return known_.contains(kernel);
  }

  void add(const Fingerprint& kernel) {
    const std::lock_guard lock(mutex_);
    if (!known_.insert(kernel).second || file_.empty()) return;
    // Several processes append to the file: one write of 16 bytes is not torn by another.
    std::ofstream out(file_, std::ios::binary | std::ios::app);
    out.write(reinterpret_cast<const char*>(&kernel), sizeof kernel);
  }

 private:
  // Reads what was added to the file since the last time.
  void read_on() {
    std::ifstream in(file_, std::ios::binary);
    in.seekg(read_);
    Fingerprint one;
    for (; in.read(reinterpret_cast<char*>(&one), sizeof one); read_ += sizeof one) {
      known_.insert(one);
    }
  }
  void remove_others(const std::filesystem::path& folder) const {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
      const bool is_one = path_text(entry.path().filename()).starts_with(kPrefix);
      if (is_one && entry.path() != file_) std::filesystem::remove(entry.path(), error);
    }
  }

  std::mutex mutex_;
  std::set<Fingerprint> known_;
  std::filesystem::path file_;
  std::streamoff read_ = 0;  // bytes of it
};

AcceptedKernels& accepted() {
  static AcceptedKernels kernels;
  return kernels;
}

}  // namespace

void keep_accepted_kernels(const std::filesystem::path& folder) { accepted().keep_in(folder); }
bool is_accepted(const ir::Kernel& kernel) { return accepted().contains(fingerprint(kernel)); }
void add_accepted(const ir::Kernel& kernel) { accepted().add(fingerprint(kernel)); }

}  // namespace vkmoye::gen
