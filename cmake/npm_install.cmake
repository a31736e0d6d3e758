# Run at build time: packages of SOURCE/package.json, as SOURCE/package-lock.json pins them, into FOLDER/node_modules.
# OPTIONAL: without them the build goes on.

file(MAKE_DIRECTORY ${FOLDER})
file(COPY ${SOURCE}/package.json ${SOURCE}/package-lock.json ${SOURCE}/.npmrc DESTINATION ${FOLDER})
execute_process(COMMAND ${NPM} ci --omit=optional --ignore-scripts WORKING_DIRECTORY ${FOLDER}
                RESULT_VARIABLE status OUTPUT_VARIABLE said ERROR_VARIABLE said)
if(NOT status EQUAL 0 AND OPTIONAL)
  message(WARNING "npm could not fetch what ${SOURCE}/package.json names; tests that need it are skipped:\n${said}")
elseif(NOT status EQUAL 0)
  message(FATAL_ERROR "npm could not fetch what ${SOURCE}/package.json names:\n${said}\n"
                      "A build without the page of --html, and without its test, needs no npm: cmake -DTHIMBLE_HTML=OFF")
endif()
file(TOUCH ${FOLDER}/libraries)
