// The inner loops of the net, compiled once for each instruction set (see CMakeLists.txt).
//
// Nothing can overflow or saturate within the limits of network.h, so the order of sums is free and the bits are the
// same: network.h proves it.
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
typedef std::int32_t Ints __attribute__((vector_size(kVectorBytes < 32 ? kVectorBytes : 32)));
static_assert(kHidden % (8 * sizeof(Shorts) / sizeof(std::int16_t)) == 0);
static_assert(kStacks % (sizeof(Ints) / sizeof(std::int32_t)) == 0);

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

// clip(a) * clip(b) >> 9 for the two halves of an accumulator. In vectors it is the high half of (clip(a) << 7) * b; a
// negative b is left to the packing, which makes negative numbers zero.
void products(const std::int16_t* accumulator, std::uint8_t* out) {
    constexpr int kHalf = kHidden / 2;
#if defined(__AVX512BW__)
    const __m512i zero = _mm512_setzero_si512(), one = _mm512_set1_epi16(kAccumulatorOne);
    const auto product = [&](int i) {
        const __m512i a = _mm512_load_si512(accumulator + i), b = _mm512_load_si512(accumulator + kHalf + i);
        const __m512i clipped = _mm512_min_epi16(_mm512_max_epi16(a, zero), one);
        return _mm512_mulhi_epi16(_mm512_slli_epi16(clipped, 16 - kProductShift), _mm512_min_epi16(b, one));
    };
    const __m512i in_order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
    static_assert(kHalf % 64 == 0);
    for (int i = 0; i < kHalf; i += 64)
        _mm512_store_si512(out + i,
                           _mm512_permutexvar_epi64(in_order, _mm512_packus_epi16(product(i), product(i + 32))));
#elif defined(__AVX2__)
    const __m256i zero = _mm256_setzero_si256(), one = _mm256_set1_epi16(kAccumulatorOne);
    const auto product = [&](int i) {
        const __m256i a = _mm256_load_si256(reinterpret_cast<const __m256i*>(accumulator + i));
        const __m256i b = _mm256_load_si256(reinterpret_cast<const __m256i*>(accumulator + kHalf + i));
        const __m256i clipped = _mm256_min_epi16(_mm256_max_epi16(a, zero), one);
        return _mm256_mulhi_epi16(_mm256_slli_epi16(clipped, 16 - kProductShift), _mm256_min_epi16(b, one));
    };
    static_assert(kHalf % 32 == 0);
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

template <class T>
inline std::int32_t lane_at(const T* in) {
    std::int32_t lane;
    std::memcpy(&lane, in, sizeof lane);
    return lane;
}

// Most products are zero. Lists the groups of inputs that are not, and returns how many there are. `groups` has room
// for 16 more than there can be.
constexpr int kGroups = kProducts / kFirstGroup;
int find_groups(const std::uint8_t* in, std::int32_t* groups) {
    int found = 0;
#if defined(__AVX512BW__)
    // Without a branch for each group, which could not be foretold.
    static_assert(kGroups % 16 == 0);
    __m512i numbers = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    for (int base = 0; base < kGroups; base += 16) {
        const __m512i x = _mm512_load_si512(in + base * kFirstGroup);
        const __mmask16 used = _mm512_test_epi32_mask(x, x);
        _mm512_storeu_si512(groups + found, _mm512_maskz_compress_epi32(used, numbers));
        found += __builtin_popcount(used);
        numbers = _mm512_add_epi32(numbers, _mm512_set1_epi32(16));
    }
#else
    static_assert(kGroups % 64 == 0);
    for (int base = 0; base < kGroups; base += 64) {
        std::uint64_t left = 0;
#if defined(__AVX2__)
        for (int i = 0; i < 64; i += 8) {
            const __m256i x = _mm256_load_si256(reinterpret_cast<const __m256i*>(in + (base + i) * kFirstGroup));
            const __m256i zeros = _mm256_cmpeq_epi32(x, _mm256_setzero_si256());
            left |= std::uint64_t{0xff & ~static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(zeros)))} << i;
        }
#else
        for (int i = 0; i < 64; ++i) left |= std::uint64_t{lane_at(in + (base + i) * kFirstGroup) != 0} << i;
#endif
        for (; left != 0; left &= left - 1) groups[found++] = base + __builtin_ctzll(left);
    }
#endif
    return found;
}

void first_layer(const Stack& stack, const std::uint8_t* in, std::int32_t* out) {
    static_assert(kFirst == 16 && kFirstGroup == 4);
    std::int32_t groups[kGroups + 16];
    const int found = find_groups(in, groups);
    const auto input = [&](int k) { return in + groups[k] * kFirstGroup; };
    const auto weights = [&](int k) { return stack.first.data() + groups[k] * kFirstGroup * kFirst; };
    int k = 0;
#if defined(__AVX512VNNI__)
    // Four sums at a time, for one alone would wait for itself.
    __m512i sum[4] = {_mm512_loadu_si512(stack.first_bias.data()), _mm512_setzero_si512(), _mm512_setzero_si512(),
                      _mm512_setzero_si512()};
    const auto add = [&](int to, int from) {
        sum[to] =
            _mm512_dpbusd_epi32(sum[to], _mm512_set1_epi32(lane_at(input(from))), _mm512_load_si512(weights(from)));
    };
    for (; k + 4 <= found; k += 4) add(0, k), add(1, k + 1), add(2, k + 2), add(3, k + 3);
    for (; k < found; ++k) add(0, k);
    _mm512_store_si512(out, _mm512_add_epi32(_mm512_add_epi32(sum[0], sum[1]), _mm512_add_epi32(sum[2], sum[3])));
#elif defined(__AVX2__)
    const __m256i ones = _mm256_set1_epi16(1);
    const auto* bias = reinterpret_cast<const __m256i*>(stack.first_bias.data());
    __m256i low = _mm256_loadu_si256(bias), high = _mm256_loadu_si256(bias + 1);
    for (; k < found; ++k) {
        const __m256i x = _mm256_set1_epi32(lane_at(input(k)));
        const auto* row = reinterpret_cast<const __m256i*>(weights(k));
        low = _mm256_add_epi32(low, _mm256_madd_epi16(_mm256_maddubs_epi16(x, _mm256_load_si256(row)), ones));
        high = _mm256_add_epi32(high, _mm256_madd_epi16(_mm256_maddubs_epi16(x, _mm256_load_si256(row + 1)), ones));
    }
    _mm256_store_si256(reinterpret_cast<__m256i*>(out), low);
    _mm256_store_si256(reinterpret_cast<__m256i*>(out) + 1, high);
#else
    // Eight weights at a time, of two outputs; a product of two bytes fits into 16 bits.
    typedef std::int8_t Weights8 __attribute__((vector_size(8)));
    typedef std::int16_t Products8 __attribute__((vector_size(16)));
    typedef std::int32_t Sums8 __attribute__((vector_size(32)));
    constexpr int kParts = kFirst * kFirstGroup / 8;
    Sums8 parts[kParts] = {};
    for (; k < found; ++k) {
        const std::uint8_t* x = input(k);
        const Products8 twice = {x[0], x[1], x[2], x[3], x[0], x[1], x[2], x[3]};
        for (int i = 0; i < kParts; ++i) {
            const auto row = __builtin_convertvector(load<Weights8>(weights(k) + 8 * i), Products8);
            parts[i] += __builtin_convertvector(twice * row, Sums8);
        }
    }
    std::int32_t sums[kFirst * kFirstGroup];
    std::memcpy(sums, parts, sizeof sums);
    for (int o = 0; o < kFirst; ++o) {
        out[o] = stack.first_bias[o];
        for (int i = 0; i < kFirstGroup; ++i) out[o] += sums[o * kFirstGroup + i];
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
    static_assert(kSecond == 32 && kSecondGroup == 2);
    constexpr int kRow = kSecond * kSecondGroup;
#if defined(__AVX512VNNI__)
    __m512i low = _mm512_loadu_si512(stack.second_bias.data());
    __m512i high = _mm512_loadu_si512(stack.second_bias.data() + 16);
    __m512i other_low = _mm512_setzero_si512(), other_high = _mm512_setzero_si512();
    for (int i = 0; i < 2 * kFirst; i += 4) {
        const std::int16_t* row = stack.second.data() + i / kSecondGroup * kRow;
        const __m512i x = _mm512_set1_epi32(lane_at(in + i)), y = _mm512_set1_epi32(lane_at(in + i + 2));
        low = _mm512_dpwssd_epi32(low, x, _mm512_load_si512(row));
        high = _mm512_dpwssd_epi32(high, x, _mm512_load_si512(row + 32));
        other_low = _mm512_dpwssd_epi32(other_low, y, _mm512_load_si512(row + kRow));
        other_high = _mm512_dpwssd_epi32(other_high, y, _mm512_load_si512(row + kRow + 32));
    }
    const __m512i zero = _mm512_setzero_si512(), one = _mm512_set1_epi32(kActivationOne);
    const auto clipped = [&](__m512i a, __m512i b) {
        const __m512i sum = _mm512_srai_epi32(_mm512_add_epi32(a, b), 10);
        return _mm512_cvtepi32_epi16(_mm512_min_epi32(_mm512_max_epi32(sum, zero), one));
    };
    _mm256_store_si256(reinterpret_cast<__m256i*>(out), clipped(low, other_low));
    _mm256_store_si256(reinterpret_cast<__m256i*>(out) + 1, clipped(high, other_high));
#elif defined(__AVX2__)
    __m256i sum[4];
    for (int k = 0; k < 4; ++k)
        sum[k] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(stack.second_bias.data()) + k);
    for (int i = 0; i < 2 * kFirst; i += kSecondGroup) {
        const __m256i x = _mm256_set1_epi32(lane_at(in + i));
        const auto* row = reinterpret_cast<const __m256i*>(stack.second.data() + i / kSecondGroup * kRow);
        for (int k = 0; k < 4; ++k) sum[k] = _mm256_add_epi32(sum[k], _mm256_madd_epi16(x, _mm256_load_si256(row + k)));
    }
    const __m256i zero = _mm256_setzero_si256(), one = _mm256_set1_epi32(kActivationOne);
    const auto clipped = [&](__m256i x) {
        return _mm256_min_epi32(_mm256_max_epi32(_mm256_srai_epi32(x, 10), zero), one);
    };
    for (int k = 0; k < 4; k += 2) {
        const __m256i packed = _mm256_packs_epi32(clipped(sum[k]), clipped(sum[k + 1]));
        _mm256_store_si256(reinterpret_cast<__m256i*>(out) + k / 2, _mm256_permute4x64_epi64(packed, 0b11011000));
    }
#else
    std::int32_t sum[kSecond];
    std::memcpy(sum, stack.second_bias.data(), sizeof sum);
    for (int i = 0; i < 2 * kFirst; i += kSecondGroup) {
        const std::int16_t* row = stack.second.data() + i / kSecondGroup * kRow;
        for (int o = 0; o < kSecond; ++o) sum[o] += in[i] * row[2 * o] + in[i + 1] * row[2 * o + 1];
    }
    for (int o = 0; o < kSecond; ++o) out[o] = static_cast<std::int16_t>(std::clamp(sum[o] >> 10, 0, kActivationOne));
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
