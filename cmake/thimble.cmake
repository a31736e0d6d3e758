# The few commands that the folders' lists are written in.

add_library(thimble_options INTERFACE)
target_compile_options(thimble_options INTERFACE -Wall -Wextra -Wshadow -Wswitch
                       -ffp-contract=off  # what networks of float32 compute is the same on every machine
                       -Wno-missing-field-initializers  # designated initialisers leave defaults out
                       $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>  # false alarms on std::string, GCC bug 105651
                       $<$<BOOL:${THIMBLE_WERROR}>:-Werror>)
target_include_directories(thimble_options INTERFACE ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/runtime/include)

# Links the 50 programs in a fifth of the time.
include(CheckLinkerFlag)
check_linker_flag(CXX -fuse-ld=lld THIMBLE_LLD)
if(THIMBLE_LLD AND NOT WIN32)
  add_link_options(-fuse-ld=lld)
endif()

# Code that runs for moments and is compiled often: options, reports, files, the tests themselves.
set(THIMBLE_COLD_FLAGS "" CACHE STRING "Further compiler options of such code, against the time that it takes to compile")
add_library(thimble_cold_options INTERFACE)
target_link_libraries(thimble_cold_options INTERFACE thimble_options)
target_compile_options(thimble_cold_options INTERFACE ${THIMBLE_COLD_FLAGS})
# Sources of tests, which take longer to compile than to run; what they share is cold.
add_library(thimble_test_options INTERFACE)
target_link_libraries(thimble_test_options INTERFACE thimble_options)
target_compile_options(thimble_test_options INTERFACE -O0)

# thimble_precompile(NAME HEADERS <a> ... DEPS library ...): headers that many targets include, compiled
# once for those with the same options. Not with ccache, which keeps nothing that is compiled with them.
if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache")
  set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)
endif()
function(thimble_precompile name)
  cmake_parse_arguments(ARG "" "" "HEADERS;DEPS" ${ARGN})
  file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/${name}.cc CONTENT "")
  add_library(${name} OBJECT ${CMAKE_BINARY_DIR}/${name}.cc)
  target_link_libraries(${name} PRIVATE ${ARG_DEPS})
  target_precompile_headers(${name} PRIVATE ${ARG_HEADERS})
endfunction()

set(common_headers <fmt/format.h> <algorithm> <functional> <map> <memory> <optional> <span> <string> <variant>
    <vector>)
thimble_precompile(thimble_headers HEADERS ${common_headers} DEPS thimble_options fmt::fmt)
thimble_precompile(thimble_cold_headers HEADERS ${common_headers} DEPS thimble_cold_options fmt::fmt)
if(THIMBLE_TESTS)
  thimble_precompile(thimble_test_headers HEADERS <gmock/gmock.h> <gtest/gtest.h> ${common_headers}
                     DEPS thimble_test_options fmt::fmt GTest::gmock GTest::gtest)
endif()

# Files that name their own helpers as others of their folder do cannot be compiled as one with these
# (CMAKE_UNITY_BUILD).
function(thimble_separate_files)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# These files of a target are always compiled as one.
function(thimble_compile_together target first)
  if(NOT CMAKE_UNITY_BUILD)  # which does so with all of them
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    set_source_files_properties(${first} ${ARGN} PROPERTIES UNITY_GROUP ${first})
  endif()
endfunction()

# thimble_library(NAME [COLD] [SOURCES a.cc ...] [DEPS other ...]): of all sources of the folder, in the order of
# their names, where none are listed.
function(thimble_library name)
  cmake_parse_arguments(ARG "COLD" "" "SOURCES;DEPS" ${ARGN})
  if("SOURCES" IN_LIST ARG_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "thimble_library(${name}): SOURCES without a source")
  endif()
  if(NOT ARG_SOURCES)
    file(GLOB ARG_SOURCES RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} CONFIGURE_DEPENDS *.cc)
  endif()
  add_library(thimble_${name} STATIC ${ARG_SOURCES})
  target_link_libraries(thimble_${name} PUBLIC thimble_options fmt::fmt)
  if(ARG_COLD)
    target_link_libraries(thimble_${name} PRIVATE thimble_cold_options)
    target_precompile_headers(thimble_${name} REUSE_FROM thimble_cold_headers)
  else()
    target_precompile_headers(thimble_${name} REUSE_FROM thimble_headers)
  endif()
  foreach(dep ${ARG_DEPS})
    target_link_libraries(thimble_${name} PUBLIC thimble_${dep})
  endforeach()
endfunction()

# The tests without a label, for builds that run no others.
add_custom_target(quick_tests)

# Tests with the sanitizers leave these out: a large network goes the ways that small ones do.
set(THIMBLE_LARGE_MODELS *mcunetv2_large* *mobilenet_v2* *tinyengine_vww*)

# thimble_test(NAME SOURCES a_test.cc ... [DEPS library ...] [LABELS label] [SECONDS count]
#              [UNSANITIZED Suite.Test ...]):
# one executable. SECONDS: about what its tests take one after the other (a run of preset dev; 30 by
# default). They are dealt out to CTest entries of about half a minute, NAME or NAME.1, NAME.2, ...;
# programs with more work begin first. GTEST_FILTER in the environment chooses among the tests. Label `qemu`:
# cross-compiles or emulates; `slow`: takes long. UNSANITIZED: tests (patterns of GoogleTest) that a build
# with the sanitizers leaves out: they would take long, and show nothing that others do not: large
# networks, published figures, proofs of optimality.
function(thimble_test name)
  cmake_parse_arguments(ARG "" "SECONDS" "SOURCES;DEPS;LABELS;UNSANITIZED" ${ARGN})
  add_executable(test_${name} ${ARG_SOURCES})
  target_link_libraries(test_${name} PRIVATE thimble_test_options fmt::fmt GTest::gtest GTest::gmock GTest::gtest_main)
  target_precompile_headers(test_${name} REUSE_FROM thimble_test_headers)
  foreach(dep ${ARG_DEPS})
    target_link_libraries(test_${name} PRIVATE thimble_${dep})
  endforeach()
  target_compile_definitions(test_${name} PRIVATE
    THIMBLE_SHARED_DEFAULT="${THIMBLE_SHARED}" THIMBLE_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
    THIMBLE_BINARY_DIR="${CMAKE_BINARY_DIR}")
  if(NOT ARG_LABELS)
    add_dependencies(quick_tests test_${name})
  endif()
  if(NOT ARG_SECONDS)
    set(ARG_SECONDS 30)
  endif()
  set(left_out "")
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize" AND ARG_UNSANITIZED)
    list(JOIN ARG_UNSANITIZED ":" left_out)
    set(left_out "GTEST_FILTER=string_append:-${left_out}")  # "Wanted*" becomes "Wanted*-LeftOut*"
  endif()
  math(EXPR shards "(${ARG_SECONDS} + 29) / 30")
  foreach(shard RANGE 1 ${shards})
    set(entry ${name})
    if(shards GREATER 1)
      string(APPEND entry ".${shard}")
    endif()
    math(EXPR index "${shard} - 1")
    add_test(NAME ${entry} COMMAND test_${name})
    set_tests_properties(${entry} PROPERTIES
      LABELS "${ARG_LABELS}" COST ${ARG_SECONDS}
      ENVIRONMENT "GTEST_TOTAL_SHARDS=${shards};GTEST_SHARD_INDEX=${index}"
      ENVIRONMENT_MODIFICATION "${left_out}"
      SKIP_REGULAR_EXPRESSION "Running 0 tests from 0 test suites")
  endforeach()
endfunction()

# Its tests start the built executable.
function(thimble_starts_executable name)
  target_link_libraries(test_${name} PRIVATE nlohmann_json::nlohmann_json)
  target_compile_definitions(test_${name} PRIVATE THIMBLE_PROGRAM="$<TARGET_FILE:thimble>")
  add_dependencies(test_${name} thimble)
endfunction()
