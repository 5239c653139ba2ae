// The static net: a small perspective net in integers.
//
// Each side sees the board from its own back rank, mirrored so that its king stands on the files e to h. A feature is
// (bucket of the own king, own or other piece, kind, square); the rows of the present features add up to 512 numbers a
// side (the accumulator), which change by two to four rows with a move. The two halves of an accumulator are clipped
// and multiplied, and three small layers, one set for each of eight numbers of pieces, turn both sides' products into
// a value; a linear term of the features (the "material") is added to it.
//
//     features -> 512 x 2 -> products 256 x 2 -> 16 (clipped, and squared) -> 32 -> 1
//
// All arithmetic is exact in integers, so every instruction set gives the same bits, and the position with colours
// exchanged has by construction the same value.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "chess/position.h"

namespace murk::eval {

constexpr int kKingBuckets = 6;
constexpr int kPieceSquares = 12 * 64;
constexpr int kFeatures = kKingBuckets * kPieceSquares;
constexpr int kHidden = 512;              // the accumulator of one side
constexpr int kProducts = kHidden;        // both sides' products, the mover's first
constexpr int kFirst = 16, kSecond = 32;  // the small layers
constexpr int kStacks = 8;                // one set of small layers for each number of pieces
constexpr int kMostPieces = 32;
constexpr int kFirstGroup = 4, kSecondGroup = 2;  // inputs of a layer whose weights for an output stand together

// Where the weight from an input to an output stands in a layer.
constexpr std::size_t place(std::size_t input, std::size_t output, std::size_t outputs, std::size_t group) {
    return (input / group * outputs + output) * group + input % group;
}

// Fixed-point scales: what stands for 1.0.
constexpr int kAccumulatorOne = 255;
constexpr int kProductShift = 9;  // 255 * 255 >> 9 = 127
constexpr int kFirstWeightOne = 64;
constexpr int kFirstOne = 127 * kFirstWeightOne;  // 8128
constexpr int kActivationOne = kFirstOne / 2;     // 4064, what goes into the later layers
constexpr int kLaterWeightOne = 1024;
constexpr int kValueOne = kActivationOne;  // the argument of tanh is value / kValueOne

// Limits of the weights that keep every sum inside its type, whatever the position.
constexpr float kLargestFeatureWeight = 3.5f, kLargestFirstWeight = 127.0f / kFirstWeightOne,
                kLargestFirstBias = 1000.0f, kLargestLaterWeight = 7.9f, kLargestMaterial = 3.9f;
// What they come to, rounded up. Squares reach the second layer a little low, and their weights are a little higher.
constexpr int kMostFeature = static_cast<int>(kLargestFeatureWeight * kAccumulatorOne) + 1;
constexpr int kMostProduct = kAccumulatorOne * kAccumulatorOne >> kProductShift;
constexpr int kMostFirst = static_cast<int>(kLargestFirstWeight * kFirstWeightOne);
constexpr std::int64_t kMostLater = 8 * kLaterWeightOne, kMostLaterBias = kMostLater * kActivationOne;
constexpr auto kMostMaterial = static_cast<std::int64_t>(kLargestMaterial * kActivationOne * kLaterWeightOne) + 1;
static_assert(kMostProduct == 127 && kMostFirst == 127);
// The rows of all pieces and the bias fit into 16 bits, as does a pair of products with weights of the first layer;
static_assert((kMostPieces + 1) * kMostFeature < 1 << 15 && 2 * kMostProduct * kMostFirst < 1 << 15);
// the sums of the layers, and all the material of both sides, into 32.
constexpr std::int64_t kMostInt = (std::int64_t{1} << 31) - 1;
static_assert(std::int64_t{kProducts} * kMostProduct * kMostFirst + 1000LL * kFirstOne < kMostInt);
static_assert(2 * kFirst * kMostLater * kActivationOne + kMostLaterBias < kMostInt);
static_assert(2 * kMostPieces * kMostMaterial < kMostInt);
static_assert(kSecond * kMostLater * kActivationOne + kMostLaterBias + kMostPieces * kMostMaterial < kMostInt);

struct Stack {
    // Inputs stand in groups as wide as a lane of 32 bits: [input / group][output][input % group].
    alignas(64) std::array<std::int8_t, kFirst * kProducts> first;
    alignas(64) std::array<std::int16_t, kSecond * 2 * kFirst> second;  // inputs: clipped, then squared
    alignas(64) std::array<std::int16_t, kSecond> third;
    std::array<std::int32_t, kFirst> first_bias;
    std::array<std::int32_t, kSecond> second_bias;
    std::int32_t third_bias;
};

struct Weights {
    alignas(64) std::array<std::int16_t, std::size_t{kFeatures} * kHidden> rows;
    alignas(64) std::array<std::int32_t, std::size_t{kFeatures} * kStacks> material;
    alignas(64) std::array<std::int16_t, kHidden> bias;
    std::array<Stack, kStacks> stacks;
};

struct Accumulator {
    alignas(64) std::array<std::array<std::int16_t, kHidden>, 2> sides;
    alignas(64) std::array<std::array<std::int32_t, kStacks>, 2> material;
};

// Rows to add and to take away for one side.
struct RowChanges {
    int added = 0, removed = 0;
    std::array<std::int32_t, kMostPieces> add;
    std::array<std::int32_t, kMostPieces> remove;
};

// What differs between instruction sets.
struct NetKernels {
    const char* name;
    // to = from + the changes, for one side.
    void (*change)(const Weights& weights, const RowChanges& changes, const std::int16_t* from,
                   const std::int32_t* material_from, std::int16_t* to, std::int32_t* material_to);
    // The value for `side`, in units of 1 / kValueOne.
    int (*forward)(const Weights& weights, const Accumulator& accumulator, int side, int stack);
};
const NetKernels& best_net_kernels();
// The variant of that name, or nullptr if it does not exist or cannot run here.
const NetKernels* find_net_kernels(const char* name);

// The row of a piece for one side, given that side's king square.
int feature(chess::Colour side, chess::Square king, chess::Colour colour, chess::Kind kind, chess::Square square);
// Does a king's step change the rows of all its side's pieces?
bool same_bucket(chess::Colour side, chess::Square king, chess::Square other);
MURK_INLINE int stack_of(int pieces) { return (pieces - 1) / 4 < kStacks ? (pieces - 1) / 4 : kStacks - 1; }

class Network {
  public:
    // Reads the bytes of a weights file. Throws std::invalid_argument with one sentence if they are not one.
    explicit Network(std::span<const std::byte> file, const NetKernels& kernels = best_net_kernels());
    Network(std::shared_ptr<const Weights> weights, const NetKernels& kernels)
        : weights_(std::move(weights)), kernels_(&kernels) {}

    // A position's accumulator from scratch.
    void refresh(const chess::Position& position, Accumulator& out) const;
    // The accumulator after `move` (which leads from `before` to `after`, both kings present), from the one before it.
    void update(const chess::Position& before, chess::Move move, const chess::Position& after, const Accumulator& from,
                Accumulator& to) const;
    // The static value for the side to move, in units of 1 / kValueOne, given the position's accumulator.
    MURK_INLINE int value(const chess::Position& position, const Accumulator& accumulator) const {
        return kernels_->forward(*weights_, accumulator, position.turn, stack_of(chess::count(position.occupied())));
    }
    int value(const chess::Position& position) const;

    const Weights& weights() const { return *weights_; }
    const NetKernels& kernels() const { return *kernels_; }
    // A fingerprint of the weights.
    std::uint64_t checksum() const;

  private:
    void refresh_side(const chess::Position& position, chess::Colour side, Accumulator& out) const;

    std::shared_ptr<const Weights> weights_;
    const NetKernels* kernels_;
};

// A weights file, before it is compressed: a header with the dimensions and a checksum, then the weights,
// little-endian. Rows are written so that they compress well: as differences from the king bucket before, folded to
// small numbers without sign, all their low bytes and then all their high bytes.
std::string weights_file(const Weights& weights);

}  // namespace murk::eval
