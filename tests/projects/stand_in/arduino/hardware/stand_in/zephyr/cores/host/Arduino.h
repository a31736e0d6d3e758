// What the sketches use of Arduino's core, on this machine. One round of loop(), no waiting.
#pragma once

#include <stdint.h>
#include <stdio.h>

unsigned long micros();
void delay(unsigned long milliseconds);
void setup();
void loop();

struct SerialPort {
  void begin(unsigned long) {}
  void print(const char* text) { fputs(text, stdout); }
  void print(int number) { printf("%d", number); }
  void print(unsigned long number) { printf("%lu", number); }
  void println(const char* text) { puts(text); }
};
extern SerialPort Serial;
