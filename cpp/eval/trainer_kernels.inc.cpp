// The inner loops of the trainer, compiled once for each instruction set (see CMakeLists.txt).
#include <algorithm>
#include <cmath>
#include <cstring>

#include "eval/trainer.h"

#define MURK_JOIN2(a, b) a##b
#define MURK_JOIN(a, b) MURK_JOIN2(a, b)

namespace murk::eval {
namespace {

constexpr int kLanes = MURK_WIDTH;
typedef float Lanes __attribute__((vector_size(kLanes * sizeof(float))));
constexpr int kPiece = 8 * kLanes;  // so much of a row stays in registers

inline Lanes load(const float* at) {
    Lanes x;
    std::memcpy(&x, at, sizeof x);
    return x;
}
inline void store(float* at, Lanes x) { std::memcpy(at, &x, sizeof x); }
inline float sum_of(Lanes x) {
    float sum = 0;
    for (int i = 0; i < kLanes; ++i) sum += x[i];
    return sum;
}
inline float clip(float x) { return std::min(std::max(x, 0.0f), 1.0f); }

// out = bias + the sum of the rows.
void add_rows(const FloatWeights& weights, const std::uint16_t* rows, int count, float* out) {
    static_assert(kHidden % kPiece == 0);
    for (int base = 0; base < kHidden; base += kPiece) {
        Lanes sum[8];
        for (int i = 0; i < 8; ++i) sum[i] = load(weights.bias + base + i * kLanes);
        for (int k = 0; k < count; ++k)
            for (int i = 0; i < 8; ++i) sum[i] += load(weights.rows[rows[k]] + base + i * kLanes);
        for (int i = 0; i < 8; ++i) store(out + base + i * kLanes, sum[i]);
    }
}

// The gradient of the sums goes to the bias and to every row.
void spread_rows(FloatWeights& gradients, const std::uint16_t* rows, int count, const float* gradient) {
    for (int base = 0; base < kHidden; base += kPiece) {
        Lanes g[8];
        for (int i = 0; i < 8; ++i) g[i] = load(gradient + base + i * kLanes);
        const auto add = [&](float* to) {
            for (int i = 0; i < 8; ++i) store(to + base + i * kLanes, load(to + base + i * kLanes) + g[i]);
        };
        add(gradients.bias);
        for (int k = 0; k < count; ++k) add(gradients.rows[rows[k]]);
    }
}

float dot(const float* a, const float* b, int size) {
    Lanes sum = {};
    for (int i = 0; i < size; i += kLanes) sum += load(a + i) * load(b + i);
    return sum_of(sum);
}

// The values between the layers, forward, and their gradients.
struct Pass {
    alignas(64) float sums[2][kHidden];
    alignas(64) float products[kProducts];
    alignas(64) float first[kFirst];
    alignas(64) float activated[2 * kFirst];
    alignas(64) float second[kSecond];
    alignas(64) float d_sums[2][kHidden];
    alignas(64) float d_products[kProducts];
    alignas(64) float d_activated[2 * kFirst];
};

float forward(const FloatWeights& weights, const Sample& sample, Pass& pass) {
    constexpr int kHalf = kHidden / 2;
    const FloatStack& stack = weights.stacks[sample.stack];
    add_rows(weights, sample.mine.data(), sample.pieces, pass.sums[0]);
    add_rows(weights, sample.other.data(), sample.pieces, pass.sums[1]);
    for (int side = 0; side < 2; ++side)
        for (int i = 0; i < kHalf; ++i)
            pass.products[side * kHalf + i] = clip(pass.sums[side][i]) * clip(pass.sums[side][kHalf + i]);
    for (int o = 0; o < kFirst; ++o) {
        const float x = pass.first[o] = stack.first_bias[o] + dot(stack.first[o], pass.products, kProducts);
        pass.activated[o] = clip(x);
        pass.activated[kFirst + o] = std::min(x * x, 1.0f);
    }
    float out = stack.third_bias[0];
    for (int o = 0; o < kSecond; ++o) {
        pass.second[o] = stack.second_bias[o] + dot(stack.second[o], pass.activated, 2 * kFirst);
        out += stack.third[o] * clip(pass.second[o]);
    }
    float material = 0;
    for (int k = 0; k < sample.pieces; ++k)
        material += weights.material[sample.mine[k]][sample.stack] - weights.material[sample.other[k]][sample.stack];
    return out + 0.5f * material;
}

void backward(const FloatWeights& weights, const Sample& sample, float slope, Pass& pass, FloatWeights& gradients) {
    constexpr int kHalf = kHidden / 2;
    const FloatStack& stack = weights.stacks[sample.stack];
    FloatStack& to = gradients.stacks[sample.stack];
    for (int k = 0; k < sample.pieces; ++k) {
        gradients.material[sample.mine[k]][sample.stack] += 0.5f * slope;
        gradients.material[sample.other[k]][sample.stack] -= 0.5f * slope;
    }
    to.third_bias[0] += slope;
    std::memset(pass.d_activated, 0, sizeof pass.d_activated);
    for (int o = 0; o < kSecond; ++o) {
        const float x = pass.second[o];
        to.third[o] += slope * clip(x);
        if (x <= 0 || x >= 1) continue;
        const float d = slope * stack.third[o];
        to.second_bias[o] += d;
        for (int i = 0; i < 2 * kFirst; ++i) {
            to.second[o][i] += d * pass.activated[i];
            pass.d_activated[i] += d * stack.second[o][i];
        }
    }
    std::memset(pass.d_products, 0, sizeof pass.d_products);
    for (int o = 0; o < kFirst; ++o) {
        const float x = pass.first[o];
        float d = x > 0 && x < 1 ? pass.d_activated[o] : 0;
        if (x > -1 && x < 1) d += 2 * x * pass.d_activated[kFirst + o];
        if (d == 0) continue;
        to.first_bias[o] += d;
        for (int i = 0; i < kProducts; i += kLanes) {
            store(to.first[o] + i, load(to.first[o] + i) + d * load(pass.products + i));
            store(pass.d_products + i, load(pass.d_products + i) + d * load(stack.first[o] + i));
        }
    }
    for (int side = 0; side < 2; ++side) {
        const float* sums = pass.sums[side];
        float* d_sums = pass.d_sums[side];
        for (int i = 0; i < kHalf; ++i) {
            const float d = pass.d_products[side * kHalf + i], a = sums[i], b = sums[kHalf + i];
            d_sums[i] = a > 0 && a < 1 ? d * clip(b) : 0.0f;
            d_sums[kHalf + i] = b > 0 && b < 1 ? d * clip(a) : 0.0f;
        }
    }
    spread_rows(gradients, sample.mine.data(), sample.pieces, pass.d_sums[0]);
    spread_rows(gradients, sample.other.data(), sample.pieces, pass.d_sums[1]);
}

double gradients(const FloatWeights& weights, const Sample* samples, std::size_t count, float power, float weight,
                 FloatWeights& gradients) {
    Pass pass;
    double squares = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const float y = std::tanh(forward(weights, samples[i], pass));
        const float error = y - samples[i].target;
        squares += static_cast<double>(error) * error;
        const float size = std::max(std::fabs(error), 1e-6f);
        const float slope = power == 2.0f ? 2 * error : std::copysign(power * std::pow(size, power - 1), error);
        backward(weights, samples[i], weight * slope * (1 - y * y), pass, gradients);
    }
    return squares;
}

void adam(const AdamStep& step, float* value, float* first, float* second, const float* gradient, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        const float g = gradient[i];
        const float m = first[i] = step.beta1 * first[i] + (1 - step.beta1) * g;
        const float v = second[i] = step.beta2 * second[i] + (1 - step.beta2) * g * g;
        value[i] -= step.rate * (m * step.correction1) / (std::sqrt(v * step.correction2) + step.epsilon);
    }
}

}  // namespace

extern const TrainKernels MURK_JOIN(train_, MURK_ISA);
const TrainKernels MURK_JOIN(train_, MURK_ISA) = {MURK_ISA_NAME, gradients, adam};

}  // namespace murk::eval
