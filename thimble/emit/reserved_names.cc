// SPDX-License-Identifier: Apache-2.0
#include "thimble/emit/reserved_names.h"

#include <algorithm>

namespace thimble {
namespace {

// In each list the names are separated by single spaces.

// Keywords of C17, C23 and C++23, and identifiers that mean something in places.
constexpr std::string_view kKeywords =
    "alignas alignof and and_eq asm atomic auto bitand bitor bool break case catch char char16_t "
    "char32_t char8_t class co_await co_return co_yield compl concept const const_cast consteval "
    "constexpr constinit continue decltype default delete do double dynamic_cast else enum "
    "explicit "
    "export extern false far final float for friend goto huge if import inline int interrupt long "
    "module mutable namespace near new noexcept not not_eq nullptr operator or or_eq override "
    "private protected public register reinterpret_cast requires restrict return short signed "
    "sizeof static static_assert static_cast std struct switch template this thread_local throw "
    "true try typedef typeid typename typeof typeof_unqual union unsigned using virtual void "
    "volatile wchar_t while xor xor_eq";

// Headers of C and of C++ by the names of C.
constexpr std::string_view kLanguageHeaders =
    "assert complex ctype cxxabi errno fenv float inttypes iso646 limits locale math setjmp signal "
    "stdalign stdarg stdatomic stdbit stdbool stdckdint stddef stdfix stdint stdio stdlib "
    "stdnoreturn string tgmath threads time uchar unwind varargs wchar wctype";

// Headers of POSIX.
constexpr std::string_view kPosixHeaders =
    "aio cpio dirent dlfcn endian fcntl fmtmsg fnmatch ftw glob grp iconv langinfo libgen libintl "
    "monetary mqueue ndbm netdb nl_types poll pthread pwd regex sched search semaphore spawn "
    "strings stropts syslog tar termios trace ulimit unistd utime utmpx wordexp";

// Further headers of glibc, newlib, picolibc and the compilers.
constexpr std::string_view kLibraryHeaders =
    "a_out aliases alloca ar argp argz auto_ptr backtrace backward_warning binders byteswap cet "
    "cpuid crypt devctl elf envlock envz "
    "err "
    "error execinfo fastmath features fpu_control fstab fts gcov gconv getopt gnu_versions gshadow "
    "hash_fun hashtable "
    "ieee754 ieeefp ifaddrs lastlog libio link malloc mcheck memory mntent newlib nss obstack omp "
    "openacc paths printf proc_service pty quadmath re_comp reent regdef regexp resolv sgtty "
    "shadow "
    "stab stdc_predef stdio_ext syscall sysexits syslimits term termcap termio thread_db ttyent "
    "ucontext unctrl utmp values wait xlocale";

// Intrinsics.
constexpr std::string_view kIntrinsics =
    "arm_acle arm_bf16 arm_cde arm_cmse arm_fp16 arm_mve arm_mve_types arm_neon arm_sve emmintrin "
    "immintrin intrin mm_malloc mmintrin riscv_vector smmintrin tmmintrin x86intrin xmmintrin";

// Headers that firmware kits and operating systems of small devices put on the path.
constexpr std::string_view kKitHeaders =
    "app app_config arduino arm_math atomic_ops board bsp clock cmsis_armcc cmsis_armclang "
    "cmsis_compiler cmsis_gcc cmsis_iccarm cmsis_os cmsis_os2 cmsis_version config core core_cm0 "
    "core_cm0plus core_cm23 core_cm3 core_cm33 core_cm4 core_cm55 core_cm7 core_cm85 croutine "
    "defines device "
    "event_groups freertos freertosconfig hal hardware list message_buffer mpu_wrappers os "
    "peripherals pin_mux pinmux platform portable portmacro projdefs queue sdkconfig semphr "
    "stack_macros startup stream_buffer syscalls system system_config task timers tusb_config "
    "types "
    "uart version zephyr";

// Where main() is, and Thimble's own files.
constexpr std::string_view kProjectFiles = "cmakelists main manifest thimble thimble_runtime";

// Devices of Windows.
constexpr std::string_view kWindowsDevices =
    "aux com0 com1 com2 com3 com4 com5 com6 com7 com8 com9 con lpt0 lpt1 lpt2 lpt3 lpt4 lpt5 lpt6 "
    "lpt7 lpt8 lpt9 nul prn";

// Targets of CMake's generators, and of the modules that define some.
constexpr std::string_view kCMakeTargets =
    "all all_build check clean continuous depend edit_cache experimental help install "
    "install_local install_strip list_install_components nightly package package_source preinstall "
    "rebuild_cache run_tests test uninstall zero_check";

constexpr std::string_view kLists[] = {kKeywords,       kLanguageHeaders, kPosixHeaders,
                                       kLibraryHeaders, kIntrinsics,      kKitHeaders,
                                       kProjectFiles,   kWindowsDevices,  kCMakeTargets};

}  // namespace

bool is_reserved(std::string_view name) {
  return std::ranges::any_of(kLists, [&](std::string_view list) {
    for (size_t at = list.find(name); at != std::string_view::npos; at = list.find(name, at + 1)) {
      const size_t end = at + name.size();
      const bool begins = at == 0 || list[at - 1] == ' ';
      if (begins && (end == list.size() || list[end] == ' ')) return true;
    }
    return false;
  });
}

}  // namespace thimble
