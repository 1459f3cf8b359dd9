// SPDX-License-Identifier: MIT
#pragma once
// Runs a program and catches what it says.

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace vkmoye::test {

struct Outcome {
  int status = -1;  // exit status; 128 + signal if one ended it
  std::string out, err;
};

/// `arguments[0]` is the program. `environment`: NAME=VALUE beside the test's own variables.
/// `meanwhile` is called with the program's id once it runs.
Outcome run(const std::vector<std::string>& arguments,
            const std::vector<std::string>& environment = {},
            const std::function<void(pid_t)>& meanwhile = {});

/// A folder of its own that is removed with the object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// The whole file; "" if it is not there.
std::string read_file(const std::string& path);
void write_file(const std::string& path, const std::string& bytes);

}  // namespace vkmoye::test
