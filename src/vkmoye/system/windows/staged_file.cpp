// SPDX-License-Identifier: MIT
#include "vkmoye/system/staged_file.hpp"

#include "vkmoye/system/file.hpp"
#include "vkmoye/system/windows/handle_file.hpp"

namespace vkmoye::system {
namespace {

bool has_attribute(const std::filesystem::path& path, DWORD attribute) {
  const DWORD found = GetFileAttributesW(path.c_str());
  return found != INVALID_FILE_ATTRIBUTES && (found & attribute) != 0;
}

// What is at `path`, and whether it is a regular file.
WriteTarget look_at(const std::filesystem::path& path, bool& is_regular) {
  WriteTarget out;
  // Without truncating it: nothing changes.
  const HandleFile file(open_existing(path, GENERIC_WRITE));
  const DWORD error = file.is_open() ? 0 : GetLastError();
  out.exists = file.is_open() || !is_missing(error);
  is_regular = file.is_open() && GetFileType(file.handle) == FILE_TYPE_DISK;
  if (has_attribute(path, FILE_ATTRIBUTE_DIRECTORY)) {
    out.refusal = kIsFolder;
  } else if (has_attribute(path, FILE_ATTRIBUTE_READONLY)) {
    out.refusal = "it is read-only";
  } else if (!file.is_open() && error != ERROR_FILE_NOT_FOUND) {
    out.refusal = message_of_file(error);
  }
  return out;
}

}  // namespace

struct StagedFile::State {
  std::filesystem::path path, target;
  std::filesystem::path temporary;  // its name until it is whole
  HandleFile file;
  HANDLE output = INVALID_HANDLE_VALUE;  // that of `file`, or of standard output
  bool in_place = false, to_stdout = false;

  std::string open_for_writing() {
    if (to_stdout) {
      output = GetStdHandle(STD_OUTPUT_HANDLE);
      return output == nullptr || output == INVALID_HANDLE_VALUE ? "it is closed" : "";
    }
    file.handle = in_place ? open_existing(path, GENERIC_WRITE)
                           : open_new(target.parent_path(), L".tmp", temporary);
    if (!file.is_open()) {
      temporary.clear();
      return message_of_file(GetLastError());
    }
    output = file.handle;
    return "";
  }
};

WriteTarget write_target(const std::filesystem::path& path) {
  bool is_regular = false;
  return look_at(path, is_regular);
}

StagedFile::StagedFile(const std::filesystem::path& path, std::string& refusal)
    : state_(std::make_unique<State>()) {
  refusal.clear();
  state_->path = state_->target = path;
  if (path == L"-") {
    state_->in_place = state_->to_stdout = true;
    return;
  }
  bool is_regular = false;
  const WriteTarget found = look_at(path, is_regular);
  refusal = found.refusal;
  state_->in_place = found.exists && !is_regular;
  if (!refusal.empty() || state_->in_place) return;
  state_->target = follow_links(path);
  // Rights do not say whether the folder can be written, as it may be on a medium that cannot: this tries it.
  std::filesystem::path name;
  const HandleFile trial(
      open_new(state_->target.parent_path(), L".tmp", name, FILE_FLAG_DELETE_ON_CLOSE));
  if (!trial.is_open()) refusal = message_of_file(GetLastError());
}

StagedFile::~StagedFile() {
  state_->file.close();
  if (!state_->temporary.empty()) DeleteFileW(state_->temporary.c_str());
}

bool StagedFile::goes_to_stdout() const { return state_->to_stdout; }

std::string StagedFile::write(std::span<const std::byte> bytes) {
  if (state_->output == INVALID_HANDLE_VALUE) {
    if (std::string refusal = state_->open_for_writing(); !refusal.empty()) return refusal;
  }
  return write_all(state_->output, bytes) ? "" : message_of(GetLastError());
}

std::string StagedFile::commit() {
  // Pipes and consoles cannot be flushed, which is not an error.
  if (FlushFileBuffers(state_->output) == 0 && !state_->in_place) return message_of(GetLastError());
  state_->output = INVALID_HANDLE_VALUE;
  state_->file.close();  // an open file cannot be renamed
  if (state_->in_place) return "";
  if (MoveFileExW(state_->temporary.c_str(), state_->target.c_str(),
                  MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH) == 0) {
    return message_of(GetLastError());
  }
  state_->temporary.clear();
  return "";
}

}  // namespace vkmoye::system
