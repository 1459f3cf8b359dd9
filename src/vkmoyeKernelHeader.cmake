# SPDX-License-Identifier: MIT
# Compiles a kernel, in a variant for each of LANES, and writes the header of vkmoye_add_kernels:
# cmake -DBENCH=.. -DTEXT=.. -DDEVICE=.. -DLANES=.. -DNAME=.. -DNAMESPACE=.. -DHEADER=.. -P vkmoyeKernelHeader.cmake
cmake_minimum_required(VERSION 3.22)

# compiled(OUT [OPTION...]): the text of a kernel file.
function(compiled out)
  separate_arguments(words UNIX_COMMAND "${TEXT}")
  if(DEVICE)
    list(APPEND words --device ${DEVICE})
  endif()
  execute_process(COMMAND ${BENCH} emit ${words} ${ARGN} --kernel - OUTPUT_VARIABLE text ERROR_VARIABLE errors
                  RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${TEXT} ${ARGN}: ${errors}")
  endif()
  set(${out} "${text}" PARENT_SCOPE)
endfunction()

# literal(TEXT OUT): TEXT as string literals of a length that every compiler takes.
function(literal text out)
  set(pieces "")
  string(LENGTH "${text}" length)
  set(at 0)
  while(at LESS length)
    string(SUBSTRING "${text}" ${at} 12000 piece)
    string(APPEND pieces "\n    R\"vkmoye(${piece})vkmoye\"")
    math(EXPR at "${at} + 12000")
  endwhile()
  set(${out} "${pieces}" PARENT_SCOPE)
endfunction()

# All variants have the interface of the first.
set(texts "")
set(count 0)
if(NOT LANES)
  set(LANES default)
endif()
foreach(lanes IN LISTS LANES)
  set(options)
  if(NOT lanes STREQUAL "default")
    set(options --subgroup-size ${lanes})
  endif()
  compiled(variant ${options})
  if(count EQUAL 0)
    set(text "${variant}")
  endif()
  literal("${variant}" pieces)
  string(APPEND texts "${pieces},")
  math(EXPR count "${count} + 1")
endforeach()

string(JSON format GET "${text}" format)
set(arrays "")
set(views "")
set(sizes "")
set(values "")
if(format STREQUAL "vkmoye plan")
  set(type CompiledPlan)
  string(JSON last LENGTH "${text}" plan arrays)
  set(path plan arrays)
else()
  set(type CompiledKernel)
  string(JSON last LENGTH "${text}" kernel interface bindings)
  set(path kernel interface bindings)
  string(JSON constants LENGTH "${text}" kernel interface push_constants)
  math(EXPR constants "${constants} - 1")
  foreach(i RANGE ${constants})
    string(JSON name GET "${text}" kernel interface push_constants ${i} name)
    string(JSON kind GET "${text}" kernel interface push_constants ${i} type)
    if(name MATCHES "^first_group_[xyz]$" OR kind STREQUAL "u64")
      continue()
    endif()
    set(member "std::int64_t ${name} = 0")
    if(kind MATCHES "^f")
      set(member "double ${name} = 0")
    endif()
    if(name MATCHES "^(ld|stride_)")
      set(member "std::optional<std::int64_t> ${name} = {}")  # left out: without gaps
      string(APPEND values "    if (${name}) all[\"${name}\"] = *${name};\n")
    else()
      string(APPEND values "    all[\"${name}\"] = ${name};\n")
    endif()
    string(APPEND sizes "  ${member};\n")
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
/// The arguments of a launch; strides that are left out are those of arrays without gaps.
struct Arguments {
${sizes}
  operator vkmoye::Arguments() const {
    vkmoye::Arguments all;
${values}    return all;
  }
};
")
endif()
set(content "// Written by vkmoye_add_kernels: ${TEXT}
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include <vkmoye/contract/compiled_file.hpp>
#include <vkmoye/contract/kernel_interface.hpp>
#include <vkmoye/runtime/device.hpp>

namespace ${NAMESPACE}::${NAME} {

/// The arrays, in the order of the shader's bindings.
struct Arrays {
${arrays}
  operator std::vector<vkmoye::BufferView>() const { return {${views}}; }
};
${arguments}
/// What \`vkmoye-bench emit --kernel\` wrote, for each variant.
inline constexpr std::array<std::string_view, ${count}> kFiles = {${texts}
};

/// The first variant that the device can run, else the last one: loading it throws the reasons.
inline vkmoye::${type} compiled(const vkmoye::DeviceCaps& caps) {
  for (const std::string_view file : kFiles) {
    auto code = std::get<vkmoye::${type}>(vkmoye::parse_compiled(file));
    if (&file == &kFiles.back()) return code;
FITS
  }
  return {};
}

}  // namespace ${NAMESPACE}::${NAME}
")
if(type STREQUAL "CompiledKernel")
  set(fits "    if (reasons_against(code.interface, caps).empty()) return code;")
else()
  set(fits "    bool fits = true;
    for (const auto* kernel : kernels_of(code)) fits = fits && reasons_against(*kernel, caps).empty();
    if (fits) return code;")
endif()
string(REPLACE "\nFITS\n" "\n${fits}\n" content "${content}")
file(WRITE ${HEADER} "${content}")
