// Loops over training records: what the evaluator says about them, and which quiet position each of them comes down to.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "eval/network.h"
#include "eval/quiescence.h"
#include "eval/training_data.h"

namespace murk::eval {

// Could the record be one of ours? Loops over records take this for granted.
bool is_valid(const TrainingRecord& record);

// Kinds of position that reports keep apart, as bits.
enum Trait : std::uint8_t {
    kInCheck = 1,       // the king of the side to move is attacked
    kHangingQueen = 2,  // the side to move can win a queen by an exchange
    kFewPieces = 4,     // ten pieces or fewer, kings included
    kKingEnPrise = 8,   // the side to move can capture the king
    kQuiet = 16,        // no capture wins anything and no king is attacked
};
std::uint8_t traits_of(const chess::Position& position);

struct Predictions {
    std::vector<float> target;  // tanh(label / 420)
    std::vector<float> static_value;
    std::vector<float> value;  // with quiescence
    std::vector<std::uint8_t> traits;
    std::uint64_t nodes = 0;  // of all quiescence searches together
};
Predictions predict(std::span<const TrainingRecord> records, const Network& network, const QuiescenceLimits& limits,
                    int threads, Poll poll = nullptr);

// For each record the position whose static value its quiescence value is, labelled with the record's label (its sign
// turned if the other side is to move there). Records that end with a king lost are left out: no static value counts.
std::vector<TrainingRecord> resolve(std::span<const TrainingRecord> records, const Network& network,
                                    const QuiescenceLimits& limits, int threads, Poll poll = nullptr);

}  // namespace murk::eval
