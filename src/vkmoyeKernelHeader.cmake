# SPDX-License-Identifier: MIT
# Compiles a kernel, in a variant for each of DEVICES and SIZES, and writes the header of vkmoye_add_kernels:
# cmake -DBENCH=.. -DTEXT=.. -DDEVICES=.. -DSIZES=.. -DNAME=.. -DNAMESPACE=.. -DHEADER=.. -P vkmoyeKernelHeader.cmake
cmake_minimum_required(VERSION 3.22)

# compiled(OUT [OPTION...]): the text of a kernel file.
function(compiled out)
  separate_arguments(words UNIX_COMMAND "${TEXT}")
  execute_process(COMMAND ${BENCH} emit ${words} ${ARGN} --kernel - OUTPUT_VARIABLE text ERROR_VARIABLE errors
                  RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " options)
    message(FATAL_ERROR "${TEXT} ${options}: ${errors}")
  endif()
  set(${out} "${text}" PARENT_SCOPE)
endfunction()

# literal(TEXT OUT): TEXT as a list of string literals of a length that every compiler takes.
function(literal text out)
  set(pieces "")
  string(LENGTH "${text}" length)
  set(at 0)
  while(at LESS length)
    string(SUBSTRING "${text}" ${at} 12000 piece)
    string(APPEND pieces "\n    R\"vkmoye(${piece})vkmoye\",")
    math(EXPR at "${at} + 12000")
  endwhile()
  set(${out} "${pieces}" PARENT_SCOPE)
endfunction()

set(texts "")
set(files "")
set(count 0)

foreach(list IN ITEMS DEVICES SIZES)
  if(NOT ${list})
    set(${list} "-")  # the default
  endif()
endforeach()
foreach(device IN LISTS DEVICES)
  foreach(size IN LISTS SIZES)
    set(options)
    if(NOT device STREQUAL "-")
      list(APPEND options --device ${device})
    endif()
    if(NOT size STREQUAL "-")
      list(APPEND options --subgroup-size ${size})
    endif()
    compiled(variant ${options})
    if(count EQUAL 0)
      set(text "${variant}")
    endif()
    literal("${variant}" pieces)
    string(APPEND texts "inline constexpr std::string_view kFile${count}[] = {${pieces}\n};\n")
    string(APPEND files "kFile${count}, ")
    math(EXPR count "${count} + 1")
  endforeach()
endforeach()

# The arrays and arguments are those of the first variant: devices and sizes of subgroups change neither.
string(JSON format GET "${text}" format)
set(arrays "")
set(views "")
set(sizes "")
set(values "")
if(format STREQUAL "vkmoye plan")
  set(type CompiledPlan)
  string(JSON last LENGTH "${text}" plan arrays)
  set(path plan arrays)
  set(fits "    bool fits = true;
    for (const auto* kernel : kernels_of(code)) fits = fits && reasons_against(*kernel, caps).empty();
    if (fits) return code;")
else()
  set(type CompiledKernel)
  string(JSON last LENGTH "${text}" kernel interface bindings)
  set(path kernel interface bindings)
  set(fits "    if (reasons_against(code.interface, caps).empty()) return code;")
  string(JSON constants LENGTH "${text}" kernel interface push_constants)
  math(EXPR constants "${constants} - 1")
  foreach(i RANGE ${constants})
    string(JSON name GET "${text}" kernel interface push_constants ${i} name)
    string(JSON kind GET "${text}" kernel interface push_constants ${i} type)
    if(name MATCHES "^first_group_[xyz]$" OR kind STREQUAL "u64")
      continue()
    endif()
    set(member std::int64_t)
    if(kind MATCHES "^f")
      set(member double)
    endif()
    string(APPEND sizes "  std::optional<${member}> ${name} = {};\n")
    string(APPEND values "    if (${name}) all[\"${name}\"] = *${name};\n")
  endforeach()
endif()
math(EXPR last "${last} - 1")
foreach(i RANGE ${last})
  string(JSON name GET "${text}" ${path} ${i} name)
  string(APPEND arrays "  vkmoye::BufferView ${name};\n")
  list(APPEND views ${name})
endforeach()
list(JOIN views ", " views)

set(arguments "")
if(type STREQUAL "CompiledKernel")
  set(arguments "
inline const vkmoye::KernelInterface& kernel_interface() {
  static const vkmoye::KernelInterface all = std::get<vkmoye::CompiledKernel>(parsed(kFiles[0])).interface;
  return all;
}

/// The arguments of a launch. Strides may be left out: arrays then have no gaps. If another one is missing, the launch
/// throws ArgumentError.
struct Arguments {
${sizes}
  operator vkmoye::Arguments() const {
    vkmoye::Arguments all;
${values}    return vkmoye::with_compact_strides(kernel_interface(), all);
  }
};
")
endif()
set(content "// Written by vkmoye_add_kernels: ${TEXT}
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <vkmoye/contract/compact_strides.hpp>
#include <vkmoye/contract/compiled_file.hpp>
#include <vkmoye/contract/kernel_interface.hpp>
#include <vkmoye/runtime/device.hpp>

namespace ${NAMESPACE}::${NAME} {

/// The arrays, in the order of the shader's bindings.
struct Arrays {
${arrays}
  operator std::vector<vkmoye::BufferView>() const { return {${views}}; }
};

/// What \`vkmoye-bench emit --kernel\` wrote, for each variant, in pieces.
${texts}inline constexpr std::array<std::span<const std::string_view>, ${count}> kFiles = {${files}};

inline vkmoye::CompiledFile parsed(std::span<const std::string_view> pieces) {
  std::string text;
  for (const std::string_view piece : pieces) text += piece;
  return vkmoye::parse_compiled(text);
}
${arguments}
/// The first variant that the device can run, else the last one: loading it throws the reasons.
inline vkmoye::${type} compiled(const vkmoye::DeviceCaps& caps) {
  for (std::size_t i = 0; i < kFiles.size(); ++i) {
    auto code = std::get<vkmoye::${type}>(parsed(kFiles[i]));
    if (i + 1 == kFiles.size()) return code;
${fits}
  }
  return {};
}

}  // namespace ${NAMESPACE}::${NAME}
")
file(WRITE ${HEADER} "${content}")
