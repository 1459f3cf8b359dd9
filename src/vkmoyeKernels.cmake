# SPDX-License-Identifier: MIT
# vkmoye_add_kernels(TARGET [LANGUAGE C] [NAMESPACE name] [DEVICE device..] [SUBGROUP_SIZES 32 64 1] [PROGRAM program]
#                    KERNELS "[name =] kernel [option]..." ..)
#
# Compiles kernels when TARGET is built, again when vkmoye-bench changes, and embeds them: each is a header of TARGET's
# include path, kernels/NAME.hpp, with the namespace `kernels::NAME` (NAMESPACE: in place of `kernels`). The program needs
# the runtime alone.
#
#   find_package(vkmoye REQUIRED)
#   vkmoye_add_kernels(app KERNELS "softmax/rows --type f16" "product = gemm/auto --type f16,f32,f32 --size 64x64x512")
#   target_link_libraries(app PRIVATE vkmoye::runtime)
#
# KERNELS   what `vkmoye-bench emit` takes: a kernel and its options. NAME is what stands before =, else the kernel with _
#           in place of /. With --size, a kernel that takes several launches is a plan.
# LANGUAGE C  a header for C, kernels/NAME.h, in place of that for C++: the file as bytes for vkmoye_parse_file, and the
#           numbers of arrays and arguments, all with the prefix `kernels_NAME_` (tests/consumer/c/embedded.c)
# DEVICE    descriptions of devices, with a variant for each: navi31, h100, or a file that
#           `vkmoye-bench devices --format json` wrote
# SUBGROUP_SIZES  a variant for each (--subgroup-size), of each device. That for 1 uses no operations of subgroups, and
#           runs on every device. gemm/auto, which chooses a kernel, has none.
# PROGRAM   a target, or a program, that compiles in place of vkmoye-bench: your own, made of vkmoye::bench, for kernels
#           that you describe (tests/consumer/bench)
#
# The program takes the first variant that its device can run, so put what fits fewer devices first. Without DEVICE and
# SUBGROUP_SIZES, there is one.
#
# TARGET is one of the same directory.
# VKMOYE_BENCH is the program that compiles unless PROGRAM says otherwise: the installed one, or with add_subdirectory and
# VKMOYE_BUILD_TOOLS the one that is built. For cross-compiling, both are programs of the build machine, such as an imported
# target.
function(vkmoye_add_kernels target)
  string(JOIN "|" vkmoye_keywords alignas alignof and asm auto bool break case catch char class const constexpr continue
         decltype default delete do double else enum explicit export extern false float for friend goto if inline int long
         mutable namespace new noexcept not nullptr operator or private protected public register requires return short
         signed sizeof static struct switch template this throw true try typedef typename union unsigned using virtual void
         volatile while xor)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "LANGUAGE;NAMESPACE;PROGRAM" "KERNELS;DEVICE;SUBGROUP_SIZES")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_KERNELS)
    message(FATAL_ERROR "vkmoye_add_kernels(${target}): needs KERNELS, and knows LANGUAGE, NAMESPACE, DEVICE, "
                        "SUBGROUP_SIZES and PROGRAM besides; got '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  set(suffix hpp)
  if(arg_LANGUAGE STREQUAL "C")
    set(suffix h)
  elseif(arg_LANGUAGE AND NOT arg_LANGUAGE STREQUAL "CXX")
    message(FATAL_ERROR "vkmoye_add_kernels(${target}): LANGUAGE ${arg_LANGUAGE} is neither C nor CXX")
  endif()
  set(where)
  if(TARGET ${target})
    get_target_property(where ${target} SOURCE_DIR)
  endif()
  if(NOT where STREQUAL CMAKE_CURRENT_SOURCE_DIR)
    message(FATAL_ERROR "vkmoye_add_kernels(${target}): is no target of this directory, ${CMAKE_CURRENT_SOURCE_DIR}")
  endif()
  foreach(size IN LISTS arg_SUBGROUP_SIZES)
    if(NOT size MATCHES "^(1|2|4|8|16|32|64|128)$")
      message(FATAL_ERROR "vkmoye_add_kernels(${target}): SUBGROUP_SIZES ${size} is no power of two from 1 to 128")
    endif()
  endforeach()
  set(program ${VKMOYE_BENCH})
  set(compiler ${VKMOYE_BENCH})
  if(NOT arg_PROGRAM AND NOT VKMOYE_BENCH AND TARGET vkmoye-bench)
    set(arg_PROGRAM vkmoye-bench)
  endif()
  if(TARGET "${arg_PROGRAM}")
    set(program $<TARGET_FILE:${arg_PROGRAM}>)
    set(compiler ${arg_PROGRAM})
  elseif(arg_PROGRAM)
    get_filename_component(program ${arg_PROGRAM} ABSOLUTE)
    set(compiler ${program})
  endif()
  if(NOT program)
    message(FATAL_ERROR "vkmoye_add_kernels(${target}): the program vkmoye-bench was not found; set VKMOYE_BENCH to it, or "
                        "VKMOYE_BUILD_TOOLS to ON, if vkmoye is part of this project")
  endif()
  set(namespace kernels)
  if(arg_NAMESPACE)
    set(namespace ${arg_NAMESPACE})
  endif()
  if(NOT namespace MATCHES "^[A-Za-z_][A-Za-z0-9_]*(::[A-Za-z_][A-Za-z0-9_]*)*$")
    message(FATAL_ERROR "vkmoye_add_kernels(${target}): NAMESPACE ${namespace} is no name of C++")
  endif()
  set(devices)
  set(device_files)
  foreach(device IN LISTS arg_DEVICE)
    if(device MATCHES "[.]json$")
      get_filename_component(device ${device} ABSOLUTE)
      list(APPEND device_files ${device})
    endif()
    list(APPEND devices ${device})
  endforeach()
  set(script ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/vkmoyeKernelHeader.cmake)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}.kernels)
  foreach(text IN LISTS arg_KERNELS)
    if(text MATCHES "^([^=/]*)=(.*)$")
      string(STRIP "${CMAKE_MATCH_1}" name)
      string(STRIP "${CMAKE_MATCH_2}" text)
    elseif(text MATCHES "^ *([^ ]+)")
      string(MAKE_C_IDENTIFIER "${CMAKE_MATCH_1}" name)
    endif()
    if(NOT name MATCHES "^[A-Za-z_][A-Za-z0-9_]*$" OR NOT text MATCHES "[^ ]")
      message(FATAL_ERROR "vkmoye_add_kernels(${target}): '${text}' is no '[name =] kernel [option]...', where the name is "
                          "one of C++")
    endif()
    if(name MATCHES "^(${vkmoye_keywords})$")
      message(FATAL_ERROR "vkmoye_add_kernels(${target}): ${name} is a keyword of C++; write 'my_${name} = ${text}'")
    endif()
    get_property(taken TARGET ${target} PROPERTY VKMOYE_KERNELS)
    if(name IN_LIST taken)
      message(FATAL_ERROR "vkmoye_add_kernels(${target}): two kernels are called ${name}; write 'name = ${text}'")
    endif()
    set_property(TARGET ${target} APPEND PROPERTY VKMOYE_KERNELS ${name})
    set(header ${folder}/kernels/${name}.${suffix})
    add_custom_command(OUTPUT ${header}
                       COMMAND ${CMAKE_COMMAND} -DBENCH=${program} "-DTEXT=${text}" "-DDEVICES=${devices}"
                               "-DSIZES=${arg_SUBGROUP_SIZES}" -DNAME=${name} -DNAMESPACE=${namespace} -DHEADER=${header}
                               -P ${script}
                       DEPENDS ${compiler} ${script} ${device_files} COMMENT "Compiling ${text}" VERBATIM)
    target_sources(${target} PRIVATE ${header})
  endforeach()
  target_include_directories(${target} PRIVATE ${folder})
endfunction()
