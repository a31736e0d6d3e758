# The page of `thimble --html`: libraries from npm, fetched when package.json changes, and the sources beside
# this file become THIMBLE_PAGE_FOLDER/page.html, one file that loads nothing.

set(THIMBLE_PAGE_FOLDER ${CMAKE_BINARY_DIR}/web/report)
find_program(THIMBLE_NPM npm)
find_program(THIMBLE_NODE NAMES node nodejs)
if(NOT THIMBLE_NPM OR NOT THIMBLE_NODE)
  message(FATAL_ERROR "npm and node are needed for the page of `thimble --html` (Debian: apt-get install npm). "
                      "Without the page: cmake -DTHIMBLE_HTML=OFF")
endif()

set(page_source ${CMAKE_SOURCE_DIR}/web/report)
file(GLOB page_files CONFIGURE_DEPENDS ${page_source}/src/*)
add_custom_command(
  OUTPUT ${THIMBLE_PAGE_FOLDER}/libraries
  COMMAND ${CMAKE_COMMAND} -DNPM=${THIMBLE_NPM} -DSOURCE=${page_source} -DFOLDER=${THIMBLE_PAGE_FOLDER}
          -P ${CMAKE_SOURCE_DIR}/cmake/npm_install.cmake
  DEPENDS ${page_source}/package.json ${page_source}/package-lock.json ${page_source}/.npmrc
          ${CMAKE_SOURCE_DIR}/cmake/npm_install.cmake
  COMMENT "Fetching the libraries of the page from npm"
  VERBATIM)
add_custom_command(
  OUTPUT ${THIMBLE_PAGE_FOLDER}/page.html
  COMMAND ${THIMBLE_NODE} ${page_source}/bundle.mjs ${THIMBLE_PAGE_FOLDER}/node_modules ${THIMBLE_PAGE_FOLDER}/page.html
  DEPENDS ${THIMBLE_PAGE_FOLDER}/libraries ${page_source}/bundle.mjs ${page_files}
  COMMENT "Bundling the page"
  VERBATIM)
