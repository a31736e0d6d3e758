# The libraries that Thimble is built with. What an executable needs of them is linked into it: an installed
# `thimble` needs libc and nothing else.
find_package(Threads REQUIRED)
option(THIMBLE_TESTS "Build the tests and the programs of bench/" ON)
if(THIMBLE_TESTS)
  find_package(GTest REQUIRED)
  find_package(benchmark REQUIRED)
endif()

set(fmt_archive ${CMAKE_BINARY_DIR}/libfmt.a)
add_library(thimble_fmt STATIC cmake/fmt.cc)
set_target_properties(thimble_fmt PROPERTIES OUTPUT_NAME fmt ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})

if(WIN32)
  # From a Debian machine, whose packages have no libraries for Windows: headers alone, and no others of theirs.
  set(headers ${CMAKE_BINARY_DIR}/headers)
  file(MAKE_DIRECTORY ${headers})
  foreach(library CLI flatbuffers fmt nlohmann stb)
    file(CREATE_LINK /usr/include/${library} ${headers}/${library} SYMBOLIC)
  endforeach()
  include_directories(SYSTEM ${headers})
  foreach(library CLI11::CLI11 fmt::fmt nlohmann_json::nlohmann_json)
    add_library(${library} INTERFACE IMPORTED GLOBAL)
  endforeach()
  target_link_libraries(fmt::fmt INTERFACE thimble_fmt)
else()
  find_package(fmt REQUIRED)
  find_package(nlohmann_json REQUIRED)
  find_package(CLI11 REQUIRED)
  # Instead of the shared library, and its folder is not to be searched by what is linked.
  set(CMAKE_SKIP_RPATH ON)
  get_target_property(configurations fmt::fmt IMPORTED_CONFIGURATIONS)
  foreach(configuration ${configurations})
    set_target_properties(fmt::fmt PROPERTIES IMPORTED_LOCATION_${configuration} ${fmt_archive})
  endforeach()
  add_dependencies(fmt::fmt thimble_fmt)
  target_include_directories(thimble_fmt SYSTEM PRIVATE $<TARGET_PROPERTY:fmt::fmt,INTERFACE_INCLUDE_DIRECTORIES>)
endif()

# Of a source that has two forms, the folder of the one for this system: "" or "windows/".
set(THIMBLE_SYSTEM "")
if(WIN32)
  set(THIMBLE_SYSTEM windows/)
endif()

# thimble_link_whole(TARGET [STATIC]): what an executable that is installed links besides. STATIC: libc, too.
function(thimble_link_whole target)
  # Sanitizers have runtimes and an allocator of their own.
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize" OR NOT CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
    return()
  endif()
  if(WIN32)
    target_link_options(${target} PRIVATE -static)
  elseif("STATIC" IN_LIST ARGN)
    target_link_options(${target} PRIVATE -static-pie)
  elseif(NOT APPLE)
    target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc)
  endif()
  # Searches allocate small things by the million: a quarter of planning.
  if(LINUX)
    find_library(THIMBLE_JEMALLOC libjemalloc_pic.a REQUIRED)
    target_link_libraries(${target} PRIVATE ${THIMBLE_JEMALLOC})
  endif()
endfunction()
