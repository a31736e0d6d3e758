# The few commands that the folders' lists are written in.

add_library(thimble_options INTERFACE)
target_compile_options(thimble_options INTERFACE -Wall -Wextra -Wshadow -Wswitch
                       -Wno-missing-field-initializers  # designated initialisers leave defaults out
                       $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>  # false alarms on std::string, GCC bug 105651
                       $<$<BOOL:${THIMBLE_WERROR}>:-Werror>)
target_include_directories(thimble_options INTERFACE ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/runtime/include)

# Where several files of a folder name their own helpers alike, they cannot be compiled as one (preset
# asan does so for speed).
function(thimble_separate_files target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD OFF)
endfunction()

# thimble_library(NAME SOURCES a.cc ... [DEPS other ...])
function(thimble_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_library(thimble_${name} STATIC ${ARG_SOURCES})
  target_link_libraries(thimble_${name} PUBLIC thimble_options fmt::fmt)
  foreach(dep ${ARG_DEPS})
    target_link_libraries(thimble_${name} PUBLIC thimble_${dep})
  endforeach()
endfunction()

# thimble_test(NAME SOURCES a_test.cc ... [DEPS library ...] [LABELS label]): one executable, one CTest
# entry per test. Label `qemu`: cross-compiles or emulates; `slow`: takes more than some seconds.
function(thimble_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS;LABELS" ${ARGN})
  add_executable(test_${name} ${ARG_SOURCES})
  target_link_libraries(test_${name} PRIVATE thimble_options GTest::gtest GTest::gmock GTest::gtest_main)
  foreach(dep ${ARG_DEPS})
    target_link_libraries(test_${name} PRIVATE thimble_${dep})
  endforeach()
  target_compile_definitions(test_${name} PRIVATE
    THIMBLE_SHARED_DEFAULT="${THIMBLE_SHARED}" THIMBLE_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
    THIMBLE_BINARY_DIR="${CMAKE_BINARY_DIR}")
  gtest_discover_tests(test_${name} DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 600 LABELS "${ARG_LABELS}")
endfunction()
include(GoogleTest)
