// SPDX-License-Identifier: Apache-2.0
// What micro_interpreter_test.cc compiles with two models: the interface at its edges, then their
// outputs. Each line of standard output is a claim that does not hold, or a message of the shim's.
#include <cstdio>
#include <cstring>
#include <initializer_list>
#define THIMBLE_MICRO_PRINTF(...) (std::printf(__VA_ARGS__), std::printf("\n"))
#include "demo_micro_interpreter.h"
#include "other_micro_interpreter.h"
#include "tensorflow/lite/micro/micro_interpreter.h"
#include "tensorflow/lite/micro/micro_mutable_op_resolver.h"

#define HOLDS(claim) ((claim) ? (void)0 : (void)std::printf("false: %s\n", #claim))

namespace {

struct Counter : tflite::MicroProfilerInterface {
  uint32_t BeginEvent(const char* tag) override {
    named += std::strlen(tag) > 0 ? 1 : 0;
    return begun++;
  }
  void EndEvent(uint32_t event) override { ended += event + 1 == begun ? 1 : 0; }
  uint32_t begun = 0, ended = 0;
  int named = 0;
};

alignas(16) uint8_t arena[2][1 << 20];
tflite::MicroMutableOpResolver<3> resolver;

void edges() {
  const tflite::Model* model = tflite::GetModel(g_demo_model_data);
  const size_t least = demo_micro_interpreter_arena_bytes;
  tflite::MicroInterpreter small(model, resolver, arena[0], least - 1);
  HOLDS(small.input(0) == nullptr);
  HOLDS(small.AllocateTensors() == kTfLiteError);
  HOLDS(small.initialization_status() == kTfLiteError);
  HOLDS(small.Invoke() == kTfLiteError);
  HOLDS(small.Reset() == kTfLiteError);
  HOLDS(small.arena_used_bytes() == 0);
  tflite::MicroInterpreter none(model, resolver, nullptr, sizeof(arena[0]));
  HOLDS(none.AllocateTensors() == kTfLiteError);
  tflite::MicroInterpreter aligned(model, resolver, arena[0], least);
  HOLDS(aligned.AllocateTensors() == kTfLiteOk);
  HOLDS(aligned.arena_used_bytes() == least);
  HOLDS(aligned.output(1) == nullptr);
  tflite::MicroInterpreter odd(model, resolver, arena[0] + 1, least);
  HOLDS(odd.AllocateTensors() == kTfLiteError);
  tflite::MicroInterpreter shifted(model, resolver, arena[0] + 1, least + 15);
  HOLDS(shifted.AllocateTensors() == kTfLiteOk);
  HOLDS(reinterpret_cast<uintptr_t>(shifted.input(0)->data.data) % 16 == demo_input_offset % 16);
}

void tensors() {
  tflite::MicroInterpreter interpreter(tflite::GetModel(g_demo_model_data), resolver, arena[0],
                                       sizeof(arena[0]));
  HOLDS(interpreter.AllocateTensors() == kTfLiteOk);
  HOLDS(interpreter.inputs_size() == 1 && interpreter.outputs_size() == 1);
  const TfLiteTensor* input = interpreter.input(0);
  HOLDS(input->type == kTfLiteInt8 && input->bytes == demo_input_bytes);
  size_t elements = 1;
  for (int k = 0; k < input->dims->size; ++k) elements *= static_cast<size_t>(input->dims->data[k]);
  HOLDS(elements == demo_input_elements);
  HOLDS(input->params.scale == demo_input_scale());
  HOLDS(input->params.zero_point == demo_input_zero_point);
  HOLDS(interpreter.typed_input_tensor<int8_t>(0) == input->data.int8);
}

// Two models side by side, each twice: the arenas of one are not those of the other.
void outputs() {
  Counter counter;
  tflite::MicroInterpreter demo(tflite::GetModel(g_demo_model_data), resolver, arena[0],
                                sizeof(arena[0]), nullptr, &counter);
  tflite::MicroInterpreter other(tflite::GetModel(g_other_model_data), resolver, arena[1],
                                 sizeof(arena[1]));
  HOLDS(demo.AllocateTensors() == kTfLiteOk && other.AllocateTensors() == kTfLiteOk);
  for (int inference = 0; inference < 2; ++inference) {
    for (tflite::MicroInterpreter* its : {&demo, &other}) {
      TfLiteTensor* input = its->input(0);
      for (size_t k = 0; k < input->bytes; ++k)
        input->data.int8[k] = static_cast<int8_t>((k * 7 + 3) % 256);
    }
    HOLDS(demo.Invoke() == kTfLiteOk && other.Invoke() == kTfLiteOk);
  }
  HOLDS(counter.begun == 2 * demo_stages && counter.ended == counter.begun);
  HOLDS(counter.named == static_cast<int>(counter.begun));
  for (tflite::MicroInterpreter* its : {&demo, &other}) {
    const TfLiteTensor* output = its->output(0);
    std::printf("output");
    for (size_t k = 0; k < output->bytes; ++k) std::printf(" %d", output->data.int8[k]);
    std::printf("\n");
  }
}

}  // namespace

int main() {
  resolver.AddConv2D();
  resolver.AddSoftmax(nullptr);
  edges();
  tensors();
  outputs();
}
