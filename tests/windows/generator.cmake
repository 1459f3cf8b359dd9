# SPDX-License-Identifier: MIT
# vkmoye-bench.exe and the tests of the generator and of the command line that compile for Windows. Left out:
#   gen/spirv, cli                    run other programs (spirv-val, vkmoye-bench) by fork and exec
#   gen/kernels/address_test.cpp      maps memory by mmap
#   report/output_file_test.cpp       unnamed files, which Windows does not have; staged_file_test.cpp in their place
#   report/table_test.cpp             sets COLUMNS by setenv
#   workloads/tuned_table_test.cpp    modes of POSIX, umask
#   corpus                            maps memory by mmap
#   everything on a device, but what tools/windows does with vkmoye-bench.exe
# and whatever needs rapidcheck.
set(tests ${CMAKE_CURRENT_SOURCE_DIR}/..)
add_library(test_files STATIC ${tests}/support/temporary_folder.cpp)
target_include_directories(test_files PUBLIC ${tests})

# windows_test(NAME LIBRARIES lib... FOLDERS folder... [MORE file...] [EXCEPT regex])
function(windows_test name)
  cmake_parse_arguments(arg "" "EXCEPT" "FOLDERS;LIBRARIES;MORE" ${ARGN})
  set(sources)
  foreach(folder IN LISTS arg_FOLDERS)
    file(GLOB_RECURSE found ${tests}/${folder}/*.cpp)
    list(APPEND sources ${found})
  endforeach()
  if(arg_EXCEPT)
    list(FILTER sources EXCLUDE REGEX "${arg_EXCEPT}")
  endif()
  list(TRANSFORM arg_MORE PREPEND ${tests}/)
  add_executable(${name} ${sources} ${arg_MORE})
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} test_files vkmoye_warnings fmt::fmt GTest::gmock_main)
  target_compile_options(${name} PRIVATE -O0)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR} UNITY_BUILD_BATCH_SIZE 12)
endfunction()

set(shipped golden/goldens.cpp offline_gpus/cases.cpp)
windows_test(test_gen FOLDERS gen LIBRARIES vkmoye_gen EXCEPT "/gen/spirv/|/address_test[.]cpp$")
windows_test(test_golden FOLDERS golden LIBRARIES vkmoye_gen)
target_compile_definitions(test_golden PRIVATE VKMOYE_SHADERS="${PROJECT_SOURCE_DIR}/../../shaders")
windows_test(test_judge FOLDERS judge LIBRARIES vkmoye_gen SPIRV-Tools-static MORE ${shipped})
target_include_directories(test_judge SYSTEM PRIVATE ${HEADERS})
windows_test(test_layout_tool FOLDERS layout_eval LIBRARIES vkmoye_layout_tool nlohmann_json::nlohmann_json)
target_compile_definitions(test_layout_tool PRIVATE VKMOYE_VECTORS="${PROJECT_SOURCE_DIR}/../layout/vectors")
windows_test(test_report FOLDERS report LIBRARIES vkmoye_report nlohmann_json::nlohmann_json
             EXCEPT "/(output_file|table)_test[.]cpp$")
windows_test(test_work FOLDERS workloads LIBRARIES vkmoye_work nlohmann_json::nlohmann_json
             EXCEPT "/tuned_table_test[.]cpp$")
target_compile_definitions(test_work PRIVATE VKMOYE_DESCRIPTIONS="${PROJECT_SOURCE_DIR}/../../tools/devices")
