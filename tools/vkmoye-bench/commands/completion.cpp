// SPDX-License-Identifier: MIT
// completion: the script with which a shell completes command lines of this program. It only calls the program: see
// candidates.hpp.

#include <cctype>
#include <iostream>
#include <regex>
#include <string>

#include "commands/options.hpp"
#include "io/program.hpp"

namespace vkmoye::bench {
namespace {

// In the scripts, vkmoye-bench is the name of the program, and FUNCTION that name as part of a function's.
constexpr const char* kBash = R"(# bash completion for vkmoye-bench
_FUNCTION() {
  local current=${COMP_WORDS[COMP_CWORD]} word
  [[ $current != "=" ]] || current=
  COMPREPLY=()
  while IFS=$'\t' read -r word _; do
    if [[ $word == :files ]]; then
      compopt -o filenames 2>/dev/null
      while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$current")
    else
      COMPREPLY+=("$word")
    fi
  done < <("${COMP_WORDS[0]/#\~/$HOME}" completion words -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _FUNCTION vkmoye-bench
)";

constexpr const char* kZsh = R"(#compdef vkmoye-bench
# zsh completion for vkmoye-bench
_FUNCTION() {
  local line files=
  local -a found
  for line in "${(@f)$("${(Q)words[1]/#\~/$HOME}" completion words -- "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    if [[ $line == :files ]]; then
      files=yes
    elif [[ $line == *$'\t'* ]]; then
      found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
    elif [[ -n $line ]]; then
      found+=("${line//:/\\:}")
    fi
  done
  (( $#found )) && _describe 'vkmoye-bench' found
  if [[ -n $files ]]; then
    compset -P '--*='
    _files
  fi
}
if [[ ${funcstack[1]} == _FUNCTION || ${funcstack[1]} == _vkmoye-bench ]]; then
  _FUNCTION "$@"
else
  compdef _FUNCTION vkmoye-bench
fi
)";

constexpr const char* kFish = R"(# fish completion for vkmoye-bench
function __FUNCTION_candidates
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for line in ($words[1] completion words -- $words[2..-1] "$current" 2>/dev/null)
        if test "$line" = :files
            __fish_complete_path "$current"
        else
            printf '%s\n' $line
        end
    end
end
complete -c vkmoye-bench -f -a '(__FUNCTION_candidates)'
)";

int completion(const CommandOptions& options) {
  std::string function = program_name();
  for (char& c : function) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  const std::string script = options.shell == "bash"  ? kBash
                             : options.shell == "zsh" ? kZsh
                                                      : kFish;
  std::cout << with_program_name(std::regex_replace(script, std::regex("FUNCTION"), function));
  return kOk;
}

}  // namespace

const Command kCompletion = {
    CommandName::completion, "print a script that completes command lines in a shell",
    "The script calls the program that is typed for its commands, options, values and\n"
    "kernels. Installed packages have the scripts already.\n\n"
    "Examples:\n  source <(vkmoye-bench completion bash)\n"
    "  vkmoye-bench completion zsh > ~/.zfunc/_vkmoye-bench\n"
    "  vkmoye-bench completion fish > ~/.config/fish/completions/vkmoye-bench.fish",
    completion};

}  // namespace vkmoye::bench
