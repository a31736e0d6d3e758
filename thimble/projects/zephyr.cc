// SPDX-License-Identifier: Apache-2.0
// A module of Zephyr's: a library and an option of Kconfig for each model, and samples.
#include "thimble/emit/c_ports.h"
#include "thimble/projects/rows.h"

namespace thimble {
namespace {

constexpr const char* kModule = R"(name: @NAME@
build:
  cmake: .
  kconfig: Kconfig
samples:
  - samples
)";

constexpr const char* kLibrary = R"(
if(CONFIG_THIMBLE_@UPPER@)
  zephyr_library_named(thimble_@NAME@)
  zephyr_library_sources(@SOURCES@)
  zephyr_include_directories(${CMAKE_CURRENT_LIST_DIR})
  zephyr_library_compile_options($<$<COMPILE_LANGUAGE:CXX>:-std=c++17>@FLAGS@
    ${THIMBLE_OPTIMISATION})
@BYTES@endif()
)";

constexpr const char* kAddress =
    R"(  zephyr_library_compile_definitions(@UPPER@_WEIGHTS_ADDRESS=${CONFIG_THIMBLE_@UPPER@_WEIGHTS_ADDRESS})
)";

constexpr const char* kAddressOption = R"(
config THIMBLE_@UPPER@_WEIGHTS_ADDRESS
	hex "Where @NAME@_weights.bin is flashed"
	depends on THIMBLE_@UPPER@
	help
	  A multiple of 16, in memory that the core reads as it is.
)";

constexpr const char* kHooks = R"(
config THIMBLE_HOOKS
	bool "Calls before and after each stage of neural networks"
	help
	  Declares NAME_set_hook and NAME_profile of the neural networks that Thimble wrote, and
	  compiles these with them.
)";

constexpr const char* kOption = R"(
config THIMBLE_@UPPER@
	bool "Neural network @NAME@"
@DEPENDS@	select CPP
	help
	  Compile the neural network @NAME@, which Thimble wrote. Its sources are C++17 without the
	  standard library; the interface, @NAME@.h, is C.
)";

constexpr const char* kDsp =
    "\tdepends on CPU_CORTEX_M4 || CPU_CORTEX_M7 || ARMV8_M_DSP  # its kernels' instructions\n";
constexpr const char* kMve = "\tdepends on ARMV8_1_M_MVEI  # its kernels' instructions: Helium\n";

constexpr const char* kSampleLists = R"(
cmake_minimum_required(VERSION 3.20.0)

# Needed while the folder is no module of the west workspace.
list(APPEND EXTRA_ZEPHYR_MODULES ${CMAKE_CURRENT_SOURCE_DIR}/../..)
find_package(Zephyr REQUIRED HINTS $ENV{ZEPHYR_BASE})
project(thimble_@NAME@_sample C CXX)

target_sources(app PRIVATE src/main.c)
)";

constexpr const char* kConfig = R"(CONFIG_THIMBLE_@UPPER@=y
CONFIG_PRINTK=y
CONFIG_MAIN_STACK_SIZE=8192
)";

constexpr const char* kSample = R"(sample:
  name: Neural network @NAME@
  description: An inference a second, its result and its time
tests:
  sample.thimble.@NAME@:
    tags: thimble
    harness: console
    harness_config:
      type: one_line
      regex:
        - "@NAME@: (-?[0-9]+) in ([0-9]+) us"
)";

constexpr const char* kBuilding =
    R"(This folder is a module of Zephyr: name it in the west manifest, or with `-DEXTRA_ZEPHYR_MODULES=` and its
path. `CONFIG_THIMBLE_@UPPER@=y` in prj.conf compiles the model.
Other options: `CONFIG_THIMBLE_HOOKS=y`@ADDRESS@. An example:

    west build -b BOARD samples/@NAME@
)";

std::string spaced(std::string flags) { return " " + std::move(flags); }

std::string library(const ProjectModel& model) {
  std::string bytes = weights_properties(model, "  ");
  if (!model.at_address.empty()) bytes += kAddress;
  return filled(kLibrary, {{"SOURCES", lines_of(model.sources, "\n    ")},
                           {"FLAGS", spaced(kCompileFlags)},
                           {"BYTES", bytes},
                           {"UPPER", upper(model.name)},
                           {"NAME", model.name}});
}

std::vector<EmittedFile> files(const ProjectFacts& project) {
  const std::string head = file_head("# ", project);
  std::string lists =
      head + filled(
                 "\nset(THIMBLE_OPTIMISATION \"@O@\" CACHE STRING\n"
                 "    \"Of the models' code, whatever the application's: Debug would be four "
                 "times slower\")\n"
                 "if(CONFIG_THIMBLE_HOOKS)\n"
                 "  zephyr_compile_definitions(THIMBLE_HOOKS)  # the headers, too\n"
                 "endif()\n",
                 {{"O", kOptimisation}});
  std::string kconfig = head + kHooks;
  std::vector<EmittedFile> files;
  for (const ProjectModel& model : project.models) {
    lists += library(model);
    const char* depends = model.needs("mve") ? kMve : model.needs("dsp") ? kDsp : "";
    kconfig +=
        filled(kOption, {{"UPPER", upper(model.name)}, {"NAME", model.name}, {"DEPENDS", depends}});
    if (!model.at_address.empty())
      kconfig += filled(kAddressOption, {{"UPPER", upper(model.name)}, {"NAME", model.name}});
    const std::string sample = "samples/" + model.name + "/";
    const auto add = [&](const char* name, const char* text) {
      files.push_back({sample + name,
                       head + filled(text, {{"UPPER", upper(model.name)}, {"NAME", model.name}})});
    };
    add("CMakeLists.txt", kSampleLists);
    add("prj.conf", kConfig);
    add("sample.yaml", kSample);
  }
  files.push_back({"CMakeLists.txt", lists});
  files.push_back({"Kconfig", kconfig});
  files.push_back({"zephyr/module.yml", head + filled(kModule, {{"NAME", project.name()}})});
  return files;
}

std::string building(const ProjectFacts& project) {
  return filled(kBuilding, {{"UPPER", upper(project.models.front().name)},
                            {"NAME", project.models.front().name},
                            {"ADDRESS", addresses(project, "CONFIG_THIMBLE_")}});
}

ExampleFrame example(const std::string& name) {
  return framed(name, "main.c: an inference a second, its result and its time to the console.",
                "#include <zephyr/kernel.h>\n#include <zephyr/sys/printk.h>\n\n", R"(
int main(void) {
  for (;;) {
    const uint32_t begin = k_cycle_get_32();
    const int best = infer();
    const uint32_t cycles = k_cycle_get_32() - begin;
    printk("@NAME@: %d in %u us\n", best, (unsigned int)k_cyc_to_us_floor32(cycles));
    k_msleep(1000);
  }
  return 0;
}
)");
}

}  // namespace

Ecosystem zephyr() {
  return {.name = "zephyr",
          .about = "a module for Zephyr, with Kconfig and samples",
          .places = {.example = "samples/@NAME@/src/main.c"},
          .example = example,
          .files = files,
          .building = building};
}

}  // namespace thimble
