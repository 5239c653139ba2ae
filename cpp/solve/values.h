// Sums over the nodes of a tree under given strategies.
#pragma once

#include <vector>

#include "tree/tree.h"

namespace murk {

// For each infoset of `owner`: the sum over its nodes of chance reach times the reach of `player`'s
// sequence-form strategy. With player = the opponent this is the counterfactual reach that normalises u*(x |
// I).
std::vector<double> infoset_reach(const Tree& tree, int owner, int player, const double* strategy);

// Expected payoff to MAX from each node on, under behaviour given by sequence-form strategies (uniform where
// unreached).
std::vector<double> node_values(const Tree& tree, const double* behaviour_max, const double* behaviour_min);

// Number of plies from the root to each node.
std::vector<std::int32_t> depths(const Tree& tree);

}  // namespace murk
