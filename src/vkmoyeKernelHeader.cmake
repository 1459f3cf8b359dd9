# SPDX-License-Identifier: MIT
# Compiles a kernel, in a variant for each of DEVICES and SIZES, and writes the header of vkmoye_add_kernels, for C if
# HEADER ends with .h:
# cmake -DBENCH=.. -DTEXT=.. -DDEVICES=.. -DSIZES=.. -DNAME=.. -DNAMESPACE=.. -DHEADER=.. -P vkmoyeKernelHeader.cmake
cmake_minimum_required(VERSION 3.22)

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

separate_arguments(words UNIX_COMMAND "${TEXT}")
foreach(device IN LISTS DEVICES)
  list(APPEND words --device ${device})
endforeach()
list(JOIN SIZES "," lanes)
if(lanes)
  list(APPEND words --subgroup-size ${lanes})
endif()
execute_process(COMMAND ${BENCH} emit ${words} --kernel - OUTPUT_VARIABLE text ERROR_VARIABLE errors
                RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  list(JOIN words " " words)
  message(FATAL_ERROR "${words}: ${errors}")
endif()
set(whole "${text}")

# The arrays and arguments are those of the first variant: all variants have the same.
string(JSON format GET "${text}" format)
if(format STREQUAL "vkmoye variants")
  string(JSON text GET "${text}" variants 0)
  string(JSON format GET "${text}" format)
endif()
set(views "")      # names of arrays
set(arguments "")  # names, those of numbers with a point in `reals`
set(reals "")
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
    list(APPEND arguments ${name})
    if(kind MATCHES "^f")
      list(APPEND reals ${name})
    endif()
  endforeach()
endif()
math(EXPR last "${last} - 1")
foreach(i RANGE ${last})
  string(JSON name GET "${text}" ${path} ${i} name)
  list(APPEND views ${name})
endforeach()

# constants(OUT PREFIX NUMBER NAME...): an enum of C with the place of each name, PREFIX_NAME, and NUMBER, of how many.
function(constants out prefix number)
  set(text "enum {\n")
  foreach(name IN LISTS ARGN)
    string(APPEND text "  ${prefix}_${name},\n")
  endforeach()
  set(${out} "${text}  ${number}\n};\n" PARENT_SCOPE)
endfunction()

if(HEADER MATCHES "[.]h$")
  string(REPLACE "::" "_" prefix "${NAMESPACE}_${NAME}")
  list(SORT arguments)
  constants(array_numbers ${prefix}_array ${prefix}_number_of_arrays ${views})
  constants(argument_numbers ${prefix}_argument ${prefix}_number_of_arguments ${arguments})
  string(HEX "${whole}" bytes)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(REPEAT "." 100 line)
  string(REGEX REPLACE "(${line})" "\\1\n" bytes "${bytes}")
  string(TOUPPER "${prefix}_H" guard)
  file(WRITE ${HEADER} "/* Written by vkmoye_add_kernels: ${TEXT}. Include it in one source file. */
#ifndef ${guard}
#define ${guard}

/* The arrays in the order of vkmoye_run, and the arguments in the order of vkmoye_record_values. */
${array_numbers}${argument_numbers}
/* vkmoye_parse_file((const char*)${prefix}_file, sizeof ${prefix}_file, &file) */
static const unsigned char ${prefix}_file[] = {
${bytes}
};

#endif
")
  return()
endif()

set(arrays "")
foreach(name IN LISTS views)
  string(APPEND arrays "  vkmoye::BufferView ${name};\n")
endforeach()
list(JOIN views ", " views)
literal("${whole}" pieces)
set(call "")
if(type STREQUAL "CompiledKernel")
  set(sizes "")
  set(values "")
  foreach(name IN LISTS arguments)
    set(member std::int64_t)
    if(name IN_LIST reals)
      set(member double)
    endif()
    string(APPEND sizes "  std::optional<${member}> ${name} = {};\n")
    string(APPEND values "    if (${name}) all[\"${name}\"] = *${name};\n")
  endforeach()
  set(call "
inline const vkmoye::KernelInterface& kernel_interface() {
  static const auto first = vkmoye::parse_variants(text()).front();
  static const vkmoye::KernelInterface& all = std::get<vkmoye::CompiledKernel>(first).interface;
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
#include <cstdint>
#include <optional>
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

/// What \`vkmoye-bench emit --kernel\` wrote, in pieces.
inline constexpr std::string_view kPieces[] = {${pieces}
};

/// The whole: vkmoye::parse_variants reads it.
inline std::string text() {
  std::string all;
  for (const std::string_view piece : kPieces) all += piece;
  return all;
}
${call}
/// The first variant that the device can run. Throws vkmoye::KernelError if it can run none of several; loading one alone
/// throws the reasons.
inline vkmoye::${type} compiled(const vkmoye::DeviceCaps& caps) {
  return std::get<vkmoye::${type}>(vkmoye::parse_compiled(text(), caps));
}

}  // namespace ${NAMESPACE}::${NAME}
")
file(WRITE ${HEADER} "${content}")
