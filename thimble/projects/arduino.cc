// SPDX-License-Identifier: Apache-2.0
// A library in Arduino's format (library specification 1.5, rev. 2.2): all that lies below src/ is
// compiled, with src/ as the only folder of headers. Sources end in .cpp, as older builders leave
// out any .cc.
#include <algorithm>

#include "thimble/emit/licence.h"
#include "thimble/projects/rows.h"

namespace thimble {
namespace {

constexpr const char* kProperties = R"(name=@NAME@
version=@VERSION@
author=Thimble, of a model of yours
maintainer=The model's owner
sentence=@SENTENCE@
paragraph=C++ sources and a C interface, written by thimble compile. Nothing else is needed: no interpreter, no heap.
category=Data Processing
url=https://arduino.github.io/arduino-cli/latest/library-specification/
architectures=@ARCHITECTURES@
includes=@INCLUDES@
)";

// By what cores call themselves. AVR is none of them: C++17 and 32-bit integers are wanted.
constexpr const char* kPortable =
    "mbed_edge,mbed_giga,mbed_nano,mbed_nicla,mbed_opta,mbed_portenta,mbed_rp2040,renesas_portenta,"
    "renesas_uno,rp2040,samd,esp32,nrf52,silabs,stm32,zephyr";
constexpr const char* kWithDsp =
    "mbed_edge,mbed_giga,mbed_nano,mbed_nicla,mbed_opta,mbed_portenta,renesas_portenta,renesas_uno,"
    "rp2040,samd,nrf52,silabs,stm32,zephyr";
constexpr const char* kWithMve = "zephyr";

constexpr const char* kBuilding = R"(This folder is a library for Arduino, @NAME@:

1. Put it into the `libraries` folder of your sketchbook, or zip it and choose
   Sketch > Include Library > Add .ZIP Library.
2. Open File > Examples > @NAME@, put your data where the sketch says "your data here", upload it.

The sources are C++17. A core that compiles an older C++ (Mbed OS cores: 14, SAMD: 11) has to be
told, and so has the compiler to be fast: Arduino compiles for size (-Os). With arduino-cli:

    arduino-cli compile --build-property "compiler.cpp.extra_flags=-std=gnu++17 -O2 -ffp-contract=off" ...

or as a line `compiler.cpp.extra_flags=...` in a file platform.local.txt beside the core's platform.txt.
`-ffp-contract=off` makes networks of float32 compute the same bits as on the host; integers always do.
Other options belong there, too: `-DTHIMBLE_HOOKS`@ADDRESS@.
@CORES@)";

bool any_needs(const ProjectFacts& project, std::string_view instructions) {
  return std::ranges::any_of(project.models,
                             [&](const ProjectModel& model) { return model.needs(instructions); });
}

std::string keywords(const ProjectFacts& project) {
  std::string text = file_head("# ", project);
  for (const ProjectModel& model : project.models)
    text += model.name + "_run\tKEYWORD2\n" + model.name + "_arena_bytes\tLITERAL1\n";
  return text;
}

std::vector<EmittedFile> files(const ProjectFacts& project) {
  std::string includes, names;
  for (const ProjectModel& model : project.models) {
    includes += (includes.empty() ? "" : ",") + model.name + ".h";
    names += (names.empty() ? "" : ", ") + model.name;
  }
  const bool mve = any_needs(project, "mve"), dsp = any_needs(project, "dsp");
  const std::string properties = filled(
      kProperties,
      {{"NAME", project.name()},
       {"VERSION", project.version},
       {"SENTENCE", (project.models.size() == 1 ? "The neural network " : "The neural networks ") +
                        names + " as code."},
       {"ARCHITECTURES", mve   ? kWithMve
                         : dsp ? kWithDsp
                               : kPortable},
       {"INCLUDES", includes}});
  return {{"library.properties", licence_lines("# ") + properties},
          {"keywords.txt", keywords(project)}};
}

std::string building(const ProjectFacts& project) {
  const bool mve = any_needs(project, "mve"), dsp = any_needs(project, "dsp");
  return filled(
      kBuilding,
      {{"NAME", project.name()},
       {"ADDRESS", addresses(project, "-D")},
       {"CORES", mve || dsp
                     ? std::string("\nThe kernels use instructions of Cortex-M cores with ") +
                           (mve ? "Helium" : "the DSP extension") +
                           ": choose a board that has them, or compile the model without "
                           "--device and --core.\n"
                     : ""}});
}

}  // namespace

ExampleFrame sketch(const std::string& name, const std::string& file, const std::string& head) {
  return framed(
      name, file + ": an inference a second, its result and its time to the serial monitor.", head,
      R"(
void setup() { Serial.begin(115200); }

void loop() {
  const unsigned long begin = micros();
  const int best = infer();
  const unsigned long end = micros();
  Serial.print("@NAME@: ");
  Serial.print(best);
  Serial.print(" in ");
  Serial.print(end - begin);
  Serial.println(" us");
  delay(1000);
}
)");
}

Ecosystem arduino() {
  return {.name = "arduino",
          .about = "a library for the Arduino IDE and arduino-cli",
          .places = {.headers = "src/",
                     .sources = "src/",
                     .source_end = ".cpp",
                     .example = "examples/@NAME@/@NAME@.ino"},
          .example = [](const std::string& name) { return sketch(name, name + ".ino", ""); },
          .files = files,
          .building = building};
}

}  // namespace thimble
