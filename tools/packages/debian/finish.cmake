# SPDX-License-Identifier: MIT
# CPack runs this after it has put the files of all Debian packages into CPACK_TEMPORARY_DIRECTORY, a folder for each:
# adds the copyright files, compresses manual pages, and gives every file the time SOURCE_DATE_EPOCH.
file(READ ${CPACK_RESOURCE_FILE_LICENSE} licence)
string(REGEX REPLACE "^[^\n]*\n\n[^\n]*\n\n" "" terms "${licence}")
string(REGEX MATCH "Copyright [^\n]*" copyright "${licence}")
string(REGEX REPLACE "Copyright (\\([cC]\\) )?" "" copyright "${copyright}")
string(REGEX REPLACE "\n$" "" terms "${terms}")
string(REGEX REPLACE "\n\n" "\n.\n" terms "${terms}")
string(REGEX REPLACE "\n" "\n " terms "${terms}")
foreach(group IN LISTS CPACK_VKMOYE_GROUPS)
  set(root ${CPACK_TEMPORARY_DIRECTORY}/${group})
  set(share ${root}${CPACK_PACKAGING_INSTALL_PREFIX}/share)
  file(REMOVE_RECURSE ${share}/doc/vkmoye)
  set(file ${share}/doc/${CPACK_VKMOYE_${group}_PACKAGE}/copyright)
  file(WRITE ${file} "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: vkmoye

Files: *
Copyright: ${copyright}
License: Expat
 ${terms}
")
  # Header-only and static libraries that are compiled in, as far as they come from packages.
  foreach(package IN LISTS CPACK_VKMOYE_${group}_BUILT_WITH)
    if(EXISTS /usr/share/doc/${package}/copyright)
      file(READ /usr/share/doc/${package}/copyright theirs)
      file(APPEND ${file} "\n--- parts of ${package} are compiled in: ---\n\n${theirs}")
    endif()
  endforeach()
  file(GLOB_RECURSE pages ${share}/man/*.[1-8])
  foreach(page IN LISTS pages)
    execute_process(COMMAND gzip -9n ${page} COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
  file(CHMOD_RECURSE ${share} FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ
       DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  if(DEFINED ENV{SOURCE_DATE_EPOCH})
    execute_process(COMMAND find ${root} -exec touch --no-dereference --date=@$ENV{SOURCE_DATE_EPOCH} {} +
                    COMMAND_ERROR_IS_FATAL ANY)
  endif()
endforeach()
