# What cpack makes of a build: a Debian package of the program, and an archive of the executable without libc.
# scripts/release calls it so that the same commit gives the same bytes.
set(CPACK_PACKAGE_NAME thimble)
set(CPACK_PACKAGE_VENDOR Thimble)
set(CPACK_PACKAGE_CONTACT "Thimble maintainers <maintainers@users.noreply.thimble.example>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "fits neural networks into microcontroller memory")
set(CPACK_PACKAGE_DESCRIPTION "Thimble reads a trained model (.tflite), finds an order of execution and a
layout of memory that fit a chip, proves the plan correct byte by byte, and
writes the C++ sources that execute it.")
set(CPACK_STRIP_FILES ON)
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_SOURCE_DIR}/cmake/package_kind.cmake)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/cmake/finish_package.cmake)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_GENERATOR DEB TGZ)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SECTION embedded)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
# What `thimble run --on qemu` and `--measure` start.
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "gcc-arm-none-eabi, libnewlib-arm-none-eabi, qemu-system-arm, gcc-riscv64-unknown-elf, qemu-system-misc")

# For finish_package.cmake.
set(CPACK_THIMBLE_SOURCE ${CMAKE_SOURCE_DIR})
set(CPACK_THIMBLE_BUILD ${CMAKE_BINARY_DIR})
include(CPack)
