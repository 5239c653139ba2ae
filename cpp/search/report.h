// What a pair of strategies says about the root of a trunk: for people, and for the sign that switches gadgets.
#pragma once

#include <span>
#include <vector>

#include "search/trunk.h"

namespace murk::search {

// The opponent's best response to our strategy: q of each of her sequences, the value of each of her infosets at which
// she acts, and the reach of each infoset by nature and us. Nothing is normalised.
struct Response {
    std::vector<double> q, value, reach;
};
Response respond(const Trunk& trunk, std::span<const double> x);

// The margin of each root of the gadget under our strategy.
std::vector<double> margins(const Trunk& trunk, std::span<const double> x);

// What each action at the root is worth to us against the opponent's strategy; an action we do not play counts as it
// was valued when it was added. Roots the opponent never enters count only if she enters none.
std::vector<double> action_values(const Trunk& trunk, std::span<const double> x, std::span<const double> y);

// For every node, the sum over the leaves below of nature's and both players' reach times the payoff.
std::vector<double> worth(const Trunk& trunk, std::span<const double> x, std::span<const double> y);

}  // namespace murk::search
