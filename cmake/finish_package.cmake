# Run by cpack when the files of a package are there, before they are packed.
execute_process(
  COMMAND ${CPACK_THIMBLE_SOURCE}/scripts/finish_package ${CPACK_TEMPORARY_INSTALL_DIRECTORY} ${CPACK_GENERATOR}
          ${CPACK_THIMBLE_BUILD} ${CPACK_PACKAGE_VERSION}
  COMMAND_ERROR_IS_FATAL ANY)
