#include "Arduino.h"

#include <time.h>

SerialPort Serial;

unsigned long micros() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<unsigned long>(now.tv_sec) * 1000000UL + static_cast<unsigned long>(now.tv_nsec) / 1000UL;
}
void delay(unsigned long) {}

int main() {
  setup();
  loop();
  return 0;
}
