// SPDX-License-Identifier: Apache-2.0
// An application as it is written for TensorFlow Lite Micro: whether a person is on the pictures of
// a camera. It is compiled with the interpreter, or with what this command writes, whose folder
// and thimble_micro_interpreter/ in it are then include folders; the two lines that change are
// marked.
//   thimble compile person_detect.tflite --name detector --micro-interpreter -o detector
#include "camera.h"
#include "detector_micro_interpreter.h"  // 1: was the header of the model's data
#include "display.h"
#include "tensorflow/lite/micro/micro_interpreter.h"
#include "tensorflow/lite/micro/micro_log.h"
#include "tensorflow/lite/micro/micro_mutable_op_resolver.h"
#include "tensorflow/lite/micro/system_setup.h"
#include "tensorflow/lite/schema/schema_generated.h"

namespace {

constexpr size_t kArenaBytes = detector_micro_interpreter_arena_bytes;  // 2: was 136 * 1024
alignas(16) uint8_t arena[kArenaBytes];

}  // namespace

int main() {
  tflite::InitializeTarget();
  const tflite::Model* model = tflite::GetModel(g_detector_model_data);
  if (model->version() != TFLITE_SCHEMA_VERSION) return 1;

  tflite::MicroMutableOpResolver<5> resolver;
  resolver.AddAveragePool2D();
  resolver.AddConv2D();
  resolver.AddDepthwiseConv2D();
  resolver.AddReshape();
  resolver.AddSoftmax();

  tflite::MicroInterpreter interpreter(model, resolver, arena, kArenaBytes);
  if (interpreter.AllocateTensors() != kTfLiteOk) {
    MicroPrintf("AllocateTensors() failed");
    return 1;
  }
  TfLiteTensor* input = interpreter.input(0);
  const auto row_bytes = static_cast<size_t>(input->dims->data[2] * input->dims->data[3]);
  while (camera_starts_picture()) {
    for (int row = 0; row < input->dims->data[1]; ++row)
      camera_wait_for_row(input->data.int8 + static_cast<size_t>(row) * row_bytes, row_bytes);
    if (interpreter.Invoke() != kTfLiteOk) return 1;
    const TfLiteTensor* output = interpreter.output(0);
    show_scores(tflite::GetTensorData<int8_t>(output), output->dims->data[1]);
  }
  return 0;
}
