# Text files inside the program: they are compiled in, so that an installed `thimble` needs no others.

# thimble_embed(TARGET FUNCTION ROOT dir FILES a ...): the function
#   std::span<const thimble::EmbeddedFile> thimble::FUNCTION();
# (declare it in a header) returns the files' paths, relative to ROOT, and their text.
function(thimble_embed target function)
  cmake_parse_arguments(ARG "" "ROOT" "FILES" ${ARGN})
  set(output "${CMAKE_CURRENT_BINARY_DIR}/${function}.cc")
  set(depends "")
  foreach(file ${ARG_FILES})
    list(APPEND depends "${ARG_ROOT}/${file}")
  endforeach()
  string(REPLACE ";" "," files "${ARG_FILES}")
  add_custom_command(
    OUTPUT "${output}"
    COMMAND ${CMAKE_COMMAND} -DFUNCTION=${function} -DROOT=${ARG_ROOT} "-DFILES=${files}"
            -DOUTPUT=${output} -P "${CMAKE_SOURCE_DIR}/cmake/write_embedded.cmake"
    DEPENDS ${depends} "${CMAKE_SOURCE_DIR}/cmake/write_embedded.cmake"
    COMMENT "Embedding the files of ${function}"
    VERBATIM)
  target_sources(${target} PRIVATE "${output}")
endfunction()
