// SPDX-License-Identifier: MIT
#pragma once
// Folders that the environment names, and the file of the program.

#include <filesystem>

namespace vkmoye::system {

/// The value of an environment variable; empty if it is not set.
std::filesystem::path path_variable(const char* name);

/// The folder for the caches of this user's programs; empty if the environment names none.
/// POSIX: $XDG_CACHE_HOME, else $HOME/.cache; relative paths are ignored. Windows: %LOCALAPPDATA%.
std::filesystem::path cache_home();

/// The file of the program that runs, without links; empty if the system does not say.
std::filesystem::path program_file();

/// The file that contains vkmoye: the program, or a shared library; empty if the system does not say.
std::filesystem::path library_file();

}  // namespace vkmoye::system
