// SPDX-License-Identifier: MIT
// __builtin_clz in a comment is none.
#include <unistd.h>
inline bool overflows(long a, long b, long& c) { return __builtin_add_overflow(a, b, &c); }
inline std::string name(const std::filesystem::path& path) { return path.string(); }
