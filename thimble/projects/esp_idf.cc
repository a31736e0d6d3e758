// SPDX-License-Identifier: Apache-2.0
// A component of ESP-IDF's, all models of the folder in one, with an example project for each.
#include "thimble/emit/c_ports.h"
#include "thimble/projects/rows.h"

namespace thimble {
namespace {

constexpr const char* kComponent = R"(
idf_component_register(SRCS@SOURCES@
                       INCLUDE_DIRS ".")

set(THIMBLE_OPTIMISATION "@O@" CACHE STRING
    "Of the models' code, whatever the project's: -Og would be slower")
target_compile_options(${COMPONENT_LIB} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-std=gnu++17>
  @FLAGS@ ${THIMBLE_OPTIMISATION})
option(THIMBLE_HOOKS "NAME_set_hook and NAME_profile: calls before and after each stage of the models" OFF)
target_compile_definitions(${COMPONENT_LIB} PUBLIC $<$<BOOL:${THIMBLE_HOOKS}>:THIMBLE_HOOKS>)
)";

constexpr const char* kAddress =
    R"(if(DEFINED @UPPER@_WEIGHTS_ADDRESS)  # where @NAME@_weights.bin is flashed
  target_compile_definitions(${COMPONENT_LIB} PRIVATE @UPPER@_WEIGHTS_ADDRESS=${@UPPER@_WEIGHTS_ADDRESS})
endif()
)";

constexpr const char* kManifest = R"(version: "@VERSION@"
description: Neural network as C++ sources with a C interface
license: LicenseRef-ModelOwner AND Apache-2.0
dependencies:
  idf: ">=5.0"
)";

constexpr const char* kProject = R"(
cmake_minimum_required(VERSION 3.16)

# A component is called as its folder is, whatever that is; main/ sees all that there are.
set(EXTRA_COMPONENT_DIRS "${CMAKE_CURRENT_LIST_DIR}/../..")
include($ENV{IDF_PATH}/tools/cmake/project.cmake)
project(@NAME@_example)
)";

constexpr const char* kMain = R"(
idf_component_register(SRCS "main.c" INCLUDE_DIRS ".")
)";

constexpr const char* kBuilding =
    R"(This folder is a component for ESP-IDF, which calls it as the folder is called. In your project,
either put it into `components/`, or name it in CMakeLists.txt before project.cmake is included:

    set(EXTRA_COMPONENT_DIRS PATH_OF_THIS_FOLDER)

Then `#include "@FIRST@.h"`. An example:

    cd examples/@FIRST@
    idf.py set-target esp32s3
    idf.py flash monitor

Options of the models, of idf.py: `-DTHIMBLE_HOOKS=ON`@ADDRESS@.
)";

std::vector<EmittedFile> files(const ProjectFacts& project) {
  const std::string head = file_head("# ", project);
  std::string component =
      head + filled(kComponent, {{"SOURCES", lines_of(all_sources(project), "\n  ")},
                                 {"FLAGS", kCompileFlags},
                                 {"O", kOptimisation}});
  for (const ProjectModel& model : project.models) {
    component += weights_properties(model, "");
    if (!model.at_address.empty())
      component += filled(kAddress, {{"UPPER", upper(model.name)}, {"NAME", model.name}});
  }
  std::vector<EmittedFile> files = {
      {"CMakeLists.txt", component},
      {"idf_component.yml", head + filled(kManifest, {{"VERSION", project.version}})}};
  const std::string folder = "examples/@NAME@/";
  for (const auto& [path, text] :
       {std::pair{"CMakeLists.txt", kProject}, {"main/CMakeLists.txt", kMain}}) {
    for (EmittedFile& file : for_each_model(project, folder + path, head + text))
      files.push_back(std::move(file));
  }
  return files;
}

std::string building(const ProjectFacts& project) {
  return filled(kBuilding,
                {{"ADDRESS", addresses(project, "-D")}, {"FIRST", project.models.front().name}});
}

ExampleFrame example(const std::string& name) {
  return framed(name, "main.c: an inference a second, its result and its time to the console.",
                "#include <stdio.h>\n\n#include \"esp_timer.h\"\n#include \"freertos/FreeRTOS.h\"\n"
                "#include \"freertos/task.h\"\n\n",
                R"(
void app_main(void) {
  for (;;) {
    const int64_t begin = esp_timer_get_time();
    const int best = infer();
    const int64_t microseconds = esp_timer_get_time() - begin;
    printf("@NAME@: %d in %ld us\n", best, (long)microseconds);
    vTaskDelay(pdMS_TO_TICKS(1000));
  }
}
)");
}

}  // namespace

Ecosystem esp_idf() {
  return {.name = "esp-idf",
          .about = "a component for ESP-IDF",
          .places = {.example = "examples/@NAME@/main/main.c"},
          .example = example,
          .files = files,
          .building = building};
}

}  // namespace thimble
