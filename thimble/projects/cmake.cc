// SPDX-License-Identifier: Apache-2.0
// A static library for each model of a folder, for add_subdirectory().
#include "thimble/emit/c_ports.h"
#include "thimble/projects/rows.h"

namespace thimble {
namespace {

constexpr const char* kHead =
    R"(# In your project: add_subdirectory(this folder), then
# target_link_libraries(your_firmware model), with a model of those below.

enable_language(CXX)  # a project in C alone has none
set(THIMBLE_OPTIMISATION "@O@" CACHE STRING
    "Of the models' code, whatever the build type: Debug would be four times slower; empty: the build type's own")
option(THIMBLE_HOOKS "NAME_set_hook and NAME_profile: calls before and after each stage of the models" OFF)
)";

// Functions in sections of their own: of those that several models bring along, the linker keeps
// one (--gc-sections).
constexpr const char* kLibrary = R"(
add_library(@NAME@ STATIC@SOURCES@)
target_compile_features(@NAME@ PRIVATE cxx_std_17)
target_compile_options(@NAME@ PRIVATE -Wall -Wextra @FLAGS@
  ${THIMBLE_OPTIMISATION})
target_compile_definitions(@NAME@ PRIVATE $<$<CONFIG:Debug>:THIMBLE_CHECKS>
  PUBLIC $<$<BOOL:${THIMBLE_HOOKS}>:THIMBLE_HOOKS>)
target_include_directories(@NAME@ PUBLIC @INCLUDES@)
)";

constexpr const char* kAddress =
    R"(if(DEFINED @UPPER@_WEIGHTS_ADDRESS)  # where @NAME@_weights.bin is flashed
  target_compile_definitions(@NAME@ PRIVATE @UPPER@_WEIGHTS_ADDRESS=${@UPPER@_WEIGHTS_ADDRESS})
endif()
)";

constexpr const char* kBuilding =
    R"(With CMake: `add_subdirectory` of this folder, then `target_link_libraries(firmware MODEL)` with the name of
a section above. The fragment enables C++ by itself, compiles with `-O2` whatever the build type
(`-DTHIMBLE_OPTIMISATION=`), and defines `THIMBLE_CHECKS` for Debug and, with `-DTHIMBLE_HOOKS=ON`, `THIMBLE_HOOKS`.
With anything else: all `.cc` files of this folder and those below, as C++17 by GCC or Clang, optimised, with
`-ffp-contract=off`; this folder on the include path. No library, no heap, no exceptions, no static constructors.
)";

std::vector<EmittedFile> files(const ProjectFacts& project) {
  return {{"CMakeLists.txt", cmake_lists(project, "${CMAKE_CURRENT_LIST_DIR}")}};
}

}  // namespace

std::string cmake_lists(const ProjectFacts& project, const std::string& includes) {
  std::string text = file_head("# ", project) + filled(kHead, {{"O", kOptimisation}});
  for (const ProjectModel& model : project.models) {
    text += filled(kLibrary, {{"NAME", model.name},
                              {"SOURCES", lines_of(model.sources, "\n  ")},
                              {"FLAGS", kCompileFlags},
                              {"INCLUDES", includes}});
    text += weights_properties(model, "");
    if (!model.at_address.empty())
      text += filled(kAddress, {{"UPPER", upper(model.name)}, {"NAME", model.name}});
  }
  return text;
}

Ecosystem cmake() {
  return {.name = "cmake",
          .about = "a folder for add_subdirectory()",
          .places = {},
          .example = [](const std::string&) { return ExampleFrame(); },
          .files = files,
          .building = [](const ProjectFacts&) { return std::string(kBuilding); }};
}

}  // namespace thimble
