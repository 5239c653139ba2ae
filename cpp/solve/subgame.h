// MakeSubgame, Algorithm 1 of [ZS21]: the maxmargin gadget of a knowledge-limited subgame, as a tree of its own.
//
// "We" own the infoset at which play has arrived; the opponent chooses at the gadget's root which of her infosets to be
// in. Every quantity is MAX's payoff, whoever we are.
//
// Deviations, all of which leave every margin as it is (docs/errata.md):
//   - the alternate value of an opponent infoset I0 is her unnormalised best-response value over all of I0 divided by
//   D, so that it is
//     in the same scale as the rest of the gadget; the pseudocode's u*(x | I0) is normalised over all of I0;
//   - opponent infosets that D or nature never reach are left out;
//   - what the game's own extra payoffs B add at the very sequence of I0 is a constant of that infoset and is left out
//   on both sides.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "solve/sequence_form.h"
#include "tree/knowledge.h"
#include "tree/tree.h"

namespace murk {

struct Subgame {
    explicit Subgame(std::size_t capacity) : tree(capacity) {}

    Tree tree;
    // For each infoset and node of `tree` the game's own, kNone for what only the gadget has.
    std::array<std::vector<InfosetId>, kNumPlayers> infosets;
    std::vector<NodeId> nodes;
    // For each action of the root: the opponent's infoset, D, and her alternate value (in the gadget's scale).
    std::vector<InfosetId> roots;
    std::vector<double> reach;
    std::vector<double> alternate;
};

// Nodes `inside` are the knowledge set I^k, ascending. `strategy` is our blueprint in sequence form, `best_response`
// the opponent's to it, `gifts` is empty or one gift estimate (normalised, MAX's payoff) for each opponent infoset.
// `skip` marks opponent infosets to leave out.
Subgame make_subgame(const Tree& game, const Hypergraph& graph, int we, const double* strategy,
                     const BestResponse& best_response, std::span<const NodeId> inside, std::span<const double> gifts,
                     std::span<const std::uint8_t> skip);

// MaxmarginToResolve of Algorithm 1: nature draws the opponent's infoset evenly, and she may exit with a payoff of 0
// (action 0) or play (action 1). B is divided by the number of infosets. `gadget` is a tree made by make_subgame.
Tree to_resolve(const Tree& gadget, int we);

}  // namespace murk
