// Looks for positions on which the embedded evaluator breaks one of its promises.
#pragma once

#include <cstdint>
#include <string>

#include "eval/embedded.h"
#include "eval/training_data.h"

namespace murk::eval {

// How often each promise was kept is the number of checks; how often it was broken must be zero.
struct FuzzReport {
    std::uint64_t positions = 0, moves = 0;
    std::uint64_t out_of_range = 0;     // a value beyond [-1, 1], or none at all
    std::uint64_t against_rules = 0;    // a move that the rules decide has another value
    std::uint64_t asymmetric = 0;       // colours exchanged, another value
    std::uint64_t not_incremental = 0;  // the accumulator of a position differs from the one made from scratch
    std::uint64_t not_portable = 0;     // the instruction sets disagree
    std::uint64_t wrong_sign = 0;       // a quiet position with a huge lead counts as lost, or the reverse
    std::uint64_t most_nodes = 0;       // of any quiescence search
    std::string first;                  // the first position that broke a promise, as a FEN
    std::uint64_t broken() const {
        return out_of_range + against_rules + asymmetric + not_incremental + not_portable + wrong_sign;
    }
};

// Positions set up at random (few pieces, or up to sixteen a side of any kind) and a few random moves from each.
FuzzReport fuzz(const Embedded& evaluator, std::uint64_t positions, std::uint64_t seed, Poll poll = nullptr);

}  // namespace murk::eval
