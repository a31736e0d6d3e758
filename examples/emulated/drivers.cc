// SPDX-License-Identifier: Apache-2.0
// Camera, microphone and display of the emulated board: rows and samples come from a file of the
// host's, named on the command line, and lines of text go to its console. Start-up code and
// semihosting are those of ../../firmware.
#include "board.h"
#include "camera.h"
#include "display.h"
#include "microphone.h"
#include "semihosting.h"

using namespace thimble_firmware;

int main();  // of the example

namespace {

int32_t file = -1;
size_t left_bytes = 0;  // of the file

bool read_bytes(void* to, size_t bytes) {
  if (bytes > left_bytes || !read_file(file, to, bytes)) return false;
  left_bytes -= bytes;
  return true;
}

void read_row(void* row, size_t row_bytes) {
  if (read_bytes(row, row_bytes)) return;
  print("the file ends in the middle of an input\n");
  exit_with(1);
}

void print_digits(uint32_t value) {
  char text[11];
  char* at = text + sizeof(text);
  *--at = '\0';
  do {
    *--at = static_cast<char>('0' + value % 10);
    value /= 10;
  } while (value != 0);
  print(at);
}

void print_number(int32_t value) {
  if (value < 0) print("-");
  print_digits(value < 0 ? 0u - static_cast<uint32_t>(value) : static_cast<uint32_t>(value));
}

}  // namespace

bool camera_starts_picture() { return left_bytes > 0; }
void camera_wait_for_row(void* row, size_t row_bytes) { read_row(row, row_bytes); }

bool microphone_is_on() { return left_bytes > 0; }
void microphone_wait_for_features(void* features, size_t features_bytes) {
  read_row(features, features_bytes);
}
bool microphone_wait_for_samples(int16_t* samples, size_t count) {
  return read_bytes(samples, count * sizeof(*samples));
}

void show_scores(const int8_t* scores, int32_t count) {
  int32_t best = 0;
  for (int32_t k = 1; k < count; ++k) {
    if (scores[k] > scores[best]) best = k;
  }
  print("class ");
  print_number(best);
  print(", scores");
  for (int32_t k = 0; k < count; ++k) {
    print(" ");
    print_number(scores[k]);
  }
  print("\n");
}

void show_class(int32_t number, int32_t score) {
  print("class ");
  print_number(number);
  print(", score ");
  print_number(score);
  print("\n");
}

void show_line(const char* line) {
  print(line);
  print("\n");
}

void show_count(const char* what, uint32_t count) {
  print(what);
  print(" ");
  print_digits(count);
  print("\n");
}

uint32_t board_cycles() { return kInstructionsPerTick * ticks_between(0, read_counter()); }

// Entered by the start-up code. Command line: NAME FILE.
extern "C" void harness_main() {
  char text[512];
  if (!command_line(text, sizeof(text))) exit_with(1);
  const char* path = text;
  while (*path != '\0' && *path != ' ') ++path;
  if (*path == ' ') ++path;
  file = open_file(path, OpenMode::kRead);
  if (file < 0) {
    print("the file with the rows cannot be opened\n");
    exit_with(1);
  }
  left_bytes = static_cast<size_t>(file_bytes(file));
  exit_with(static_cast<uint32_t>(main()));
}
