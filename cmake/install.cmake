# What `cmake --install` installs. Components: program, the executable; static, the one without libc,
# where it is asked for; pages, the manual and completions; library, one archive of the driver and all that it
# needs, the headers that driver.h includes, and the package that find_package(Thimble) finds.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)

# thimble_closure(TARGET LIST): Thimble's own libraries that a target links, itself too.
function(thimble_closure target list)
  set(found ${${list}} ${target})
  get_target_property(libraries ${target} LINK_LIBRARIES)
  foreach(library ${libraries})
    if(library MATCHES "^thimble_" AND NOT library IN_LIST found AND TARGET ${library})
      get_target_property(type ${library} TYPE)
      if(type STREQUAL "STATIC_LIBRARY")
        thimble_closure(${library} found)
      endif()
    endif()
  endforeach()
  set(${list} ${found} PARENT_SCOPE)
endfunction()

set(parts)
thimble_closure(thimble_driver parts)
list(TRANSFORM parts REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE objects)
add_library(thimble_archive STATIC ${objects})
set_target_properties(thimble_archive PROPERTIES OUTPUT_NAME thimble EXPORT_NAME thimble LINKER_LANGUAGE CXX)
target_compile_features(thimble_archive PUBLIC cxx_std_20)
target_include_directories(thimble_archive INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(thimble_archive PUBLIC fmt::fmt PRIVATE Threads::Threads ZLIB::ZLIB)

install(TARGETS thimble COMPONENT program)
if(CMAKE_CROSSCOMPILING)
  return()  # neither can the executable write its manual, nor are there programs to link the library to
endif()
install(TARGETS thimble_static COMPONENT static EXCLUDE_FROM_ALL)
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION . COMPONENT static EXCLUDE_FROM_ALL)
install(CODE "execute_process(COMMAND ${CMAKE_SOURCE_DIR}/scripts/licences ${CMAKE_BINARY_DIR} thimble_static
                              OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
              file(WRITE \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/LICENSES\" \"\${text}\")"
        COMPONENT static EXCLUDE_FROM_ALL)
# The manual and the completions are the executable's own words.
install(CODE "set(THIMBLE \"$<TARGET_FILE:thimble>\")
              set(MANUAL \"${CMAKE_INSTALL_MANDIR}/man1\")
              set(DATA \"${CMAKE_INSTALL_DATADIR}\")
              include(\"${CMAKE_SOURCE_DIR}/cmake/install_pages.cmake\")" COMPONENT pages)
install(TARGETS thimble_archive EXPORT ThimbleTargets COMPONENT library)
install(CODE "set(HEADER_ROOTS \"${CMAKE_SOURCE_DIR}\" \"${CMAKE_SOURCE_DIR}/runtime/include\")
              set(HEADER_TARGET \"${CMAKE_INSTALL_INCLUDEDIR}\")
              set(HEADERS thimble/driver/driver.h)
              include(\"${CMAKE_SOURCE_DIR}/cmake/install_headers.cmake\")" COMPONENT library)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/Thimble)
install(EXPORT ThimbleTargets NAMESPACE Thimble:: DESTINATION ${package} COMPONENT library)
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/ThimbleConfig.cmake.in
                              ${CMAKE_BINARY_DIR}/ThimbleConfig.cmake INSTALL_DESTINATION ${package})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/ThimbleConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/ThimbleConfig.cmake ${CMAKE_BINARY_DIR}/ThimbleConfigVersion.cmake
        DESTINATION ${package} COMPONENT library)

include(${CMAKE_SOURCE_DIR}/cmake/package.cmake)
