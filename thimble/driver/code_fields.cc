// SPDX-License-Identifier: Apache-2.0
#include "thimble/driver/field_rows.h"
#include "thimble/import/labels.h"

namespace thimble {
namespace {

/// The request's, with nothing of the runtime but what is used.
Emission& emission_of(Request& request) {
  if (!request.emission) request.emission = Emission{.also_used = {}};
  return *request.emission;
}

std::vector<std::string> ecosystem_names() {
  std::vector<std::string> names;
  for (const Ecosystem& ecosystem : ecosystems()) names.push_back(ecosystem.name);
  return names;
}

}  // namespace

std::vector<RequestField> code_fields() {
  using enum FieldForm;
  using enum FieldGroup;
  using R = Request;
  using V = FieldValue;
  return {
      // Before the fields of what is written.
      {.name = "sources",
       .option = "",
       .group = kApi,
       .form = kOn,
       .help = "Write sources",
       .set =
           [](R& r, const V& v) {
             r.emission.reset();
             if (v.given()) (void)emission_of(r);
           },
       .texts = [](const R& r) { return text_if(r.emission.has_value()); }},
      {.name = "name",
       .option = "--name",
       .group = kSources,
       .form = kText,
       .type = "NAME",
       .help = "Name of files and functions (default: the model's)",
       .set =
           [](R& r, const V& v) {
             if (v.given() || r.emission) emission_of(r).name = v.text();
           },
       .texts =
           [](const R& r) {
             const std::string text = r.emission ? r.emission->name : "";
             return text_if(!text.empty(), text);
           }},
      {.name = "labels",
       .option = "--labels",
       .group = kSources,
       .form = kText,
       .type = "FILE",
       .help = "Names of the classes, one on each line (default: those in the model's file)",
       .set =
           [](R& r, const V& v) {
             r.labels = {};
             if (v.given()) r.labels = {v.text(), read_labels(v.text())};
           },
       .texts = [](const R& r) { return text_if(!r.labels.file.empty(), r.labels.file); }},
      {.name = "weights_as",
       .option = "--weights-as",
       .group = kSources,
       .form = kWord,
       .help = "Constants: auto, text up to 4 MiB, else incbin; text, C++; incbin, bytes that "
               "assembly takes in; binary, NAME_weights.bin, to be flashed at NAME_WEIGHTS_ADDRESS",
       .words = {"auto", "text", "incbin", "binary"},
       .set =
           [](R& r, const V& v) {
             constexpr WeightsForm kForms[] = {WeightsForm::kAuto, WeightsForm::kText,
                                               WeightsForm::kIncbin, WeightsForm::kBinary};
             if (v.given() || r.emission) emission_of(r).weights = kForms[v.word()];
           },
       .texts =
           [](const R& r) {
             return text_if(r.emission && r.emission->weights != WeightsForm::kAuto,
                            r.emission ? name(r.emission->weights) : "");
           }},
      {.name = "export",
       .option = "--export",
       .group = kSources,
       .form = kWord,
       .help =
           "Layout of the folder, with an example and what the build system wants: a folder for "
           "CMake (default), fragments for a Makefile, a library for Arduino or PlatformIO, a "
           "module of Zephyr, a component of ESP-IDF, a middleware of STM32Cube, a CMSIS pack",
       .words = ecosystem_names(),
       .set =
           [](R& r, const V& v) {
             if (v.given() || r.emission) emission_of(r).ecosystem = ecosystems()[v.word()].name;
           },
       .texts =
           [](const R& r) {
             return text_if(r.emission && r.emission->ecosystem != ecosystems().front().name,
                            r.emission ? r.emission->ecosystem : "");
           }},
      {.name = "share_arena",
       .option = "--share-arena",
       .group = kSources,
       .form = kOn,
       .help = "Models that never run at once have one arena: what is kept between inferences "
               "lies beside it",
       .set = [](R& r, const V& v) { r.states_apart = v.given(); },
       .texts = [](const R& r) { return text_if(r.states_apart); }},
      {.name = "whole_runtime",
       .option = "--whole-runtime",
       .group = kSources,
       .form = kOn,
       .help = "Kernels with what no model of the folder uses of them, too: folders that are "
               "linked into one program share these",
       .set =
           [](R& r, const V& v) {
             if (v.given()) {
               emission_of(r).also_used = all_parts();
             } else if (r.emission) {
               r.emission->also_used.clear();
             }
           },
       .texts =
           [](const R& r) { return text_if(r.emission && r.emission->also_used == all_parts()); }},
      {.name = "trace",
       .option = "--trace",
       .group = kSources,
       .form = kOn,
       .help = "Code that tells of each inference what it computes, for `thimble diagnose` "
               "(NAME_trace; more code, and slower)",
       .set =
           [](R& r, const V& v) {
             if (v.given() || r.emission) emission_of(r).trace = v.given();
           },
       .texts = [](const R& r) { return text_if(r.emission && r.emission->trace); }},
      {.name = "micro_interpreter",
       .option = "--micro-interpreter",
       .group = kSources,
       .form = kOn,
       .help = "Headers with the interface of tflite::MicroInterpreter, too, for an application "
               "that is written for it (docs/from_micro_interpreter.md)",
       .set =
           [](R& r, const V& v) {
             if (v.given() || r.emission) emission_of(r).micro_interpreter = v.given();
           },
       .texts = [](const R& r) { return text_if(r.emission && r.emission->micro_interpreter); }},
      {.name = "beside_arena",
       .option = "",
       .group = kApi,
       .form = kSize,
       .type = "SIZE",
       .help = "What the arena leaves of the SRAM, if the plan needs no more",
       .set = [](R& r, const V& v) { r.beside_arena_bytes = v.size().value_or(0); },
       .texts =
           [](const R& r) {
             return r.beside_arena_bytes == 0 ? Texts() : size_texts(r.beside_arena_bytes);
           }},
  };
}

}  // namespace thimble
