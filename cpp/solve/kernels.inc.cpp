// The kernels themselves. Compiled several times with MURK_ISA naming the instruction set; see kernels.h and
// CMakeLists.txt.
//
// Only plain functions with internal linkage here: a template instance shared with other files could be
// merged by the linker into a version that needs instructions the processor lacks.
#include "solve/kernels.h"

#ifdef __AVX2__
#include <immintrin.h>
#endif

#define MURK_JOIN_(a, b) a##b
#define MURK_JOIN(a, b) MURK_JOIN_(a, b)

namespace murk::kernels {
namespace {

#define MURK_INLINE inline __attribute__((always_inline))

// One machine register of doubles; a line of eight slots is kSteps of them.
constexpr int kWidth = MURK_WIDTH;
constexpr int kSteps = 8 / kWidth;
typedef double Reg __attribute__((vector_size(8 * MURK_WIDTH), aligned(8)));
typedef long long Mask __attribute__((vector_size(8 * MURK_WIDTH), aligned(8)));

MURK_INLINE Reg load(const double* p) { return *reinterpret_cast<const Reg*>(p); }
MURK_INLINE void store(double* p, Reg v) { *reinterpret_cast<Reg*>(p) = v; }
MURK_INLINE Reg splat(double x) { return x - Reg{}; }
MURK_INLINE Reg larger(Reg a, Reg b) { return a > b ? a : b; }

// Writes the first `rows` lanes.
MURK_INLINE void store_some(double* at, Reg v, [[maybe_unused]] int rows) {
#if defined(__AVX512VL__)
    _mm256_mask_storeu_pd(at, static_cast<__mmask8>((1u << rows) - 1), (__m256d)v);
#else
#if defined(__AVX2__)
    const __m256i lane = _mm256_setr_epi64x(0, 1, 2, 3);
    if (rows > 1) return _mm256_maskstore_pd(at, _mm256_cmpgt_epi64(_mm256_set1_epi64x(rows), lane), (__m256d)v);
#endif
    at[0] = v[0];  // registers hold two or four rows, so that one is left
#endif
}

// out = base + scale * sum for a block's rows. They start from `base` rather than from `out`: reading back what the
// block before has just written across a different boundary would stall.
template <int kRegs>
MURK_INLINE void finish(const Block& block, int rows, const Reg* sum, const double* base, double* out) {
    const Reg scale = splat(block.scale);
    for (int k = 0; k < kRegs; ++k, rows -= kWidth) {
        const std::int64_t at = block.row + k * kWidth;
        Reg result = scale * sum[k];
        if (base != nullptr) result += load(base + at);
        if (rows >= kWidth) {
            store(out + at, result);
        } else if (rows > 0) {
            store_some(out + at, result, rows);
        }
    }
}

// Blocks that are alike, one after the other: one broadcast serves up to kRegs * kWidth rows.
template <int kRegs>
MURK_INLINE void multiply_long(const Block* block, const Block* end, const double* values, const std::int32_t* c,
                               const double* in, const double* base, double* out) {
    const int rows = block->rows;
    const std::int32_t columns = block->columns;
    for (; block != end; ++block) {
        const double* v = values + block->values;
        Reg sum[kRegs] = {};
        for (std::int32_t j = 0; j < columns; ++j, v += kRegs * kWidth) {
            const Reg y = splat(in[*c++]);
            for (int k = 0; k < kRegs; ++k) sum[k] += load(v + k * kWidth) * y;
        }
        finish<kRegs>(*block, rows, sum, base, out);
    }
}

// The same for few columns: the values stay in registers as long as blocks share them.
template <int kRegs, int kColumns>
MURK_INLINE void multiply_short(const Block* block, const Block* end, const double* values, const std::int32_t* c,
                                const double* in, const double* base, double* out) {
    const int rows = block->rows;
    while (block != end) {
        const std::int64_t at = block->values;
        Reg v[kColumns][kRegs];
        for (int j = 0; j < kColumns; ++j)
            for (int k = 0; k < kRegs; ++k) v[j][k] = load(values + at + (j * kRegs + k) * kWidth);
        for (; block != end && block->values == at; ++block, c += kColumns) {
            Reg sum[kRegs];
            for (int j = 0; j < kColumns; ++j) {
                const Reg y = splat(in[c[j]]);
                for (int k = 0; k < kRegs; ++k) sum[k] = j == 0 ? v[j][k] * y : sum[k] + v[j][k] * y;
            }
            finish<kRegs>(*block, rows, sum, base, out);
        }
    }
}

template <int kRegs>
MURK_INLINE void multiply_alike(const Block* block, const Block* end, const double* values, const std::int32_t* c,
                                const double* in, const double* base, double* out) {
    switch (block->columns) {
#define MURK_SHORT(n) \
    case n:           \
        return multiply_short<kRegs, n>(block, end, values, c, in, base, out);
        MURK_SHORT(1)
        MURK_SHORT(2)
        MURK_SHORT(3)
        MURK_SHORT(4)
        MURK_SHORT(5)
        MURK_SHORT(6)
        MURK_SHORT(7)
        MURK_SHORT(8)
        MURK_SHORT(9)
        MURK_SHORT(10)
#undef MURK_SHORT
        default:
            return multiply_long<kRegs>(block, end, values, c, in, base, out);
    }
}

void multiply(const Block* begin, const Block* end, const double* values, const std::int32_t* indices, const double* in,
              const double* base, double* out) {
    for (const Block* block = begin; block < end;) {
        const Block* stop = end - block > block->alike ? block + block->alike : end;
        const std::int32_t* c = indices + block->indices;
        if (block->width == 8) {
            multiply_alike<8 / kWidth>(block, stop, values, c, in, base, out);
        } else if (block->width == 4) {
            multiply_alike<4 / kWidth>(block, stop, values, c, in, base, out);
        } else {
            const std::int32_t columns = block->columns;
            for (; block != stop; ++block, c += columns) {
                const double* v = values + block->values;
                double sum = 0.0;
                for (std::int32_t j = 0; j < columns; ++j) sum += v[j] * in[c[j]];
                out[block->row] = (base != nullptr ? base[block->row] : 0.0) + block->scale * sum;
            }
        }
        block = stop;
    }
}

// The values at kWidth positions, one load each: the processor's own gather is slower.
MURK_INLINE Reg child_values(const std::int32_t* children, const double* infoset_value) {
    Reg value;
    for (int lane = 0; lane < kWidth; ++lane) value[lane] = infoset_value[children[lane]];
    return value;
}

void add_children(const Branch* begin, const Branch* end, const std::int32_t* children, const double* infoset_value,
                  double* q) {
    for (const Branch* branch = begin; branch != end; ++branch) {
        if (branch->width == 1) {
            double sum = q[branch->sequence];
            for (std::int32_t c = branch->begin; c < branch->end; ++c) sum += infoset_value[children[c]];
            q[branch->sequence] = sum;
            continue;
        }
        Reg sum[kSteps];
        for (int k = 0; k < kSteps; ++k) sum[k] = load(q + branch->sequence + k * kWidth);
        for (std::int32_t c = branch->begin; c < branch->scattered; ++c)
            for (int k = 0; k < kSteps; ++k) sum[k] += load(infoset_value + children[c] + k * kWidth);
        for (std::int32_t c = branch->scattered; c < branch->end; c += 8)
            for (int k = 0; k < kSteps; ++k) sum[k] += child_values(children + c + k * kWidth, infoset_value);
        for (int k = 0; k < kSteps; ++k) store(q + branch->sequence + k * kWidth, sum[k]);
    }
}

// Next strategy from the positive parts of `regret` (plus `prediction` if kind is predictive), uniform if
// there are none.
template <Regret kKind, int kActions>
MURK_INLINE void match(int actions, std::int64_t stride, const double* regret, const double* prediction,
                       double* strategy) {
    const int m = kActions > 0 ? kActions : actions;
    const Reg zero = splat(0.0);
    Reg total = zero;
    for (int a = 0; a < m; ++a) {
        Reg r = load(regret + a * stride);
        if constexpr (kKind == Regret::kPredictive) r += load(prediction + a * stride);
        r = larger(r, zero);
        store(strategy + a * stride, r);
        total += r;
    }
    const Mask some = total > zero;
    const Reg scale = splat(1.0) / (some ? total : splat(1.0));
    const Reg uniform = splat(1.0 / m);
    for (int a = 0; a < m; ++a) store(strategy + a * stride, some ? load(strategy + a * stride) * scale : uniform);
}

template <Regret kKind, int kActions>
MURK_INLINE void update_slots(const Group& group, std::int64_t from, std::int64_t to, const RegretWeights& weights,
                              const double* q, double* strategy, double* regret, double* prediction,
                              double* infoset_value) {
    const int m = kActions > 0 ? kActions : group.actions;
    const std::int64_t stride = group.stride;
    const Reg zero = splat(0.0);
    for (std::int64_t i = from; i < to; i += kWidth) {
        const std::int64_t s = group.base + i;
        Reg value = zero;
        for (int a = 0; a < m; ++a) value += load(q + s + a * stride) * load(strategy + s + a * stride);
        store(infoset_value + group.infoset + i, value);
        for (int a = 0; a < m; ++a) {
            const std::int64_t k = s + a * stride;
            const Reg gain = load(q + k) - value;
            Reg r = load(regret + k);
            if constexpr (kKind == Regret::kPlain) {
                r += gain * splat(weights.gain);
            } else if constexpr (kKind == Regret::kDiscounted) {
                r += gain;
                r *= r > zero ? splat(weights.positive) : splat(weights.negative);
            } else {
                r = larger(r + gain, zero);
            }
            store(regret + k, r);
            if constexpr (kKind == Regret::kPredictive) store(prediction + k, gain);
        }
        match<kKind, kActions>(m, stride, regret + s, prediction + s, strategy + s);
    }
}

template <Regret kKind>
void update_kind(const Group& group, std::int64_t from, std::int64_t to, const RegretWeights& weights, const double* q,
                 double* strategy, double* regret, double* prediction, double* infoset_value) {
    switch (group.actions) {
        case 1:
            for (std::int64_t i = from; i < to; i += kWidth)
                store(infoset_value + group.infoset + i, load(q + group.base + i));
            break;
        case 2:
            update_slots<kKind, 2>(group, from, to, weights, q, strategy, regret, prediction, infoset_value);
            break;
        case 3:
            update_slots<kKind, 3>(group, from, to, weights, q, strategy, regret, prediction, infoset_value);
            break;
        case 4:
            update_slots<kKind, 4>(group, from, to, weights, q, strategy, regret, prediction, infoset_value);
            break;
        default:
            update_slots<kKind, 0>(group, from, to, weights, q, strategy, regret, prediction, infoset_value);
    }
}

void update(Regret kind, const Group& group, std::int64_t from, std::int64_t to, RegretWeights weights, const double* q,
            double* strategy, double* regret, double* prediction, double* infoset_value) {
    switch (kind) {
        case Regret::kPlain:
            return update_kind<Regret::kPlain>(group, from, to, weights, q, strategy, regret, prediction,
                                               infoset_value);
        case Regret::kPlus:
            return update_kind<Regret::kPlus>(group, from, to, weights, q, strategy, regret, prediction, infoset_value);
        case Regret::kDiscounted:
            return update_kind<Regret::kDiscounted>(group, from, to, weights, q, strategy, regret, prediction,
                                                    infoset_value);
        case Regret::kPredictive:
            return update_kind<Regret::kPredictive>(group, from, to, weights, q, strategy, regret, prediction,
                                                    infoset_value);
    }
}

void spread(const Group& group, std::int64_t from, std::int64_t to, const std::int32_t* parent, const double* strategy,
            double* x, double* sum, double weight) {
    const Reg w = splat(weight);
    for (std::int64_t i = from; i < to; i += kWidth) {
        const std::int32_t* up = parent + group.infoset + i;
        Reg reach;
        for (int lane = 0; lane < kWidth; ++lane) reach[lane] = x[up[lane]];
        for (int a = 0; a < group.actions; ++a) {
            const std::int64_t k = group.base + i + a * group.stride;
            const Reg here = reach * load(strategy + k);
            store(x + k, here);
            if (weight != 0.0) store(sum + k, load(sum + k) + w * here);
        }
    }
}

template <int kActions>
MURK_INLINE void maximise_slots(const Group& group, std::int64_t from, std::int64_t to, const double* q,
                                double* infoset_value) {
    const int m = kActions > 0 ? kActions : group.actions;
    for (std::int64_t i = from; i < to; i += kWidth) {
        Reg best = load(q + group.base + i);
        for (int a = 1; a < m; ++a) best = larger(load(q + group.base + i + a * group.stride), best);
        store(infoset_value + group.infoset + i, best);
    }
}

void maximise(const Group& group, std::int64_t from, std::int64_t to, const double* q, double* infoset_value) {
    switch (group.actions) {
        case 2:
            return maximise_slots<2>(group, from, to, q, infoset_value);
        case 3:
            return maximise_slots<3>(group, from, to, q, infoset_value);
        default:
            return maximise_slots<0>(group, from, to, q, infoset_value);
    }
}

}  // namespace

extern const Kernels MURK_JOIN(k_, MURK_ISA);
const Kernels MURK_JOIN(k_, MURK_ISA) = {MURK_ISA_NAME, multiply, add_children, update, spread, maximise};

}  // namespace murk::kernels
