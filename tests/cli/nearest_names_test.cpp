// SPDX-License-Identifier: MIT
// A name that is misspelt is answered with the nearest: of commands, kernels, options, types and other choices.

#include "cli/bench.hpp"

namespace vkmoye::test {
namespace {

struct Misspelt {
  std::vector<std::string> words;
  std::string meant;
};

const std::vector<Misspelt>& misspelt_lines() {
  static const std::vector<Misspelt> rows = {
      // commands
      {{"siute"}, "suite"},
      {{"completoin", "bash"}, "completion"},
      // kernels, and kernels as baselines
      {{"run", "sofmax/rows"}, "softmax/rows"},
      {{"explain", "gem/simt"}, "gemm/simt"},
      {{"list", "Gemm/Simt"}, "gemm/simt"},
      {{"run", "gemm/thin", "--baseline", "gemm/smit"}, "gemm/simt"},
      // options of commands, of problems and of kernels
      {{"run", "copy/simple", "--residnet", "yes"}, "--resident"},
      {{"run", "copy/simple", "--specialize", "all"}, "--specialise"},
      {{"compare", "--efect", "3", "a", "b"}, "--effect"},
      {{"suite", "--Quick"}, "--quick"},
      {{"run", "attention/auto", "--casual"}, "--causal"},
      {{"run", "gemm/simt", "--split-K", "2"}, "--split-k"},
      {{"run", "copy/auto", "--addres", "pointer"}, "--address"},
      {{"man", "--hlep"}, "--help"},
      // types and formats of weights
      {{"run", "gemm/auto", "--type", "f16,f23"}, "f32"},
      {{"run", "gemm/auto", "--type", "f16*q4k,f32"}, "q4_K"},
      {{"run", "gemm/auto", "--type", "f16*q4_k,f32"}, "q4_K"},
      {{"tune", "gemm", "--size", "64", "--type", "f16*q80,f32"}, "q8_0"},
      {{"run", "attention/auto", "--type", "f16*q8_O"}, "q8_0"},
      {{"layout", "--weights", "q6k"}, "q6_K"},
      // choices of commands
      {{"run", "copy/simple", "--verify", "sampel"}, "sample"},
      {{"list", "--format", "jsn"}, "json"},
      {{"suite", "--baseline", "cubals"}, "cublas"},
      {{"pack", "gemm/auto", "--from", "gtpq", "--in", "x", "--out", "y"}, "gptq"},
      {{"layout", "4:1", "--draw", "svgg"}, "svg"},
      {{"run", "--kernel", "x", "--reference", "gem"}, "gemm"},
      {{"run", "gemm/auto", "--resident", "yse", "--size", "64"}, "yes"},
      {{"explain", "gemm/auto", "--device", "nav31"}, "navi31"},
      // choices of problems and of kernels
      {{"run", "gemm/auto", "--a", "K"}, "k"},
      {{"run", "gemm/auto", "--init", "ranodm"}, "random"},
      {{"run", "softmax/rows", "--init", "hrad"}, "hard"},
      {{"run", "gemm/auto", "--epilogue", "bias,gleu"}, "gelu"},
      {{"run", "gemm/packed", "--packed", "AB"}, "ab"},
      {{"run", "attention/auto", "--mask", "f61"}, "f16"},
      {{"run", "attention/auto", "--axes", "bhds"}, "bhsd"},
      {{"run", "copy/auto", "--address", "pionter"}, "pointer"},
      {{"run", "gate/rows", "--function", "gleu"}, "gelu"},
      // operations on layouts
      {{"layout", "compostion(4:1,2:1)"}, "composition"},
  };
  return rows;
}

TEST(NearestNames, AreSuggested) {
  for (const auto& [words, meant] : misspelt_lines()) {
    expect_refused(words, HasSubstr("did you mean '" + meant + "'?"));
  }
}

TEST(NearestNames, AreSuggestedOnlyIfNear) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"nonsense"},
                                                {"run", "copy/simple", "--nonsense"},
                                                {"run", "gemm/auto", "--type", "f16*nonsense"},
                                                {"run", "gemm/auto", "--init", "nonsense"},
                                                {"run", "copy/simple", "--format", "nonsense"}}) {
    expect_refused(words, AllOf(HasSubstr("nonsense"), Not(HasSubstr("did you mean"))));
  }
}

}  // namespace
}  // namespace vkmoye::test
