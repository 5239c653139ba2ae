// The loops of the chess layer that are compiled once for each instruction set and chosen at run time.
//
// portable  any processor; sliders through magic numbers
// popcnt    x86 with POPCNT and BMI1; magic numbers too, for processors whose PEXT is slow (AMD before Zen 3)
// bmi2      x86 with a fast PEXT
// All give the same results in the same order.
#pragma once

#include <cstdint>
#include <vector>

#include "chess/movegen.h"
#include "chess/position.h"

namespace murk::chess {

enum class Isa { kPortable, kPopcnt, kBmi2 };
constexpr const char* name_of(Isa isa) {
    return isa == Isa::kBmi2 ? "bmi2" : isa == Isa::kPopcnt ? "popcnt" : "portable";
}

// The instruction sets this processor can run, best last.
const std::vector<Isa>& instruction_sets();

struct Kernels {
    void (*generate)(const Position& position, MoveList& moves);
    int (*count_moves)(const Position& position);
    std::uint64_t (*perft)(const Position& position, int depth, void (*poll)());
};
const Kernels& kernels_of(Isa isa);
const Kernels& best_kernels();

}  // namespace murk::chess
