# SPDX-License-Identifier: MIT
# Writes a source with a hash of the text of the library, under which kernels that it verified are kept:
# cmake -DROOT=.. -DOUTPUT=.. -P library_text.cmake
file(GLOB_RECURSE files ${ROOT}/src/vkmoye/base/* ${ROOT}/src/vkmoye/layout/* ${ROOT}/src/vkmoye/tensor/*
     ${ROOT}/src/vkmoye/contract/* ${ROOT}/generator/vkmoye/*)
list(SORT files)
set(hashes "")
foreach(file IN LISTS files)
  if(file MATCHES "[.][ch]pp$")
    file(SHA256 ${file} hash)
    string(APPEND hashes "${hash}")
  endif()
endforeach()
string(SHA256 hash "${hashes}")
string(SUBSTRING ${hash} 0 32 hash)
file(WRITE ${OUTPUT} "// SPDX-License-Identifier: MIT
namespace vkmoye::gen {
extern const char kLibraryText[];
const char kLibraryText[] = \"${hash}\";
}
")
