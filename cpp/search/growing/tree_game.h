// A finished tree as a game for the search, with any estimate of the values of its nodes: how the search is tested
// against known equilibria.
#pragma once

#include <memory>
#include <vector>

#include "search/growing/game.h"
#include "tree/tree.h"

namespace murk::growing {

class TreeGame {
  public:
    using State = NodeId;

    // `estimate` has MAX's value of each node; at terminal nodes the payoff itself counts.
    TreeGame(const Tree& tree, std::vector<double> estimate) : tree_(&tree), estimate_(std::move(estimate)) {}

    void describe(NodeId node, Moves& moves) const {
        moves.player = tree_->player(node);
        const NodeId first = tree_->first_child(node);
        for (std::int32_t a = 0; a < tree_->num_children(node); ++a) {
            const NodeId child = first + a;
            const bool ended = tree_->player(child) == kTerminal;
            moves.labels.push_back(a);
            moves.values.push_back(static_cast<float>(ended ? tree_->utility(child) : estimate_[child]));
            moves.ended.push_back(ended);
            if (moves.player == kNature) {
                const double reach = tree_->chance_reach(node);
                moves.chance.push_back(static_cast<float>(reach > 0.0 ? tree_->chance_reach(child) / reach : 0.0));
            }
        }
    }
    NodeId child(NodeId node, std::int32_t label) const { return tree_->first_child(node) + label; }
    // The tree knows the infosets: no need to grow a key.
    Key key_after(Key, int player, int, std::int32_t, NodeId child) const {
        return static_cast<Key>(static_cast<std::int64_t>(tree_->infoset(player, child)));
    }

  private:
    const Tree* tree_;
    std::vector<double> estimate_;
};
static_assert(Game<TreeGame>);

}  // namespace murk::growing
