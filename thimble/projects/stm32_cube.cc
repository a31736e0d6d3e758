// SPDX-License-Identifier: Apache-2.0
// A middleware of an STM32Cube project: Inc/ and Src/, as those of ST are, which STM32CubeIDE
// compiles because they lie below Middlewares/; a CMakeLists.txt and a fragment of a Makefile for
// what STM32CubeMX generates besides. CubeMX keeps files that it does not know. A pack for CubeMX
// would need its own editor: the folder needs nothing.
#include "thimble/projects/rows.h"

namespace thimble {
namespace {

constexpr const char* kBuilding =
    R"(This folder is a middleware for STM32Cube projects. It belongs into
`Middlewares/Thimble` of the project: `thimble compile ... --export stm32cube -o PROJECT/Middlewares/Thimble`.

`Src/@FIRST@_app.c` is the example: `@FIRST@_app()` does an inference and prints its result and its time.
In `Core/Src/main.c` declare it, `void @FIRST@_app(void);`, and call it between `USER CODE BEGIN WHILE`
and `USER CODE END WHILE`. It prints with printf(), which CubeMX sends nowhere by itself: a `__io_putchar()`
of yours does, over a UART.

STM32CubeIDE:
1. File > New > Convert to a C/C++ Project (project kind C++): the sources are C++17, your own stay C.
2. Project > Properties > C/C++ General > Paths and Symbols: for GNU C and GNU C++ add the folders
   `Middlewares/Thimble/Inc` and `Middlewares/Thimble/Src` under Includes; if `Middlewares` is none
   yet, add it under Source Location.
3. Properties of the folder `Middlewares/Thimble/Src` > C/C++ Build > Settings > MCU G++ Compiler:
   language standard GNU++17, and under Optimization -O2, for the Debug configuration too.

CMake (CubeMX, toolchain CMake), in the project's CMakeLists.txt behind its own targets:

    add_subdirectory(Middlewares/Thimble)
    target_sources(${CMAKE_PROJECT_NAME} PRIVATE Middlewares/Thimble/Src/@FIRST@_app.c)
    target_link_libraries(${CMAKE_PROJECT_NAME} @MODELS@)

The core's options must be in CMAKE_CXX_FLAGS too, as CubeMX's toolchain file has them.

Makefile (CubeMX, toolchain Makefile), before its rules:

    CXX = $(PREFIX)g++
    TARGET_ARCH = $(MCU)
@INCLUDES@
and then `$(OBJECTS)` where the .elf is linked gets `@OBJECTS@` beside it, C_SOURCES
`Middlewares/Thimble/Src/@FIRST@_app.c`, and C_INCLUDES `@PATHS@`.

Options of the models: `THIMBLE_HOOKS=1`@ADDRESS@. For CMake behind `-D`, for make a variable
before the include, in STM32CubeIDE a symbol of both compilers.
)";

std::vector<EmittedFile> files(const ProjectFacts& project) {
  std::vector<EmittedFile> files = make_fragments(project, {"Inc", "Src"});
  files.push_back(
      {"CMakeLists.txt",
       cmake_lists(project, "${CMAKE_CURRENT_LIST_DIR}/Inc ${CMAKE_CURRENT_LIST_DIR}/Src")});
  return files;
}

std::string building(const ProjectFacts& project) {
  std::string models, includes, objects;
  for (const ProjectModel& model : project.models) {
    const std::string space = models.empty() ? "" : " ";
    models += space + model.name;
    objects += space + "$(" + model.name + "_OBJECTS)";
    includes += "    include Middlewares/Thimble/" + model.name + ".mk\n";
  }
  const std::string& first = project.models.front().name;
  return filled(kBuilding, {{"FIRST", first},
                            {"MODELS", models},
                            {"INCLUDES", includes},
                            {"OBJECTS", objects},
                            {"PATHS", "$(" + first + "_INCLUDES)"},
                            {"ADDRESS", addresses(project, "")}});
}

ExampleFrame example(const std::string& name) {
  return framed(name, name + "_app.c: an inference, its result and its time. See README.md.",
                "#include <stdio.h>\n\n#include \"main.h\" /* of the project: the HAL */\n", R"(
void @NAME@_app(void);

void @NAME@_app(void) {
  const uint32_t begin = HAL_GetTick();
  const int best = infer();
  const uint32_t milliseconds = HAL_GetTick() - begin;
  printf("@NAME@: %d in %lu ms\r\n", best, (unsigned long)milliseconds);
}
)");
}

}  // namespace

Ecosystem stm32cube() {
  return {.name = "stm32cube",
          .about = "a middleware for STM32CubeIDE and projects of STM32CubeMX",
          .places = {.headers = "Inc/", .sources = "Src/", .example = "Src/@NAME@_app.c"},
          .example = example,
          .files = files,
          .building = building};
}

}  // namespace thimble
