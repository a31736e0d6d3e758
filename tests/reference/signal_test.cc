// SPDX-License-Identifier: Apache-2.0
// Operators of the audio front end give the numbers that tests of TensorFlow Lite Micro publish
// (signal/micro/kernels/*_test.cc, python/tflite_micro/signal/ops/testdata).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/reference/one_op.h"
#include "zoo/audio_tables.h"

namespace thimble::testing {
namespace {

using Shorts = std::vector<int16_t>;
using Words = std::vector<uint32_t>;
using ::testing::ElementsAre;

template <class T>
constexpr DType type_of() {
  if constexpr (std::is_same_v<T, int16_t>) return DType::kInt16;
  if constexpr (std::is_same_v<T, int32_t>) return DType::kInt32;
  if constexpr (std::is_same_v<T, uint32_t>) return DType::kUInt32;
  return DType::kUInt64;
}

template <class T>
Tensor vector_of(const std::vector<T>& values) {
  return constant(type_of<T>(), {static_cast<int64_t>(values.size())}, values, 1);
}

/// The operator on constants.
template <class Out, class... In>
std::vector<Out> run(const Attributes& attributes, size_t count, const std::vector<In>&... inputs) {
  OneOp op(attributes);
  (op.input(vector_of(inputs)), ...);
  return op.run<Out>(type_of<Out>(), {static_cast<int64_t>(count)});
}

Shorts counting(int16_t first, int16_t step, size_t count) {
  Shorts values;
  for (size_t k = 0; k < count; ++k, first = static_cast<int16_t>(first + step))
    values.push_back(first);
  return values;
}

TEST(SignalGolden, Window) {
  const Shorts up = counting(0, 0x100, 16), down = counting(0xF00, -0x100, 16);
  EXPECT_EQ((run<int16_t>(SignalWindow{12}, 16, up, down)),
            (Shorts{0, 224, 416, 576, 704, 800, 864, 896, 896, 864, 800, 704, 576, 416, 224, 0}));
  const Shorts x = {1221, 1920, 9531, 2795, 1826, 371,  8446, 850,  3129, 8218, 4199,
                    8358, 205,  5268, 3263, 2849, 8398, 1381, 6305, 668,  8867, 4651,
                    9121, 6141, 1961, 3750, 8418, 8085, 3308, 1788, 1608, 4761};
  const Shorts weights = {1323, 764,  9100, 4220, 1745, 9311, 178,  9442, 5676, 1817, 5433,
                          5837, 7635, 4539, 6548, 9690, 6097, 4275, 1523, 3694, 7506, 2797,
                          5153, 172,  2172, 4540, 6643, 7845, 1719, 7564, 1700, 5227};
  EXPECT_EQ((run<int16_t>(SignalWindow{8}, 32, x, weights)),
            (Shorts{6310,  5730, 32767, 32767, 12446, 13493, 5872,  31350, 32767, 32767, 32767,
                    32767, 6113, 32767, 32767, 32767, 32767, 23061, 32767, 9639,  32767, 32767,
                    32767, 4125, 16637, 32767, 32767, 32767, 22212, 32767, 10678, 32767}));
}

TEST(SignalGolden, Energy) {
  const Shorts x = counting(1, 1, 16);
  EXPECT_EQ((run<uint32_t>(SignalEnergy{2, 4}, 8, x)), (Words{0, 0, 61, 113, 0, 0, 0, 0}));
  EXPECT_EQ((run<uint32_t>(SignalEnergy{0, 4}, 8, x)), (Words{5, 25, 61, 113, 0, 0, 0, 0}));
  EXPECT_EQ((run<uint32_t>(SignalEnergy{4, 8}, 8, x)), (Words{0, 0, 0, 0, 181, 265, 365, 481}));
}

TEST(SignalGolden, TransformOfAnImpulse) {
  Shorts x(64), golden(66);
  x[0] = 16384;
  for (size_t k = 0; k < golden.size(); k += 2) golden[k] = 256;
  EXPECT_EQ((run<int16_t>(SignalRfft{64}, 66, x)), golden);
}

// A spectrum of one size at all frequencies is an impulse; only the mean is a constant.
TEST(SignalGolden, InverseTransformOfPlainSpectra) {
  Shorts flat(66), impulse(64), mean(66);
  for (size_t k = 0; k < flat.size(); k += 2) flat[k] = 8000;
  impulse[0] = 8000;
  Shorts made = run<int16_t>(SignalIrfft{64}, 64, flat);
  for (size_t k = 0; k < made.size(); ++k) EXPECT_NEAR(made[k], impulse[k], 8) << k;
  mean[0] = 6400;
  made = run<int16_t>(SignalIrfft{64}, 64, mean);
  for (const int16_t sample : made) EXPECT_NEAR(sample, 100, 3);
}

// The inverse, in doubles, of random spectra; every stage adds a rounding or two.
TEST(SignalGolden, InverseTransformIsTheSumOfItsWaves) {
  std::mt19937 random(7);
  for (const int32_t size : {4, 6, 8, 10, 12, 16, 18, 20, 30, 32, 50, 60, 64, 90, 128, 256, 480}) {
    Shorts spectrum(static_cast<size_t>(size) + 2);
    for (int16_t& part : spectrum)
      part = static_cast<int16_t>(static_cast<int32_t>(random() % 16001) - 8000);
    spectrum[1] = spectrum.back() = 0;
    const Shorts made = run<int16_t>(SignalIrfft{size}, size, spectrum);
    for (int32_t n = 0; n < size; ++n) {
      double sum = spectrum[0];
      for (int32_t k = 1; k <= size / 2; ++k) {
        const double phase = 2 * 3.14159265358979 * k * n / size;
        const double part = spectrum[static_cast<size_t>(2 * k)] * std::cos(phase) -
                            spectrum[static_cast<size_t>(2 * k) + 1] * std::sin(phase);
        sum += k == size / 2 ? part : 2 * part;
      }
      EXPECT_NEAR(made[static_cast<size_t>(n)], sum / size, 9) << size << ", sample " << n;
    }
  }
}

/// The first frame of fft_auto_scale_test1.txt.
const Shorts kFrame = {
    0,   0,   0,   -1,  -1,  0,   0,   -1,   -1,  0,   0,   0,    -1,  -1,  0,   0,   0,   -1,  -1,
    0,   0,   -1,  -1,  0,   0,   0,   -1,   0,   0,   0,   -1,   -1,  0,   0,   -1,  -1,  0,   0,
    0,   -1,  -1,  0,   0,   -1,  -1,  -1,   0,   0,   -1,  -1,   0,   0,   -1,  -1,  -1,  0,   0,
    0,   -1,  0,   0,   -1,  -1,  -1,  0,    0,   -1,  -1,  0,    0,   0,   -1,  -1,  0,   0,   -1,
    -1,  -1,  0,   0,   -1,  -1,  0,   0,    0,   -1,  0,   0,    -1,  -3,  -1,  7,   14,  13,  8,
    3,   2,   4,   4,   3,   5,   9,   13,   12,  6,   0,   -7,   -14, -20, -18, -12, -9,  -14, -18,
    -7,  14,  26,  17,  -1,  -8,  1,   9,    6,   2,   7,   18,   22,  15,  4,   -8,  -17, -23, -24,
    -23, -20, -20, -21, -26, -36, -47, -51,  -47, -41, -40, -40,  -34, -22, -14, -15, -20, -18, -10,
    0,   7,   15,  24,  32,  39,  49,  58,   59,  51,  36,  20,   3,   -13, -27, -31, -28, -24, -27,
    -34, -39, -37, -30, -29, -35, -39, -32,  -13, 6,   17,  19,   27,  44,  58,  60,  53,  49,  56,
    71,  88,  100, 96,  79,  64,  64,  64,   49,  29,  31,  49,   52,  24,  -3,  -3,  9,   7,   -13,
    -23, -15, -10, -18, -22, -18, -22, -39,  -45, -27, -7,  -11,  -16, 4,   25,  0,   -49, -57, -15,
    4,   -36, -77, -51, 0,   -14, -80, -100, -43, -3,  -46, -103, -77, -4,  6,   -51, -68, -6,  46,
    8,   -52, -32, 37,  47,  -11, -28, 33,   81,  42,  -15, 4,    61,  49,  -22, -43, 15,  55,  15,
    -29, 8,   70,  49,  -37, -68, -13, 30,   -5,  -44, -5,  59,   51,  -13, -31, 21,  53,  6,   -53,
    -45, 8,   28,  4,   -2,  33,  56,  30,   -9,  -14, 4,   0,    -28, -36, -11, 16,  14,  -6,  -13,
    -4,  -2,  -18, -36, -35, -17, 1,   7,    8,   13,  20,  18,   5,   -5,  -6,  -2,  -2,  -3,  1,
    9,   12,  7,   3,   5,   9,   4,   -8,   -15, -15, -11, -9,   -9,  -6,  -2,  -1,  -6,  -11, -14,
    -14, -15, -15, -10, -2,  6,   9,   9,    10,  11,  11,  9,    6,   6,   8,   9,   8,   7,   7,
    9,   9,   7,   6,   5,   5,   3,   1,    1,   1,   1,   1,    1,   1,   0,   -1,  -1,  -2,  -2,
    -2,  -3,  -2,  -2,  -2,  -2,  -2,  -2,   -2,  -2,  -1,  -1,   -1,  -1,  -1,  -1,  -1,  -1,  -1,
    0};

/// What rfft_test1.txt has of it: real and imaginary parts of 257 frequencies.
const Shorts kSpectrum = {
    -65,  0,    5,    4,    -86,  148,  379,  -160, -630, -280, 337,  1003, 324, -1169, -646,  680,
    626,  -208, -683, 27,   663,  159,  -235, -401, -402, 421,  617,  62,   52,  -679,  -1095, 567,
    1255, 284,  -387, -687, -263, 275,  163,  80,   42,   -9,   -53,  -72,  34,  107,   78,    -185,
    -219, 106,  101,  70,   128,  -50,  -130, -48,  -10,  -9,   51,   129,  -1,  -149,  -55,   98,
    94,   -17,  -47,  -83,  -100, 97,   158,  20,   -33,  -54,  -41,  -62,  -69, 110,   166,   -21,
    -121, 33,   23,   -142, 196,  182,  -463, -240, 426,  264,  -177, 22,   205, -364,  -358,  257,
    214,  17,   -7,   -30,  -8,   -12,  35,   -63,  -156, 59,   157,  69,   -17, -129,  -108,  103,
    138,  -63,  -68,  74,   39,   -120, -82,  51,   31,   79,   78,   -39,  -38, -77,   -36,   59,
    2,    -6,   45,   3,    -66,  35,   140,  -68,  -180, 7,    115,  32,   -56, -3,    38,    -5,
    -6,   -1,   -20,  -26,  27,   51,   -42,  -67,  54,   86,   -36,  -100, -11, 57,    3,     37,
    72,   -59,  -77,  -21,  -13,  24,   15,   67,   52,   -73,  -12,  30,   -37, -84,   -29,   85,
    32,   48,   64,   -97,  -65,  45,   12,   -39,  -26,  14,   -11,  82,   131, -71,   -143,  -65,
    0,    127,  122,  -30,  -109, -64,  78,   78,   -81,  -107, 39,   202,  88,  -232,  -136,  142,
    78,   -104, -72,  132,  115,  -68,  -28,  -85,  -92,  189,  92,   -337, -42, 578,   11,    -728,
    140,  775,  -249, -885, 212,  906,  -147, -833, 107,  687,  -89,  -569, 11,  424,   28,    -238,
    -12,  78,   -38,  5,    40,   -28,  -26,  35,   20,   -26,  -16,  4,    1,   5,     5,     0,
    0,    1,    -1,   -4,   3,    -2,   -6,   2,    3,    -1,   2,    -3,   -8,  2,     8,     0,
    -4,   -7,   -3,   3,    -2,   3,    -2,   -3,   3,    4,    -3,   -6,   -3,  5,     -1,    -2,
    -1,   4,    2,    -2,   -4,   0,    -3,   -2,   0,    1,    -5,   0,    -1,  -1,    0,     4,
    -1,   2,    0,    0,    -4,   -1,   1,    5,    3,    0,    -5,   0,    3,   -2,    -1,    0,
    -2,   3,    2,    1,    0,    -1,   0,    0,    2,    -1,   -1,   -1,   -3,  -3,    -3,    4,
    3,    -1,   -6,   0,    3,    3,    -5,   0,    0,    6,    1,    -2,   2,   4,     1,     -4,
    -1,   -2,   -4,   -1,   3,    3,    -3,   1,    2,    0,    -3,   -1,   2,   2,     0,     3,
    1,    -4,   1,    1,    -3,   -4,   6,    7,    -3,   -2,   2,    -4,   5,   -1,    -1,    -2,
    -2,   -4,   -2,   -4,   -1,   5,    0,    1,    0,    -3,   1,    0,    0,   -3,    -5,    2,
    2,    -1,   1,    -2,   -2,   0,    -2,   0,    -1,   -2,   -1,   3,    3,   -1,    -3,    1,
    2,    -2,   -2,   1,    -1,   0,    -2,   -1,   2,    1,    -2,   -1,   1,   3,     2,     -1,
    -3,   1,    0,    -4,   2,    1,    -5,   2,    2,    1,    4,    0,    -5,  2,     2,     -1,
    0,    3,    4,    -1,   2,    -2,   0,    -3,   -2,   2,    2,    2,    2,   -2,    -3,    -3,
    3,    4,    0,    -4,   -4,   -1,   1,    -3,   -1,   -1,   -4,   0,    -1,  1,     2,     1,
    -2,   1,    2,    -1,   -3,   3,    3,    0,    -1,   -3,   4,    4,    -3,  -7,    -4,    3,
    3,    2,    2,    -2,   -2,   -2,   -1,   -1,   0,    0,    0,    -3,   -4,  2,     1,     0,
    1,    0};

TEST(SignalGolden, ScalingAndTransformOfSpeech) {
  ASSERT_EQ(kFrame.size(), 400U);
  ASSERT_EQ(kSpectrum.size(), 514U);
  const std::vector<int32_t> shift = run<int32_t>(SignalAutoShift{}, 1, kFrame);
  EXPECT_THAT(shift, ElementsAre(8));
  const Shorts scaled = run<int16_t>(SignalShift{}, 400, kFrame, shift);
  EXPECT_EQ(scaled[89], -768);
  EXPECT_EQ(scaled[192], 25600);
  EXPECT_EQ((run<int16_t>(SignalRfft{512}, 514, scaled)), kSpectrum);
}

// The largest magnitude in the original's int16: -32768 stands for less than what follows.
TEST(SignalGolden, ScalingOfTheLeastSample) {
  EXPECT_THAT((run<int32_t>(SignalAutoShift{}, 1, Shorts{3, -32768})), ElementsAre(0));
  EXPECT_THAT((run<int32_t>(SignalAutoShift{}, 1, Shorts{-32768, 3})), ElementsAre(13));
  EXPECT_THAT((run<int32_t>(SignalAutoShift{}, 1, Shorts{0, 0})), ElementsAre(0));
  EXPECT_THAT((run<int32_t>(SignalAutoShift{}, 1, Shorts{1, -2})), ElementsAre(13));
  EXPECT_THAT((run<int32_t>(SignalAutoShift{}, 1, Shorts{0x4000})), ElementsAre(0));
}

TEST(SignalGolden, FilterBank) {
  const Words energies = {645050, 4644,  3653,  24262, 56660, 43260, 50584, 57902, 31702, 5401,
                          45555,  34852, 8518,  43556, 13358, 19350, 40221, 18017, 27284, 64491,
                          60099,  17863, 11001, 29076, 32666, 65268, 50947, 28694, 32377, 30014,
                          25607,  22547, 45086, 10654, 46797, 8622,  47348, 43085, 5747,  51544,
                          50364,  6208,  20696, 59782, 14429, 60125, 37079, 32673, 63457, 60142,
                          34042,  11280, 1874,  33734, 62118, 13766, 54398, 47818, 50976, 46930};
  const Shorts weights = {-2210, 1711, 3237, 1247, 2507, 61,   1019, 899,  206,  146,  2849, 2756,
                          1260,  1280, 1951, 213,  617,  2047, 211,  347,  2821, 3747, 150,  1924,
                          3962,  942,  1430, 2678, 993,  308,  3364, 2491, 954,  1308, 879,  3950,
                          1,     3556, 3628, 2104, 78,   1298, 1080, 342,  1337, 1639, 2352, 829,
                          1358,  2498, 1647, 2507, 3816, 3767, 3735, 1155, 2221, 2196, 1160};
  const Shorts unweights = {408,  3574, 1880, 2561, 2011, 3394, 1019, 445,  3901, 343,  1874, 3846,
                            3566, 1830, 327,  111,  623,  1037, 2803, 1947, 1518, 661,  3239, 2351,
                            1257, 269,  1574, 3431, 3972, 2487, 2181, 1458, 552,  717,  679,  1031,
                            1738, 1782, 128,  2242, 353,  1460, 3305, 1424, 3813, 2895, 164,  272,
                            3886, 3135, 141,  747,  3233, 1478, 2612, 3837, 3271, 73,   1746};
  const Shorts first_energy = {5, 6, 7, 9, 11, 12, 14, 16, 18, 20, 22, 25, 27, 30, 32, 35, 33};
  const Shorts first_weight = {0, 1, 2, 4, 6, 7, 9, 11, 13, 15, 17, 20, 22, 25, 27, 30, 33};
  const Shorts counts = {1, 1, 2, 2, 1, 2, 2, 2, 2, 2, 3, 2, 3, 2, 3, 3, 3};
  EXPECT_EQ((run<uint64_t>(SignalFilterBank{}, 16, energies, weights, unweights, first_energy,
                           first_weight, counts)),
            (std::vector<uint64_t>{104199304, 407748384, 206363744, 200989269, 52144406, 230780884,
                                   174394190, 379684049, 94840835, 57788823, 531528204, 318265707,
                                   263149795, 188110467, 501443259, 200747781}));
}

TEST(SignalGolden, SquareRoot) {
  const std::vector<uint64_t> x = {
      10528000193, 28362909357, 47577133750, 8466055850, 5842710800, 2350911449, 2989811430,
      2646718839,  515262774,   276394561,   469831522,  55815334,   28232446,   11591835,
      40329249,    67658028,    183446654,   323189165,  117473797,  41339272,   25846050,
      12428673,    18670978,    22521722,    78477733,   54207503,   25150296,   43098592,
      28211625,    15736687,    20990296,    17907031};
  EXPECT_EQ((run<uint32_t>(SignalSquareRoot{}, 32, x, std::vector<int32_t>{7})),
            (Words{801, 1315, 1704, 718, 597, 378, 427, 401, 177, 129, 169, 58, 41, 26, 49, 64,
                   105, 140,  84,   50,  39,  27,  33,  37,  69,  57,  39,  51, 41, 30, 35, 33}));
  // Rounded, but not beyond the bits of the half that the number needs.
  EXPECT_EQ((run<uint32_t>(SignalSquareRoot{}, 6,
                           std::vector<uint64_t>{0, 2, 3, 0xFFFFFFFF, uint64_t{1} << 32, ~0ULL},
                           std::vector<int32_t>{0})),
            (Words{0, 1, 2, 0xFFFF, 0x10000, 0xFFFFFFFF}));
}

TEST(SignalGolden, NoiseAndItsSubtraction) {
  const SignalNoise noise{{655, 655}, {15729, 15729}, 0, 14, false};
  const SignalSubtraction subtraction{819, 0, 14};
  const Words x = {322, 308, 210, 212, 181, 251, 403, 259, 65, 48, 76, 48, 50, 46,  53,  52,
                   112, 191, 136, 59,  70,  51,  39,  64,  33, 44, 41, 49, 74, 107, 262, 479};
  const Words estimate = run<uint32_t>(noise, 32, x, Words(32));
  EXPECT_EQ(estimate, (Words{12, 12, 8, 8, 7, 10, 16, 10, 2, 1, 3, 1, 1, 1, 2,  2,
                             4,  7,  5, 2, 2, 2,  1,  2,  1, 1, 1, 1, 2, 4, 10, 19}));
  EXPECT_EQ((run<uint32_t>(subtraction, 32, x, estimate)),
            (Words{310, 296, 202, 204, 174, 241, 387, 249, 63, 47, 73, 47, 49, 45,  51,  50,
                   108, 184, 131, 57,  68,  49,  38,  62,  32, 43, 40, 48, 72, 103, 252, 460}));
}

TEST(SignalGolden, NoiseIsClampedToTheSignal) {
  const SignalNoise open{{0, 0}, {1 << 14, 1 << 14}, 0, 14, false};
  SignalNoise clamped = open;
  clamped.clamping = true;
  EXPECT_THAT((run<uint32_t>(open, 2, Words{5, 9}, Words{7, 7})), ElementsAre(7, 7));
  EXPECT_THAT((run<uint32_t>(clamped, 2, Words{5, 9}, Words{7, 7})), ElementsAre(5, 7));
}

TEST(SignalGolden, GainControl) {
  const Words x = {286, 298, 305, 291, 290, 279, 273, 257, 250, 240, 240, 233, 234, 230,
                   221, 205, 183, 159, 156, 188, 239, 298, 345, 374, 380, 369, 359, 364,
                   372, 354, 302, 243, 194, 135, 64,  72,  171, 245, 277, 304};
  const Words noise = {7310, 18308, 7796, 17878, 7413, 17141, 6978, 15789, 6390, 14745,
                       6135, 14314, 5981, 14130, 5649, 12594, 4677, 9768,  3987, 11550,
                       6109, 18308, 8819, 22977, 9713, 22670, 9176, 22363, 9509, 21748,
                       7719, 14929, 4959, 8294,  1636, 4423,  4371, 15052, 7080, 18677};
  EXPECT_EQ((run<uint32_t>(SignalPcan{6}, 40, x, noise, zoo::pcan_gains())),
            (Words{1301, 836, 1354, 827, 1312, 811, 1263, 779, 1192, 753, 1160, 743, 1140, 738,
                   1096, 698, 956,  607, 845,  667, 1157, 836, 1461, 912, 1546, 908, 1496, 904,
                   1527, 895, 1346, 758, 999,  548, 378,  344, 908,  761, 1274, 843}));
}

TEST(SignalGolden, Logarithm) {
  const Words x = {29, 21, 29, 40, 19, 11, 13, 23, 13, 11, 25, 17, 5,  4,  46, 14,
                   17, 14, 20, 14, 10, 10, 15, 11, 17, 12, 15, 16, 19, 18, 6,  2};
  EXPECT_EQ((run<int16_t>(SignalLog{1600, 3}, 32, x)),
            (Shorts{8715, 8198, 8715, 9229, 8038, 7164, 7431, 8344, 7431, 7164, 8477,
                    7860, 5902, 5545, 9453, 7550, 7860, 7550, 8120, 7550, 7011, 7011,
                    7660, 7164, 7860, 7303, 7660, 7763, 8038, 7952, 6194, 4436}));
  const Words y = {48, 20, 19, 24, 35, 47, 23, 30, 31, 10, 48, 21, 46, 14, 18, 27};
  EXPECT_EQ((run<int16_t>(SignalLog{32768, 5}, 16, y)),
            (Shorts{32767, 15121, 13440, 21095, 32767, 32767, 19701, 28407, 29482, 32767, 32767,
                    16720, 32767, 3434, 11669, 24955}));
  EXPECT_THAT((run<int16_t>(SignalLog{64, 0}, 2, Words{0, 1})), ElementsAre(0, 0));
}

}  // namespace
}  // namespace thimble::testing
