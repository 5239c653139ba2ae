// The trunk of a game that a search has expanded so far (Section 6 of [ZS21]), below a gadget's root or on its own.
//
// A trunk is one append-only Tree and, beside it, what a search must know of every node: its state, both players' keys,
// its value when it was a leaf, and how interesting it is. How it is solved is no matter of the trunk: it hands out
// leaves to expand from any pair of strategies, and keys make an infoset of new nodes whichever order they come in.
//
// Below a gadget's root (node 0) the opponent, kMin, chooses one of her infosets that meet ours; its alternate value is
// subtracted as an extra payoff on that sequence (Algorithm 1, MakeSubgame).
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "search/game.h"
#include "tree/tree.h"

namespace murk::search {

// One infoset of the opponent's that meets our own: our states in it, drawn with these probabilities.
struct Root {
    std::vector<Seed> seeds;
    std::vector<double> probability;
    double alternate = 0.0;  // of the whole infoset, in units of the part that is here
    bool carried = false;    // from the trunk of the move before
};

enum class Expansion : std::uint8_t {
    kText,        // Appendix: children that both players reach, and the most interesting of the others
    kPseudocode,  // Algorithm 4: all children of nodes that both reach, elsewhere the most interesting
};

struct GrowOptions {
    Expansion rule = Expansion::kText;
    int depth = 1 << 30;                  // nodes deeper than this are expanded only if both players reach them
    std::size_t nodes = ~std::size_t{0};  // stop when the tree has so many
    std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
    std::function<bool()> stop;  // asked now and then
};

struct Growth {
    std::size_t expanded = 0;
    bool waiting = false;  // something was left alone for its depth alone
    bool stopped = false;  // by the limit on nodes or time
};

class Trunk {
  public:
    // A trunk of the whole game from one state on.
    Trunk(std::shared_ptr<Game> game, const Seed& root, std::size_t capacity);
    // A trunk below a gadget's root.
    Trunk(std::shared_ptr<Game> game, std::vector<Root> roots, std::size_t capacity);

    Tree& tree() { return tree_; }
    const Tree& tree() const { return tree_; }
    Game& game() const { return *game_; }
    const std::shared_ptr<Game>& game_pointer() const { return game_; }
    bool has_gadget() const { return !roots_.empty(); }
    const std::vector<Root>& roots() const { return roots_; }
    // The nodes of our infoset below the gadget, or node 0.
    const std::vector<NodeId>& root_nodes() const { return root_nodes_; }

    StateId state(NodeId h) const { return state_[h]; }
    const Keys& keys(NodeId h) const { return keys_[h]; }
    // What the node was worth as a leaf.
    double value(NodeId h) const { return value_[h]; }
    int depth(NodeId h) const { return depth_[h]; }
    int max_depth() const { return max_depth_; }
    bool is_frontier(NodeId h) const { return tree_.num_children(h) == 0 && state_[h] != kNone; }
    std::size_t bytes() const;

    // Turns a leaf into an internal node; the game must go on there.
    void expand(NodeId h);
    // False if there was no time for all; one always is.
    bool expand_roots(std::chrono::steady_clock::time_point deadline, const std::function<bool()>& stop = {});
    // One round of Algorithm 4's expansion, given strategies in sequence form over (at least) the nodes there are.
    Growth grow(std::span<const double> x, std::span<const double> y, const GrowOptions& options);

    // An infoset by its player's key, made if it is new. One may have no nodes: what is not in the trunk any more may
    // still pay there.
    InfosetId infoset(int player, Key key, SequenceId parent, std::int32_t actions);
    // kNone if the trunk has none of this key.
    InfosetId find_infoset(int player, Key key) const;
    // The opponent's key one step before, so that an infoset without nodes can be placed.
    void set_opponent_before(Key key, Key before) { before_.try_emplace(key, before); }
    const std::unordered_map<Key, Key>& opponent_before() const { return before_; }
    const std::unordered_map<Key, InfosetId>& infosets(int player) const { return infosets_[player]; }

    // Binary entropy of what we observe next after each action at the root, all root nodes being equally likely.
    std::vector<double> next_observation_entropy() const;
    // Values in sequence form for sequences added since `x` was found: all on the action that looks best.
    std::vector<double> extend(int player, std::span<const double> strategy, std::span<const double> other) const;

    // Copies subtrees of another trunk to below leaves that stand for the same states, given as (source, target) pairs,
    // breadth first until this trunk has `limit` nodes; what is beyond become leaves again. `states` collects the other
    // trunk's states; nodes refer to them by their place in it.
    void graft(const Trunk& from, std::vector<std::pair<NodeId, NodeId>> pairs, std::vector<StateId>& states,
               std::size_t limit);

  private:
    // Leaves that a round would expand: those that both players reach, and others.
    struct Choice {
        std::vector<NodeId> by_both, others;
        bool waiting = false;  // something was left alone for its depth alone
    };
    Choice choose(std::span<const double> x, std::span<const double> y, const GrowOptions& options) const;
    void add_nodes(NodeId parent, const Children& children);
    void add_node(StateId state, const Keys& keys, double value, float interest, int depth);

    std::shared_ptr<Game> game_;
    Tree tree_;
    std::vector<Root> roots_;
    std::vector<NodeId> root_nodes_;
    StableArray<StateId> state_;
    StableArray<Keys> keys_;
    StableArray<double> value_;
    StableArray<float> interest_;
    StableArray<std::int16_t> depth_;
    int max_depth_ = 0;
    std::vector<NodeId> open_;  // internal nodes with a leaf that can be expanded, ascending
    std::array<std::unordered_map<Key, InfosetId>, kNumPlayers> infosets_;
    std::unordered_map<Key, Key> before_;
    Children buffer_;
};

}  // namespace murk::search
