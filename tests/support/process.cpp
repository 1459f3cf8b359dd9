// SPDX-License-Identifier: MIT
#include "support/process.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>

namespace vkmoye::test {

Outcome run(const std::vector<std::string>& arguments, const std::vector<std::string>& environment,
            const std::function<void(pid_t)>& meanwhile) {
  const TemporaryFolder folder;
  const std::string out = folder.file("out"), err = folder.file("err");
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) {
    const auto redirect = [](const std::string& path, int target) {
      dup2(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), target);
    };
    redirect(out, STDOUT_FILENO);
    redirect(err, STDERR_FILENO);
    dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
    for (const std::string& variable : environment) putenv(const_cast<char*>(variable.c_str()));
    std::vector<char*> words;
    for (const std::string& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    execvp(words[0], words.data());
    _exit(127);
  }
  if (meanwhile) meanwhile(child);
  int status = 0;
  waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read_file(out),
          read_file(err)};
}

}  // namespace vkmoye::test
