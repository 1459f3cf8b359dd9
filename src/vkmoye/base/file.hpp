// SPDX-License-Identifier: MIT
#pragma once
// Whole files, read and replaced at once.
//
//   text -> a new file beside the target, under a name that nobody else uses -> synced -> renamed
//
// Who reads meanwhile, and a machine that stops, finds the old file or the new one, never a part. Of
// several who write at once, in threads or programs, the last to rename wins.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace vkmoye {

/// All of a regular file of at most 1 GiB, or an empty vector and `error` set ("" where there is no
/// such file).
std::vector<std::byte> read_file(const std::filesystem::path& path, std::string& error);

/// Who may read a file that is written.
enum class Readers : std::uint8_t {
  owner,     // mode 0600
  as_before  // mode and owner of the file that is replaced; of a new one as the user's umask says
};

/// Replaces `path`, whose folder is there. A symbolic link stays, and what it leads to is replaced.
/// Refuses what is there and is not a regular file, or is read-only. Returns what went wrong, "" if
/// nothing did; the file is as before then, and nothing is left beside it.
std::string replace_file(const std::filesystem::path& path, std::span<const std::byte> contents,
                         Readers readers);

/// Where `path` leads if it is a symbolic link, also to what is not there; else `path`.
std::filesystem::path follow_links(std::filesystem::path path);

}  // namespace vkmoye
