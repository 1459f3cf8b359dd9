#include "io/wrap.hpp"

#include "vkmoye/base/text.hpp"

namespace vkmoye::bench {

std::string hanging(const std::string& head, const std::string& text, std::size_t columns) {
  std::string out, line = head;
  bool empty = true;  // nothing behind the head or the margin
  for (const std::string& word : split(text, ' ')) {
    if (!empty && line.size() + 1 + word.size() > columns) {
      out += line + '\n';
      line = std::string(head.size(), ' ');
      empty = true;
    }
    line += (empty ? "" : " ") + word;
    empty = false;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return out + line + '\n';
}

}  // namespace vkmoye::bench
