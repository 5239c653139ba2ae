// Trains the net of network.h in floating point: sparse rows, small batches, Adam.
//
// What is fitted is tanh(net) to tanh(label / 420). The rows of the king buckets are trained as a part shared by all
// buckets plus a part of their own, so that a rare bucket knows what the others have learnt. The same seed, data and
// number of threads give the same weights on the same instruction set.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "eval/network.h"
#include "eval/training_data.h"

namespace murk::eval {

constexpr float kTau = 420.0f;  // centipawns of Stockfish 15.1

// The parameters that the small layers and the sums are made of, in one array each; gradients have the same shape.
struct FloatStack {
    alignas(64) float first[kFirst][kProducts];
    alignas(64) float second[kSecond][2 * kFirst];
    alignas(64) float third[kSecond];
    alignas(64) float first_bias[kFirst];
    float second_bias[kSecond];
    alignas(64) float third_bias[16];  // the first counts
};
struct FloatWeights {
    alignas(64) float rows[kFeatures][kHidden];
    alignas(64) float material[kFeatures][kStacks];
    alignas(64) float bias[kHidden];
    FloatStack stacks[kStacks];
};
constexpr std::size_t kNumFloats = sizeof(FloatWeights) / sizeof(float);
static_assert(sizeof(FloatWeights) % 64 == 0);

// A position as the trainer sees it.
struct Sample {
    std::uint16_t pieces;
    std::uint16_t stack;
    float target;                                  // tanh units, for the side to move
    std::array<std::uint16_t, kMostPieces> mine;   // rows seen by the side to move
    std::array<std::uint16_t, kMostPieces> other;  // by the other side
};
Sample make_sample(const TrainingRecord& record);

struct AdamStep {
    float rate, beta1, beta2, correction1, correction2, epsilon;
};

// What differs between instruction sets.
struct TrainKernels {
    const char* name;
    // Adds the gradients of the mean of |tanh(net) - target|^power over `count` samples; returns the sum of errors^2.
    double (*gradients)(const FloatWeights& weights, const Sample* samples, std::size_t count, float power,
                        float weight, FloatWeights& gradients);
    // One step of Adam on `count` numbers.
    void (*adam)(const AdamStep& step, float* value, float* first, float* second, const float* gradient,
                 std::size_t count);
};
const TrainKernels& best_train_kernels();

class Trainer {
  public:
    explicit Trainer(std::uint64_t seed, int threads = 1);

    // One pass over the records in their order, in batches; the mean squared error met on the way.
    double train(std::span<const TrainingRecord> records, std::size_t batch, float rate, float power,
                 Poll poll = nullptr);

    // Begins from the weights of a net, to go on with its training. Numbers of its accumulators that are always zero
    // begin at random, without a say in its values, so that something can be learnt for them.
    void begin_from(const Weights& weights);

    // Everything that training goes on from, as numbers: weights, moments, and the count of steps.
    std::vector<float> state() const;
    void restore(std::span<const float> state);
    std::int64_t steps() const { return steps_; }

    std::shared_ptr<const Weights> quantised() const;

  private:
    void wake_unused();
    void combine();  // the weights in use, from the shared and the own parts
    void step(float rate);
    void clip();

    int threads_;
    std::uint64_t seed_;
    std::int64_t steps_ = 0;
    // `own_` holds all parameters; the rows and material of `shared_` (bucket 0 of it) are added to every bucket.
    std::unique_ptr<FloatWeights> weights_, own_, own_first_, own_second_;
    struct Shared {
        alignas(64) float rows[kPieceSquares][kHidden];
        alignas(64) float material[kPieceSquares][kStacks];
    };
    static constexpr std::size_t kStateSize = 3 * (kNumFloats + sizeof(Shared) / sizeof(float)) + 2;
    std::unique_ptr<Shared> shared_, shared_first_, shared_second_, shared_gradient_;
    std::vector<std::unique_ptr<FloatWeights>> gradients_;  // one for each thread
};

}  // namespace murk::eval
