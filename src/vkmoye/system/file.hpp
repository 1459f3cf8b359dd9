// SPDX-License-Identifier: MIT
#pragma once
// Reads a whole file, and replaces one atomically.
//
//   text -> a new file beside the target, under a unique name -> synced -> renamed
//
// A concurrent reader finds the old file or the new one, never a part; the same holds after a crash. If several
// threads or programs write at once, the last to rename wins.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace vkmoye::system {

/// All of a regular file of at most 1 GiB, or an empty vector and `error` set ("" where there is no
/// such file).
std::vector<std::byte> read_file(const std::filesystem::path& path, std::string& error);

/// Why `path` is not a regular file that can be opened; "" if it is one.
std::string reason_against_reading(const std::filesystem::path& path);

/// Who may read a file that is written.
enum class Permissions : std::uint8_t {
  owner_only,  // POSIX: mode 0600. Windows: as the folder says, which is the user's own for a cache
  preserved  // mode and owner of the file that is replaced; for a new one as the user's umask, or the folder, says
};

/// Replaces `path`, whose folder must exist. A symbolic link is kept, and its target replaced. Refuses to replace
/// anything but a writable regular file. Returns the error, or "" on success; after an error the file is as it
/// was, and no other file is left behind.
std::string replace_file(const std::filesystem::path& path, std::span<const std::byte> contents,
                         Permissions permissions);

/// The target of `path` if it is a symbolic link, even if the target does not exist; otherwise `path`.
std::filesystem::path follow_links(std::filesystem::path path);

/// The largest file that is read, in bytes.
inline constexpr std::uint64_t kMaxFileBytes = std::uint64_t{1} << 30;

}  // namespace vkmoye::system
