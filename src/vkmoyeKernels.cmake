# SPDX-License-Identifier: MIT
# vkmoye_add_kernels(TARGET [NAMESPACE name] [DEVICE device] [LANES 32 64 1] KERNELS "[name =] kernel [option]..." ..)
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
# DEVICE    a description of the device: navi31, or a file that `vkmoye-bench devices --format json` wrote
# LANES     a variant for each of these sizes of a subgroup (--subgroup-size); the program takes the first that its device
#           can run. That for 1 uses no operations of subgroups, for every device. Without LANES, there is one variant.
#
# VKMOYE_BENCH is the program that compiles: the installed one, or, for cross-compiling, one of the build machine.
set(vkmoye_kernel_header ${CMAKE_CURRENT_LIST_DIR}/vkmoyeKernelHeader.cmake)
define_property(TARGET PROPERTY VKMOYE_KERNELS BRIEF_DOCS "names of vkmoye_add_kernels" FULL_DOCS "one for each header")

function(vkmoye_add_kernels target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "NAMESPACE;DEVICE" "KERNELS;LANES")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_KERNELS)
    message(FATAL_ERROR "vkmoye_add_kernels(${target}): needs KERNELS, and knows NAMESPACE, DEVICE and LANES besides; "
                        "got '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  if(NOT VKMOYE_BENCH)
    message(FATAL_ERROR "vkmoye_add_kernels(${target}): the program vkmoye-bench was not found; set VKMOYE_BENCH to it")
  endif()
  set(namespace kernels)
  if(arg_NAMESPACE)
    set(namespace ${arg_NAMESPACE})
  endif()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}.kernels)
  foreach(text IN LISTS arg_KERNELS)
    string(REGEX MATCH "^ *([A-Za-z_][A-Za-z0-9_]*) *= *(.*)$" is_named "${text}")
    if(is_named)
      set(name ${CMAKE_MATCH_1})
      set(text "${CMAKE_MATCH_2}")
    else()
      separate_arguments(words UNIX_COMMAND "${text}")
      list(GET words 0 name)
      string(MAKE_C_IDENTIFIER ${name} name)
    endif()
    get_property(taken TARGET ${target} PROPERTY VKMOYE_KERNELS)
    if(name IN_LIST taken)
      message(FATAL_ERROR "vkmoye_add_kernels(${target}): two kernels are called ${name}; write 'name = ${text}'")
    endif()
    set_property(TARGET ${target} APPEND PROPERTY VKMOYE_KERNELS ${name})
    set(header ${folder}/kernels/${name}.hpp)
    add_custom_command(OUTPUT ${header}
                       COMMAND ${CMAKE_COMMAND} -DBENCH=${VKMOYE_BENCH} "-DTEXT=${text}" "-DDEVICE=${arg_DEVICE}"
                               "-DLANES=${arg_LANES}" -DNAME=${name} -DNAMESPACE=${namespace} -DHEADER=${header}
                               -P ${vkmoye_kernel_header}
                       DEPENDS ${VKMOYE_BENCH} ${vkmoye_kernel_header} COMMENT "Compiling ${text}" VERBATIM)
    target_sources(${target} PRIVATE ${header})
  endforeach()
  target_include_directories(${target} PRIVATE ${folder})
endfunction()
