/* One inference on an emulated board, -M mps2-an386 -icount shift=0: prints how many instructions
   it took, give or take the 40 of a tick of the timer. MODEL: its name; MODEL_HEADER: its header.
 */
#include MODEL_HEADER

#define JOINED(a, b) a##b
#define NAMED(a, b) JOINED(a, b)

static uint8_t arena[NAMED(MODEL, _arena_bytes)] __attribute__((aligned(16)));

static int semihosting(int call, const void* argument) {
  register int r0 __asm__("r0") = call;
  register const void* r1 __asm__("r1") = argument;
  __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
  return r0;
}

static void print_number(uint32_t number) {
  char text[12] = "\n";
  char all[12];
  int digits = 0;
  do {
    all[digits++] = (char)('0' + number % 10);
    number /= 10;
  } while (number != 0);
  for (int k = 0; k < digits; ++k) text[k] = all[digits - 1 - k];
  text[digits] = '\n';
  text[digits + 1] = '\0';
  semihosting(4, text);
}

void start(void);
void start(void) {
  volatile uint32_t* const timer = (volatile uint32_t*)0xe000e010; /* SysTick at 25 MHz */
  *(volatile uint32_t*)0xe000ed88 = 0xf00000;                      /* the FPU is on */
  for (int k = 0; k < NAMED(MODEL, _input_elements); ++k) NAMED(MODEL, _input)(arena)[k] = 0;
  timer[1] = 0xffffff;
  timer[2] = 0;
  timer[0] = 5;
  const uint32_t begin = timer[2];
  NAMED(MODEL, _run)(arena);
  const uint32_t ticks = (begin - timer[2]) & 0xffffffU;
  print_number(ticks * 40);
  semihosting(0x18, (const void*)0x20026);
  for (;;) {
  }
}

__attribute__((section(".vectors"), used)) static const void* const vectors[] = {(void*)0x20400000,
                                                                                 (void*)start};
