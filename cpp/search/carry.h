// MakeSubgame on a trunk: Algorithm 1 of [ZS21] for k = 1, on the tree that the last search has left.
//
// Of the old trunk stays what is below our new infoset I'. At the other nodes of each opponent infoset J that meets I'
// our strategy is fixed, so they are folded into extra payoffs on the opponent's sequences; and so are the old trunk's
// own extra payoffs, which stand for what was folded away earlier. The deviations are those of solve/subgame.h.
#pragma once

#include <memory>
#include <vector>

#include "search/trunk.h"

namespace murk::search {

struct CarryOptions {
    bool reach = true;                    // give back the opponent's gifts
    bool root_gifts = false;              // count her choice at the old gadget's root among them
    bool merge = true;                    // leave out transpositions of what stays
    bool resolve = false;                 // the old trunk was solved below a resolving root
    std::uint64_t seed = 0;               // of the order in which transpositions are met
    std::size_t limit = ~std::size_t{0};  // infosets of the opponent's to keep: those she comes to, then any
};

// What an infoset J of the opponent's that meets I' brings along.
struct Meeting {
    Key key = 0;
    std::vector<NodeId> inside;   // of I', in the old trunk
    std::vector<NodeId> outside;  // the others of J
    double inside_reach = 0.0;    // D: nature's and our reach of `inside`
    double reach = 0.0;           // the same of all of J
    double value = 0.0;           // V_J(x): her best response to our strategy, not normalised
    double gift = 0.0;            // g^(J), not negative
    double likely = 0.0;          // her own reach of J
    double alternate() const { return (value - gift * reach) / inside_reach; }
};

struct CarryPlan {
    Key ours = 0;
    std::vector<Meeting> meetings;  // those that stay
    std::size_t found = 0;          // nodes of I' in the old trunk
    double value = 0.0;             // u^: what the profile is worth to us at I'
    CarryOptions options;
};

// `x` and `y` are the sequence-form strategies of the old trunk, one entry for every sequence there is.
CarryPlan plan_carry(const Trunk& old, Key ours, std::span<const double> x, std::span<const double> y,
                     const CarryOptions& options);

// The trunk of the subgame: what the plan keeps and `lost`, each at a root of its own. The game forgets every state
// that is in neither; the old trunk must not be used any more. At most `limit` nodes or so are taken over.
std::unique_ptr<Trunk> carry(const Trunk& old, const CarryPlan& plan, std::span<const double> x, std::vector<Root> lost,
                             std::size_t capacity, std::size_t limit);

}  // namespace murk::search
