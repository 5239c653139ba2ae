// The inner loops of the net, compiled once for each instruction set (see CMakeLists.txt).
//
// Nothing can overflow or saturate within the limits of network.h, so the order of sums is free and the bits are the
// same: an accumulator is at most 33 * 3.5 * 255 < 2^15, a pair of products with first-layer weights 2 * 127 * 127.
#include <algorithm>
#include <cstring>

#include "eval/network.h"

#ifdef __AVX2__
#include <immintrin.h>
#endif

#define MURK_JOIN2(a, b) a##b
#define MURK_JOIN(a, b) MURK_JOIN2(a, b)

namespace murk::eval {
namespace {

// Vectors of the compiler's own: it would not vectorise these loops well by itself.
constexpr std::size_t kVectorBytes = 4 * MURK_WIDTH;
typedef std::int16_t Shorts __attribute__((vector_size(kVectorBytes)));
typedef std::int32_t Ints __attribute__((vector_size(kVectorBytes)));
constexpr int kShorts = sizeof(Shorts) / sizeof(std::int16_t), kInts = sizeof(Ints) / sizeof(std::int32_t);

template <class Vector, class T>
inline Vector load(const T* at) {
    Vector x;
    std::memcpy(&x, at, sizeof x);
    return x;
}
template <class Vector, class T>
inline void store(T* at, Vector x) {
    std::memcpy(at, &x, sizeof x);
}

// One stretch of an accumulator stays in registers while all its rows pass. `Added` and `Removed` are the numbers of
// rows if they are known when compiling, or -1.
template <class Vector, int Stretch, int Added, int Removed, class T>
inline void change_array(const T* rows, int width, const RowChanges& changes, const T* from, T* to) {
    constexpr int kLanes = sizeof(Vector) / sizeof(T);
    const int added = Added < 0 ? changes.added : Added, removed = Removed < 0 ? changes.removed : Removed;
    for (int base = 0; base < width; base += Stretch * kLanes) {
        Vector sum[Stretch];
        for (int i = 0; i < Stretch; ++i) sum[i] = load<Vector>(from + base + i * kLanes);
        for (int k = 0; k < added; ++k) {
            const T* row = rows + static_cast<std::ptrdiff_t>(width) * changes.add[static_cast<std::size_t>(k)] + base;
            for (int i = 0; i < Stretch; ++i) sum[i] += load<Vector>(row + i * kLanes);
        }
        for (int k = 0; k < removed; ++k) {
            const T* row =
                rows + static_cast<std::ptrdiff_t>(width) * changes.remove[static_cast<std::size_t>(k)] + base;
            for (int i = 0; i < Stretch; ++i) sum[i] -= load<Vector>(row + i * kLanes);
        }
        for (int i = 0; i < Stretch; ++i) store(to + base + i * kLanes, sum[i]);
    }
}

template <int Added, int Removed>
void change_rows(const Weights& weights, const RowChanges& changes, const std::int16_t* from,
                 const std::int32_t* material_from, std::int16_t* to, std::int32_t* material_to) {
    change_array<Shorts, 8, Added, Removed>(weights.rows.data(), kHidden, changes, from, to);
    change_array<Ints, 1, Added, Removed>(weights.material.data(), kStacks, changes, material_from, material_to);
}

void change(const Weights& weights, const RowChanges& changes, const std::int16_t* from,
            const std::int32_t* material_from, std::int16_t* to, std::int32_t* material_to) {
    const auto run = [&](auto f) { f(weights, changes, from, material_from, to, material_to); };
    if (changes.added == 1 && changes.removed == 1) return run(change_rows<1, 1>);
    if (changes.added == 1 && changes.removed == 2) return run(change_rows<1, 2>);
    run(change_rows<-1, -1>);
}

void products(const std::int16_t* accumulator, std::uint8_t* out) {
    constexpr int kHalf = kHidden / 2;
#ifdef __AVX2__
    const __m256i zero = _mm256_setzero_si256(), one = _mm256_set1_epi16(kAccumulatorOne);
    const auto clipped = [&](const std::int16_t* at) {
        const __m256i x = _mm256_load_si256(reinterpret_cast<const __m256i*>(at));
        return _mm256_min_epi16(_mm256_max_epi16(x, zero), one);
    };
    // a * b >> 9 as the high half of (a << 7) * b; a << 7 is below 2^15.
    const auto product = [&](int i) {
        return _mm256_mulhi_epu16(_mm256_slli_epi16(clipped(accumulator + i), 16 - kProductShift),
                                  clipped(accumulator + kHalf + i));
    };
    for (int i = 0; i < kHalf; i += 32) {
        const __m256i packed = _mm256_packus_epi16(product(i), product(i + 16));
        _mm256_store_si256(reinterpret_cast<__m256i*>(out + i), _mm256_permute4x64_epi64(packed, 0b11011000));
    }
#else
    for (int i = 0; i < kHalf; ++i) {
        const int a = std::clamp<int>(accumulator[i], 0, kAccumulatorOne);
        const int b = std::clamp<int>(accumulator[kHalf + i], 0, kAccumulatorOne);
        out[i] = static_cast<std::uint8_t>(a * b >> kProductShift);
    }
#endif
}

#ifdef __AVX2__
// The sums of the lanes of four vectors.
inline __m128i sums(__m256i a, __m256i b, __m256i c, __m256i d) {
    const __m256i abcd = _mm256_hadd_epi32(_mm256_hadd_epi32(a, b), _mm256_hadd_epi32(c, d));
    return _mm_add_epi32(_mm256_castsi256_si128(abcd), _mm256_extracti128_si256(abcd, 1));
}
#endif

void first_layer(const Stack& stack, const std::uint8_t* in, std::int32_t* out) {
#ifdef __AVX2__
    const __m256i ones = _mm256_set1_epi16(1);
    for (int o = 0; o < kFirst; o += 4) {
        __m256i sum[4] = {_mm256_setzero_si256(), _mm256_setzero_si256(), _mm256_setzero_si256(),
                          _mm256_setzero_si256()};
        for (int i = 0; i < kProducts; i += 32) {
            const __m256i x = _mm256_load_si256(reinterpret_cast<const __m256i*>(in + i));
            for (int k = 0; k < 4; ++k) {
                const auto* row = reinterpret_cast<const __m256i*>(stack.first.data() + (o + k) * kProducts + i);
                const __m256i pairs = _mm256_maddubs_epi16(x, _mm256_load_si256(row));
                sum[k] = _mm256_add_epi32(sum[k], _mm256_madd_epi16(pairs, ones));
            }
        }
        const __m128i bias = _mm_loadu_si128(reinterpret_cast<const __m128i*>(stack.first_bias.data() + o));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(out + o),
                         _mm_add_epi32(bias, sums(sum[0], sum[1], sum[2], sum[3])));
    }
#else
    for (int o = 0; o < kFirst; ++o) {
        std::int32_t sum = stack.first_bias[o];
        for (int i = 0; i < kProducts; ++i) sum += in[i] * stack.first[o * kProducts + i];
        out[o] = sum;
    }
#endif
}

// Clipped values, then the squares.
void activate_first(const std::int32_t* in, std::int16_t* out) {
    for (int i = 0; i < kFirst; ++i) {
        const std::int32_t x = std::clamp(in[i], -kFirstOne, kFirstOne);
        out[i] = static_cast<std::int16_t>(std::max(x, 0) >> 1);
        out[kFirst + i] = static_cast<std::int16_t>(x * x >> 14);
    }
}

void second_layer(const Stack& stack, const std::int16_t* in, std::int16_t* out) {
    static_assert(2 * kFirst == 32);
#ifdef __AVX2__
    const __m256i x0 = _mm256_load_si256(reinterpret_cast<const __m256i*>(in));
    const __m256i x1 = _mm256_load_si256(reinterpret_cast<const __m256i*>(in + 16));
    const auto dot = [&](int o) {
        const auto* row = reinterpret_cast<const __m256i*>(stack.second.data() + o * 2 * kFirst);
        return _mm256_add_epi32(_mm256_madd_epi16(x0, _mm256_load_si256(row)),
                                _mm256_madd_epi16(x1, _mm256_load_si256(row + 1)));
    };
    const __m128i zero = _mm_setzero_si128(), one = _mm_set1_epi32(kActivationOne);
    for (int o = 0; o < kSecond; o += 4) {
        const __m128i bias = _mm_loadu_si128(reinterpret_cast<const __m128i*>(stack.second_bias.data() + o));
        const __m128i sum = _mm_add_epi32(bias, sums(dot(o), dot(o + 1), dot(o + 2), dot(o + 3)));
        const __m128i clipped = _mm_min_epi32(_mm_max_epi32(_mm_srai_epi32(sum, 10), zero), one);
        _mm_storel_epi64(reinterpret_cast<__m128i*>(out + o), _mm_packs_epi32(clipped, clipped));
    }
#else
    for (int o = 0; o < kSecond; ++o) {
        std::int32_t sum = stack.second_bias[o];
        for (int i = 0; i < 2 * kFirst; ++i) sum += in[i] * stack.second[o * 2 * kFirst + i];
        out[o] = static_cast<std::int16_t>(std::clamp(sum >> 10, 0, kActivationOne));
    }
#endif
}

int forward(const Weights& weights, const Accumulator& accumulator, int side, int stack_number) {
    static_assert(kLaterWeightOne == 1 << 10);
    const Stack& stack = weights.stacks[stack_number];
    alignas(64) std::uint8_t x[kProducts];
    alignas(64) std::int32_t first[kFirst];
    alignas(64) std::int16_t activated[2 * kFirst], second[kSecond];
    products(accumulator.sides[side].data(), x);
    products(accumulator.sides[side ^ 1].data(), x + kProducts / 2);
    first_layer(stack, x, first);
    activate_first(first, activated);
    second_layer(stack, activated, second);
    std::int32_t sum = stack.third_bias;
    for (int i = 0; i < kSecond; ++i) sum += second[i] * stack.third[i];
    sum += (accumulator.material[side][stack_number] - accumulator.material[side ^ 1][stack_number]) / 2;
    return sum >> 10;
}

}  // namespace

extern const NetKernels MURK_JOIN(net_, MURK_ISA);
const NetKernels MURK_JOIN(net_, MURK_ISA) = {MURK_ISA_NAME, change, forward};

}  // namespace murk::eval
