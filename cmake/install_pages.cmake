# Installs what THIMBLE writes of itself: pages of the manual below MANUAL, completions below DATA.
cmake_policy(VERSION 3.25)
set(prefix "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}")

# said(VARIABLE ARGUMENT...): what THIMBLE prints.
function(said variable)
  execute_process(COMMAND ${THIMBLE} ${ARGN} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  set(${variable} "${text}" PARENT_SCOPE)
endfunction()

function(write_installed path text)
  message(STATUS "Installing: ${prefix}/${path}")
  file(WRITE "${prefix}/${path}" "${text}")
endfunction()

said(commands manual --list)
string(REGEX REPLACE "\n$" "" commands "${commands}")
string(REPLACE "\n" ";" commands "${commands}")
foreach(command IN LISTS commands)
  string(REPLACE " " ";" words "${command}")
  said(page manual ${words})
  string(JOIN "-" name thimble ${words})
  write_installed("${MANUAL}/${name}.1" "${page}")
endforeach()

# Where Debian's packages have theirs, and where administrators may have theirs.
set(zsh zsh/site-functions)
if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  set(zsh zsh/vendor-completions)
endif()
foreach(pair bash:bash-completion/completions/thimble zsh:${zsh}/_thimble fish:fish/vendor_completions.d/thimble.fish)
  string(REGEX MATCH "^([a-z]+):(.*)$" pair ${pair})
  said(script completion ${CMAKE_MATCH_1})
  write_installed("${DATA}/${CMAKE_MATCH_2}" "${script}")
endforeach()
