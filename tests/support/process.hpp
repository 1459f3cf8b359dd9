// SPDX-License-Identifier: MIT
#pragma once
// Runs a program and captures its output.

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace vkmoye::test {

struct Outcome {
  int status = -1;  // exit status; 128 + signal if a signal ended it
  std::string out, err;
};

/// `arguments[0]` is the program. `environment`: NAME=VALUE, in addition to the variables of the test.
/// `meanwhile` is called with the process id while the program runs.
Outcome run(const std::vector<std::string>& arguments,
            const std::vector<std::string>& environment = {},
            const std::function<void(pid_t)>& meanwhile = {});

/// A temporary folder, removed by the destructor.
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

/// The contents of the file; "" if it does not exist.
std::string read_file(const std::string& path);
void write_file(const std::string& path, const std::string& bytes);

}  // namespace vkmoye::test
