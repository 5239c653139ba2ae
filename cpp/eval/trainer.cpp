#include "eval/trainer.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <stdexcept>
#include <thread>

#include "eval/exchange.h"

namespace murk::eval {

extern const TrainKernels train_portable;
#ifdef MURK_X86
extern const TrainKernels train_avx2;
extern const TrainKernels train_avx512;
#endif

const TrainKernels& best_train_kernels() {
#ifdef MURK_X86
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        return train_avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return train_avx2;
#endif
    return train_portable;
}

Sample make_sample(const TrainingRecord& record) {
    const chess::Position position = unpack_position(record);
    Sample sample;
    sample.pieces = static_cast<std::uint16_t>(chess::count(record.occupied));
    sample.stack = static_cast<std::uint16_t>(stack_of(sample.pieces));
    sample.target = std::tanh(static_cast<float>(record.label) / kTau);
    const chess::Colour us = position.turn;
    const chess::Square king = chess::lowest(position.pieces(us, chess::kKing)) & 63;
    const chess::Square other = chess::lowest(position.pieces(~us, chess::kKing)) & 63;
    std::size_t i = 0;
    for (chess::Bitboard left = record.occupied; left != 0; ++i) {
        const chess::Square square = chess::pop_lowest(left);
        const int nibble = record.pieces[i / 2] >> 4 * (i % 2) & 15;
        const auto colour = static_cast<chess::Colour>(nibble >> 3);
        const auto kind = static_cast<chess::Kind>(nibble & 7);
        sample.mine[i] = static_cast<std::uint16_t>(feature(us, king, colour, kind, square));
        sample.other[i] = static_cast<std::uint16_t>(feature(~us, other, colour, kind, square));
    }
    return sample;
}

namespace {

template <class T>
std::unique_ptr<T> zeros() {
    auto p = std::make_unique<T>();
    std::memset(static_cast<void*>(p.get()), 0, sizeof(T));
    return p;
}

template <class T>
float* floats(T& parameters) {
    return reinterpret_cast<float*>(&parameters);
}

constexpr float kFirstRows = 0.15f, kFirstBias = 0.3f;  // of what is still to be learnt

// What a piece is worth before anything is learnt, in tanh's argument.
float worth(int feature) {
    const int plane = feature / 64 % 12;
    const float value =
        plane % 6 == chess::kKing ? 0.0f : static_cast<float>(kPieceValue[static_cast<std::size_t>(plane % 6)]) / kTau;
    return plane < 6 ? value : -value;
}

constexpr float kLaterOne = kActivationOne * kLaterWeightOne;
// The square of 1.0 comes out as this instead of kActivationOne: made up for in the weights that read it.
constexpr float kSquareOne = static_cast<float>(kFirstOne) * kFirstOne / (1 << 14);

// What Trainer::quantised() makes integers of.
void dequantise(const Weights& from, FloatWeights& to) {
    for (std::size_t f = 0; f < kFeatures; ++f) {
        for (std::size_t i = 0; i < kHidden; ++i)
            to.rows[f][i] = static_cast<float>(from.rows[f * kHidden + i]) / kAccumulatorOne;
        for (std::size_t i = 0; i < kStacks; ++i)
            to.material[f][i] = static_cast<float>(from.material[f * kStacks + i]) / kLaterOne;
    }
    for (std::size_t i = 0; i < kHidden; ++i) to.bias[i] = static_cast<float>(from.bias[i]) / kAccumulatorOne;
    for (std::size_t s = 0; s < kStacks; ++s) {
        const Stack& stack = from.stacks[s];
        FloatStack& out = to.stacks[s];
        for (std::size_t o = 0; o < kFirst; ++o) {
            for (std::size_t i = 0; i < kProducts; ++i)
                out.first[o][i] = static_cast<float>(stack.first[place(i, o, kFirst, kFirstGroup)]) / kFirstWeightOne;
            out.first_bias[o] = static_cast<float>(stack.first_bias[o]) / kFirstOne;
        }
        for (std::size_t o = 0; o < kSecond; ++o) {
            for (std::size_t i = 0; i < 2 * kFirst; ++i) {
                const float fix = i < kFirst ? 1.0f : kSquareOne / kActivationOne;
                out.second[o][i] =
                    fix * static_cast<float>(stack.second[place(i, o, kSecond, kSecondGroup)]) / kLaterWeightOne;
            }
            out.second_bias[o] = static_cast<float>(stack.second_bias[o]) / kLaterOne;
            out.third[o] = static_cast<float>(stack.third[o]) / kLaterWeightOne;
        }
        out.third_bias[0] = static_cast<float>(stack.third_bias) / kLaterOne;
    }
}

}  // namespace

Trainer::Trainer(std::uint64_t seed, int threads)
    : threads_(threads),
      seed_(seed),
      weights_(zeros<FloatWeights>()),
      own_(zeros<FloatWeights>()),
      own_first_(zeros<FloatWeights>()),
      own_second_(zeros<FloatWeights>()),
      shared_(zeros<Shared>()),
      shared_first_(zeros<Shared>()),
      shared_second_(zeros<Shared>()),
      shared_gradient_(zeros<Shared>()) {
    for (int i = 0; i < threads; ++i) gradients_.push_back(zeros<FloatWeights>());
    std::mt19937_64 random(seed);
    const auto uniform = [&](float limit) {
        return limit * (static_cast<float>(random() >> 40) / static_cast<float>(1 << 23) - 1.0f);
    };
    for (auto& row : shared_->rows)
        for (float& x : row) x = uniform(kFirstRows);
    for (int f = 0; f < kPieceSquares; ++f)
        for (float& x : shared_->material[f]) x = worth(f);
    for (float& x : own_->bias) x = kFirstBias;
    for (FloatStack& stack : own_->stacks) {
        for (auto& row : stack.first)
            for (float& x : row) x = uniform(0.12f);
        for (auto& row : stack.second)
            for (float& x : row) x = uniform(0.25f);
        for (float& x : stack.third) x = uniform(0.01f);
        for (float& x : stack.first_bias) x = uniform(0.1f) + 0.1f;
        for (float& x : stack.second_bias) x = uniform(0.1f) + 0.1f;
    }
    combine();
}

void Trainer::begin_from(const Weights& weights) {
    dequantise(weights, *own_);
    // The shared part of a row is the mean over the buckets, as far as the limits of both parts allow.
    const auto divide = [&](auto& own, auto& shared, float limit) {
        for (int s = 0; s < kPieceSquares; ++s)
            for (std::size_t i = 0; i < std::size(shared[s]); ++i) {
                float mean = 0;
                for (int b = 0; b < kKingBuckets; ++b) mean += own[b * kPieceSquares + s][i] / kKingBuckets;
                shared[s][i] = std::clamp(mean, -limit, limit);
                for (int b = 0; b < kKingBuckets; ++b) own[b * kPieceSquares + s][i] -= shared[s][i];
            }
    };
    divide(own_->rows, shared_->rows, kLargestFeatureWeight / 2);
    divide(own_->material, shared_->material, kLargestMaterial);
    own_first_ = zeros<FloatWeights>(), own_second_ = zeros<FloatWeights>();
    shared_first_ = zeros<Shared>(), shared_second_ = zeros<Shared>();
    steps_ = 0;
    wake_unused();
    combine();
}

void Trainer::wake_unused() {
    std::mt19937_64 random(seed_);
    for (int i = 0; i < kHidden; ++i) {
        const auto used = [&](const auto& rows) {
            return std::any_of(std::begin(rows), std::end(rows), [&](const auto& row) { return row[i] != 0.0f; });
        };
        if (own_->bias[i] != 0.0f || used(own_->rows) || used(shared_->rows)) continue;
        for (auto& row : shared_->rows)
            row[i] = kFirstRows * (static_cast<float>(random() >> 40) / static_cast<float>(1 << 23) - 1.0f);
        own_->bias[i] = kFirstBias;
        const int product = i % (kHidden / 2);
        for (FloatStack& stack : own_->stacks)
            for (auto& row : stack.first) row[product] = row[kHidden / 2 + product] = 0.0f;
    }
}

void Trainer::combine() {
    for (int f = 0; f < kFeatures; ++f) {
        const int s = f % kPieceSquares;
        for (int i = 0; i < kHidden; ++i) weights_->rows[f][i] = own_->rows[f][i] + shared_->rows[s][i];
        for (int i = 0; i < kStacks; ++i) weights_->material[f][i] = own_->material[f][i] + shared_->material[s][i];
    }
    std::memcpy(weights_->bias, own_->bias, sizeof own_->bias);
    std::memcpy(static_cast<void*>(weights_->stacks), own_->stacks, sizeof own_->stacks);
}

void Trainer::clip() {
    const auto limit = [](float* begin, std::size_t count, float largest) {
        for (std::size_t i = 0; i < count; ++i) begin[i] = std::clamp(begin[i], -largest, largest);
    };
    // Half the limit for each of the two parts of a row.
    limit(&own_->rows[0][0], std::size_t{kFeatures} * kHidden, kLargestFeatureWeight / 2);
    limit(&shared_->rows[0][0], std::size_t{kPieceSquares} * kHidden, kLargestFeatureWeight / 2);
    limit(own_->bias, kHidden, kLargestFeatureWeight);
    for (FloatStack& stack : own_->stacks) {
        limit(&stack.first[0][0], std::size_t{kFirst} * kProducts, kLargestFirstWeight);
        limit(&stack.second[0][0], std::size_t{kSecond} * 2 * kFirst, kLargestLaterWeight);
        limit(stack.third, kSecond, kLargestLaterWeight);
        limit(stack.second_bias, kSecond, kLargestLaterWeight);
    }
}

void Trainer::step(float rate) {
    FloatWeights& total = *gradients_[0];
    for (std::size_t t = 1; t < gradients_.size(); ++t) {
        float *to = floats(total), *from = floats(*gradients_[t]);
        for (std::size_t i = 0; i < kNumFloats; ++i) to[i] += from[i], from[i] = 0;
    }
    std::memset(static_cast<void*>(shared_gradient_.get()), 0, sizeof(Shared));
    for (int f = 0; f < kFeatures; ++f) {
        const int s = f % kPieceSquares;
        for (int i = 0; i < kHidden; ++i) shared_gradient_->rows[s][i] += total.rows[f][i];
        for (int i = 0; i < kStacks; ++i) shared_gradient_->material[s][i] += total.material[f][i];
    }
    ++steps_;
    const auto n = static_cast<float>(std::min<std::int64_t>(steps_, 100'000));
    const AdamStep adam{rate, 0.9f, 0.999f, 1 / (1 - std::pow(0.9f, n)), 1 / (1 - std::pow(0.999f, n)), 1e-8f};
    const TrainKernels& kernels = best_train_kernels();
    kernels.adam(adam, floats(*own_), floats(*own_first_), floats(*own_second_), floats(total), kNumFloats);
    kernels.adam(adam, floats(*shared_), floats(*shared_first_), floats(*shared_second_), floats(*shared_gradient_),
                 sizeof(Shared) / sizeof(float));
    std::memset(static_cast<void*>(&total), 0, sizeof total);
    clip();
    combine();
}

double Trainer::train(std::span<const TrainingRecord> records, std::size_t batch, float rate, float power, Poll poll) {
    const TrainKernels& kernels = best_train_kernels();
    const auto parts = static_cast<std::size_t>(threads_);
    std::vector<double> squares(parts);
    for (std::size_t begin = 0; begin < records.size(); begin += batch) {
        const std::size_t count = std::min(batch, records.size() - begin);
        const auto work = [&](std::size_t part) {
            constexpr std::size_t kAtOnce = 64;
            Sample samples[kAtOnce];
            const std::size_t from = begin + count * part / parts, to = begin + count * (part + 1) / parts;
            for (std::size_t i = from; i < to; i += kAtOnce) {
                const std::size_t size = std::min(kAtOnce, to - i);
                for (std::size_t k = 0; k < size; ++k) samples[k] = make_sample(records[i + k]);
                squares[part] += kernels.gradients(*weights_, samples, size, power, 1.0f / static_cast<float>(count),
                                                   *gradients_[part]);
            }
        };
        std::vector<std::thread> helpers;
        for (std::size_t part = 1; part < parts; ++part) helpers.emplace_back(work, part);
        work(0);
        for (std::thread& helper : helpers) helper.join();
        step(rate);
        if (poll != nullptr) poll();
    }
    double sum = 0;
    for (const double s : squares) sum += s;
    return records.empty() ? 0 : sum / static_cast<double>(records.size());
}

std::vector<float> Trainer::state() const {
    std::vector<float> out(kStateSize);
    std::size_t offset = 0;
    const auto append = [&](const auto& part) {
        std::memcpy(out.data() + offset, &part, sizeof part);
        offset += sizeof(part) / sizeof(float);
    };
    append(*own_), append(*own_first_), append(*own_second_);
    append(*shared_), append(*shared_first_), append(*shared_second_);
    // A float holds whole numbers only up to 2^24.
    out[offset] = static_cast<float>(steps_ % 1'000'000);
    out[offset + 1] = static_cast<float>(steps_ / 1'000'000);
    return out;
}

void Trainer::restore(std::span<const float> state) {
    if (state.size() != kStateSize) throw std::invalid_argument("the checkpoint is of a net of another shape");
    std::size_t offset = 0;
    const auto take = [&](auto& part) {
        std::memcpy(static_cast<void*>(&part), state.data() + offset, sizeof part);
        offset += sizeof(part) / sizeof(float);
    };
    take(*own_), take(*own_first_), take(*own_second_);
    take(*shared_), take(*shared_first_), take(*shared_second_);
    steps_ = static_cast<std::int64_t>(state[offset]) + 1'000'000 * static_cast<std::int64_t>(state[offset + 1]);
    combine();
}

std::shared_ptr<const Weights> Trainer::quantised() const {
    auto out = std::make_shared<Weights>();
    const auto rounded = [](float x, float one, float largest) {
        return std::lround(std::clamp(x, -largest, largest) * one);
    };
    for (int f = 0; f < kFeatures; ++f) {
        for (int i = 0; i < kHidden; ++i)
            out->rows[static_cast<std::size_t>(f * kHidden + i)] =
                static_cast<std::int16_t>(rounded(weights_->rows[f][i], kAccumulatorOne, kLargestFeatureWeight));
        for (int i = 0; i < kStacks; ++i)
            out->material[static_cast<std::size_t>(f * kStacks + i)] =
                static_cast<std::int32_t>(rounded(weights_->material[f][i], kLaterOne, kLargestMaterial));
    }
    for (std::size_t i = 0; i < kHidden; ++i)
        out->bias[i] = static_cast<std::int16_t>(rounded(weights_->bias[i], kAccumulatorOne, kLargestFeatureWeight));
    for (std::size_t s = 0; s < kStacks; ++s) {
        const FloatStack& from = weights_->stacks[s];
        Stack& to = out->stacks[s];
        for (std::size_t o = 0; o < kFirst; ++o) {
            for (std::size_t i = 0; i < kProducts; ++i)
                to.first[place(i, o, kFirst, kFirstGroup)] =
                    static_cast<std::int8_t>(rounded(from.first[o][i], kFirstWeightOne, kLargestFirstWeight));
            to.first_bias[o] = static_cast<std::int32_t>(rounded(from.first_bias[o], kFirstOne, kLargestFirstBias));
        }
        for (std::size_t o = 0; o < kSecond; ++o) {
            for (std::size_t i = 0; i < 2 * kFirst; ++i) {
                const float fix = i < kFirst ? 1.0f : kActivationOne / kSquareOne;
                to.second[place(i, o, kSecond, kSecondGroup)] =
                    static_cast<std::int16_t>(rounded(fix * from.second[o][i], kLaterWeightOne, 7.99f));
            }
            to.second_bias[o] = static_cast<std::int32_t>(rounded(from.second_bias[o], kLaterOne, kLargestLaterWeight));
            to.third[o] = static_cast<std::int16_t>(rounded(from.third[o], kLaterWeightOne, kLargestLaterWeight));
        }
        to.third_bias = static_cast<std::int32_t>(rounded(from.third_bias[0], kLaterOne, kLargestLaterWeight));
    }
    return out;
}

}  // namespace murk::eval
