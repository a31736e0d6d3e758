// SPDX-License-Identifier: Apache-2.0
// A fragment for each model, NAME.mk, and a Makefile that builds the examples with any compiler.
#include "thimble/emit/c_ports.h"
#include "thimble/projects/rows.h"

namespace thimble {
namespace {

constexpr const char* kFragment =
    R"(# In your Makefile: include this file, and link $(@NAME@_OBJECTS). They are compiled with $(CXX)
# $(CPPFLAGS) $(CXXFLAGS) $(TARGET_ARCH): the core's options, -mcpu=.., belong into one of these.
# Callers in C need $(@NAME@_INCLUDES); THIMBLE_HOOKS=1 adds -DTHIMBLE_HOOKS there. What others
# include before goes on: the default goal stays.
@NAME@_DIR := $(dir $(lastword $(MAKEFILE_LIST)))
@NAME@_GOAL := $(.DEFAULT_GOAL)
THIMBLE_BUILD ?= build
# Whatever the application has: without, the model is four times slower.
THIMBLE_OPTIMISATION ?= @O@

@NAME@_SOURCES :=@SOURCES@
@NAME@_OBJECTS := $(@NAME@_SOURCES:%.cc=$(THIMBLE_BUILD)/@NAME@/%.o)
@NAME@_INCLUDES :=@INCLUDES@ $(if $(THIMBLE_HOOKS),-DTHIMBLE_HOOKS)
@NAME@_FLAGS := -std=c++17 -Wall -Wextra @FLAGS@
@BYTES@
$(@NAME@_OBJECTS): $(THIMBLE_BUILD)/@NAME@/%.o: $(@NAME@_DIR)%.cc
	@mkdir -p $(@D)
	$(CXX) $(CPPFLAGS) $(CXXFLAGS) $(TARGET_ARCH) $(@NAME@_INCLUDES) $(@NAME@_FLAGS) \
	  $(THIMBLE_OPTIMISATION) -MMD -MP -c $< -o $@

-include $(@NAME@_OBJECTS:.o=.d)
.DEFAULT_GOAL := $(@NAME@_GOAL)
)";

constexpr const char* kAddress =
    R"($(THIMBLE_BUILD)/@NAME@/@OBJECT@: @NAME@_FLAGS += -fno-lto \
  $(if $(@UPPER@_WEIGHTS_ADDRESS),-D@UPPER@_WEIGHTS_ADDRESS=$(@UPPER@_WEIGHTS_ADDRESS))
)";

constexpr const char* kBuilding =
    R"(With make: `include` of MODEL.mk in this folder, then link `$(MODEL_OBJECTS)`, with the name of a section above.
Callers in C need `$(MODEL_INCLUDES)`. Variables, set before or given to make: `THIMBLE_HOOKS=1`@ADDRESS@.
`make` in this folder builds the examples, for a board `make CROSS=arm-none-eabi- TARGET_ARCH=-mcpu=.. LDFLAGS=..`.
)";

constexpr const char* kMakefile =
    R"(# The examples of the models in this folder. For this machine: make. For a board, with the memory map
# of its linker script:
#   make CROSS=arm-none-eabi- TARGET_ARCH="-mcpu=cortex-m4 -mthumb" LDFLAGS="-T board.ld"
CROSS ?=
ifeq ($(origin CC),default)
CC := $(CROSS)gcc
endif
ifeq ($(origin CXX),default)
CXX := $(CROSS)g++
endif
CFLAGS ?= -std=c99 -O2 -Wall -Wextra
# Your drivers of block storage, of models that use some: objects or sources in C.
DRIVERS ?=

.PHONY: all clean
all: examples
@FRAGMENTS@
.PHONY: examples
examples:@EXAMPLES@
@RULES@
clean:
	rm -rf $(THIMBLE_BUILD)
)";

constexpr const char* kRule = R"(
$(THIMBLE_BUILD)/@NAME@_example: @NAME@_example.c $(@NAME@_OBJECTS) $(DRIVERS)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(TARGET_ARCH) $(@NAME@_INCLUDES) $^ -Wl,--gc-sections $(LDFLAGS) \
	  $(LDLIBS) -o $@
)";

std::string object(const std::string& source) { return source.substr(0, source.size() - 3) + ".o"; }

std::vector<EmittedFile> files(const ProjectFacts& project) {
  std::vector<EmittedFile> files = make_fragments(project, {""});
  std::string fragments, examples, rules;
  for (const ProjectModel& model : project.models) {
    fragments += "include " + model.name + ".mk\n";
    examples += " $(THIMBLE_BUILD)/" + model.name + "_example";
    rules += filled(kRule, {{"NAME", model.name}});
  }
  files.push_back(
      {"Makefile", file_head("# ", project) + filled(kMakefile, {{"FRAGMENTS", fragments},
                                                                 {"EXAMPLES", examples},
                                                                 {"RULES", rules}})});
  return files;
}

}  // namespace

std::vector<EmittedFile> make_fragments(const ProjectFacts& project,
                                        const std::vector<std::string>& includes) {
  std::vector<EmittedFile> files;
  for (const ProjectModel& model : project.models) {
    std::string bytes;
    if (!model.at_address.empty())
      bytes +=
          filled(kAddress, {{"UPPER", upper(model.name)}, {"OBJECT", object(model.at_address)}});
    for (const std::string& source : model.with_bytes)
      bytes += "$(THIMBLE_BUILD)/@NAME@/" + object(source) + ": @NAME@_FLAGS += -fno-lto\n";
    const std::string text =
        filled(kFragment, {{"SOURCES", lines_of(model.sources, " \\\n  ")},
                           {"INCLUDES", lines_of(includes, " -I$(@NAME@_DIR)")},
                           {"FLAGS", kCompileFlags},
                           {"O", kOptimisation},
                           {"BYTES", bytes},
                           {"NAME", model.name}});
    files.push_back({model.name + ".mk", file_head("# ", project) + text});
  }
  return files;
}

Ecosystem makefile() {
  return {.name = "makefile",
          .about = "fragments to include in a Makefile, and one for the examples",
          .places = {},
          .example =
              [](const std::string& name) {
                return ExampleFrame{.about = name + "_example.c: one inference. make builds it."};
              },
          .files = files,
          .building =
              [](const ProjectFacts& project) {
                return filled(kBuilding, {{"ADDRESS", addresses(project, "")}});
              }};
}

}  // namespace thimble
