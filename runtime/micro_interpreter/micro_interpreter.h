// SPDX-License-Identifier: Apache-2.0
// The interface of tflite::MicroInterpreter (TensorFlow Lite Micro), in front of compiled models:
// an application that is written for the interpreter includes this, and NAME_micro_interpreter.h in
// place of the model's data. Nothing is interpreted: operators that are registered are not needed,
// and the arena holds what the model's own header asks for, and a TfLiteTensor per input and
// output.
//
// Messages go to THIMBLE_MICRO_PRINTF(format, ...), nowhere unless it is defined before.
#ifndef THIMBLE_MICRO_INTERPRETER_H_
#define THIMBLE_MICRO_INTERPRETER_H_

#ifdef TENSORFLOW_LITE_MICRO_MICRO_INTERPRETER_H_
#error "an application has the interpreter or this, not both"
#endif

#include <stddef.h>
#include <stdint.h>

#ifndef THIMBLE_MICRO_PRINTF
#define THIMBLE_MICRO_PRINTF(...) ((void)0)
#endif
template <class... Values>
inline void MicroPrintf(const char* format, Values... values) {
  ((void)values, ...);
  (void)format;
  THIMBLE_MICRO_PRINTF(format, values...);
}

#define TFLITE_SCHEMA_VERSION (3)

typedef enum TfLiteStatus {
  kTfLiteOk = 0,
  kTfLiteError = 1,
  kTfLiteDelegateError = 2,
  kTfLiteApplicationError = 3,
} TfLiteStatus;

typedef enum {
  kTfLiteNoType = 0,
  kTfLiteFloat32 = 1,
  kTfLiteInt32 = 2,
  kTfLiteUInt8 = 3,
  kTfLiteInt64 = 4,
  kTfLiteBool = 6,
  kTfLiteInt16 = 7,
  kTfLiteInt8 = 9,
  kTfLiteUInt64 = 13,
  kTfLiteUInt32 = 16,
} TfLiteType;

typedef struct TfLiteIntArray {
  int size;
  int data[8];  // no tensor has more axes
} TfLiteIntArray;

typedef struct TfLiteQuantizationParams {
  float scale;
  int32_t zero_point;
} TfLiteQuantizationParams;

typedef union TfLitePtrUnion {
  void* data;
  char* raw;
  const char* raw_const;
  int8_t* int8;
  uint8_t* uint8;
  int16_t* i16;
  int32_t* i32;
  uint32_t* u32;
  int64_t* i64;
  uint64_t* u64;
  float* f;
  bool* b;
} TfLitePtrUnion;

typedef struct TfLiteTensor {
  TfLiteType type;
  TfLitePtrUnion data;
  TfLiteIntArray* dims;  // of the model, which lies in flash
  TfLiteQuantizationParams params;
  size_t bytes;
  const char* name;
} TfLiteTensor;

namespace tflite {

/// What stands in a compiled model's header in place of its data.
struct Model {
  struct Port {
    const char* name;
    TfLiteType type;
    TfLiteIntArray dims;
    TfLiteQuantizationParams params;
    size_t offset, bytes;  ///< in the arena
  };
  const char* name;
  size_t arena_bytes, arena_alignment;
  const Port* inputs;
  size_t input_count;
  const Port* outputs;
  size_t output_count;
  void (*run)(void* arena);
  void (*reset)(void* arena);  ///< null: nothing is kept between inferences
  /// Null unless THIMBLE_HOOKS is defined.
  void (*set_hook)(void (*hook)(void* context, int32_t stage, bool begins), void* context);
  const char* (*stage_name)(int32_t stage);

  uint32_t version() const { return TFLITE_SCHEMA_VERSION; }
};

inline const Model* GetModel(const void* data) { return static_cast<const Model*>(data); }
inline void InitializeTarget() {}

template <class T>
T* GetTensorData(TfLiteTensor* tensor) {
  return tensor == nullptr ? nullptr : static_cast<T*>(tensor->data.data);
}
template <class T>
const T* GetTensorData(const TfLiteTensor* tensor) {
  return tensor == nullptr ? nullptr : static_cast<const T*>(tensor->data.data);
}

class MicroOpResolver {};

/// Takes all operators, and needs none.
template <unsigned int kCount>
class MicroMutableOpResolver : public MicroOpResolver {
 public:
#define THIMBLE_TAKES_OPERATOR(Operator)          \
  template <class... Registration>                \
  TfLiteStatus Add##Operator(Registration&&...) { \
    return kTfLiteOk;                             \
  }
#include "operators.def"
#undef THIMBLE_TAKES_OPERATOR
};

class MicroResourceVariables;

class MicroProfilerInterface {
 public:
  virtual uint32_t BeginEvent(const char* tag) = 0;
  virtual void EndEvent(uint32_t event_handle) = 0;

 protected:
  ~MicroProfilerInterface() = default;
};

class MicroInterpreter {
 public:
  /// Resource variables and preserve_all_tensors mean nothing here. profiler: called around each
  /// stage of the compiled model, if that and the application are compiled with THIMBLE_HOOKS.
  MicroInterpreter(const Model* model, const MicroOpResolver&, uint8_t* tensor_arena,
                   size_t tensor_arena_size, MicroResourceVariables* = nullptr,
                   MicroProfilerInterface* profiler = nullptr, bool = false)
      : model_(*model), arena_(tensor_arena), arena_size_(tensor_arena_size), profiler_(profiler) {}
  MicroInterpreter(const MicroInterpreter&) = delete;
  MicroInterpreter& operator=(const MicroInterpreter&) = delete;

  /// The arena may begin anywhere: up to the alignment it is passed over.
  TfLiteStatus AllocateTensors() {
    const size_t lost = past(reinterpret_cast<uintptr_t>(arena_), model_.arena_alignment);
    const size_t tensors =
        lost + model_.arena_bytes + past(model_.arena_bytes, alignof(TfLiteTensor));
    used_ = tensors + (model_.input_count + model_.output_count) * sizeof(TfLiteTensor);
    if (arena_ == nullptr || used_ > arena_size_) {
      MicroPrintf("%s: the arena has %u bytes and needs %u", model_.name,
                  static_cast<unsigned>(arena_ == nullptr ? 0 : arena_size_),
                  static_cast<unsigned>(used_));
      status_ = kTfLiteError;
      return status_;
    }
    place_ = arena_ + lost;
    tensors_ = reinterpret_cast<TfLiteTensor*>(arena_ + tensors);
    for (size_t k = 0; k < model_.input_count; ++k) set(tensors_[k], model_.inputs[k]);
    for (size_t k = 0; k < model_.output_count; ++k)
      set(tensors_[model_.input_count + k], model_.outputs[k]);
    return Reset();
  }

  /// The first one allocates tensors, if nobody did.
  TfLiteStatus Invoke() {
    if (tensors_ == nullptr && AllocateTensors() != kTfLiteOk) return kTfLiteError;
    const bool profiled = profiler_ != nullptr && model_.set_hook != nullptr;
    if (profiled) model_.set_hook(profile, this);
    model_.run(place_);
    if (profiled) model_.set_hook(nullptr, nullptr);
    return kTfLiteOk;
  }

  /// Variables begin anew.
  TfLiteStatus Reset() {
    if (tensors_ == nullptr) return kTfLiteError;
    if (model_.reset != nullptr) model_.reset(place_);
    return kTfLiteOk;
  }

  size_t inputs_size() const { return model_.input_count; }
  size_t outputs_size() const { return model_.output_count; }
  /// Null, with a message, where there is none, and before tensors are allocated. An inference
  /// overwrites its inputs.
  TfLiteTensor* input(size_t index) { return tensor(0, index, model_.input_count, "input"); }
  TfLiteTensor* output(size_t index) {
    return tensor(model_.input_count, index, model_.output_count, "output");
  }
  template <class T>
  T* typed_input_tensor(int index) {
    return GetTensorData<T>(input(static_cast<size_t>(index)));
  }
  template <class T>
  T* typed_output_tensor(int index) {
    return GetTensorData<T>(output(static_cast<size_t>(index)));
  }

  TfLiteStatus initialization_status() const { return status_; }
  /// 0 before tensors are allocated; what is passed over counts.
  size_t arena_used_bytes() const { return tensors_ == nullptr ? 0 : used_; }

 private:
  /// From the address to the next multiple.
  static size_t past(uintptr_t address, size_t alignment) {
    return (alignment - address % alignment) % alignment;
  }

  void set(TfLiteTensor& tensor, const Model::Port& port) {
    tensor.type = port.type;
    tensor.data.data = place_ + port.offset;
    tensor.dims = const_cast<TfLiteIntArray*>(&port.dims);
    tensor.params = port.params;
    tensor.bytes = port.bytes;
    tensor.name = port.name;
  }

  TfLiteTensor* tensor(size_t first, size_t index, size_t count, const char* what) {
    if (tensors_ != nullptr && index < count) return tensors_ + first + index;
    MicroPrintf(
        tensors_ == nullptr ? "%s: %s %u: AllocateTensors comes first" : "%s: there is no %s %u",
        model_.name, what, static_cast<unsigned>(index));
    return nullptr;
  }

  static void profile(void* self, int32_t stage, bool begins) {
    MicroInterpreter& its = *static_cast<MicroInterpreter*>(self);
    if (stage < 0) return;  // around the whole
    if (begins) {
      its.event_ = its.profiler_->BeginEvent(its.model_.stage_name(stage));
    } else {
      its.profiler_->EndEvent(its.event_);
    }
  }

  const Model& model_;
  uint8_t* const arena_;
  const size_t arena_size_;
  MicroProfilerInterface* const profiler_;
  uint8_t* place_ = nullptr;  // of the model's arena
  TfLiteTensor* tensors_ = nullptr;
  size_t used_ = 0;
  uint32_t event_ = 0;
  TfLiteStatus status_ = kTfLiteOk;
};

}  // namespace tflite

#endif  // THIMBLE_MICRO_INTERPRETER_H_
