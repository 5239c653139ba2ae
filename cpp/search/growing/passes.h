// The innermost loops of the growing search's solver, compiled once for each instruction set and chosen at run time.
//
// Rows are whole vectors (tree.h), and sums are made lane by lane in a fixed order without fused operations, so all
// variants give the same bits.
#pragma once

#include <cstdint>

#include "search/growing/tree.h"

namespace murk::growing {

// The arrays of a tree as a pass sees them.
struct PassArrays {
    const Link* links;
    const InfosetEntry* infosets;
    float* value;
    float* strategy;
    float* regret;
    float* gain;
    float* mass;
    float* reach;  // over nodes: how likely everyone but the player in question is to get there
    float kept;    // of the regrets, when others come to them
    bool pruning;  // leave out what the others never reach
};

struct Passes {
    const char* name;
    // Fills `reach` from `begin` on; what is before is given.
    void (*forward)(const PassArrays& arrays, int player, std::int32_t begin, std::int32_t end);
    // From the last node to the first: values, and gains of the player's actions. The values of the first `roots` nodes
    // go to `root_value`.
    void (*backward)(const PassArrays& arrays, int player, std::int32_t roots, std::int32_t nodes, double* root_value);
    // Predictive regret matching at an infoset; clears its gains. `worth` gets the value of each action. Where there is
    // no regret at all the strategy stays as it is: a new infoset keeps its best action until something is better.
    void (*match)(const PassArrays& arrays, std::int32_t infoset, float* worth, float* scratch);
};

// The best set that the machine can run.
const Passes& best_passes();

namespace portable {
extern const Passes passes;
}
namespace avx2 {
extern const Passes passes;
}

}  // namespace murk::growing
