// The one game tree: flat, append-only arrays, parents before children, siblings side by side.
//
// A forward sweep over node numbers is top-down and a backward sweep bottom-up, for a finished game and for a
// search that is still growing. Both players have an infoset at every internal node, whether they act there
// or not; sequences (Section 2 of [ZS21]) are numbered so that a prefix comes before what extends it, 0 being
// the empty sequence.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tree/stable_array.h"

namespace murk {

using NodeId = std::int32_t;
using InfosetId = std::int32_t;
using SequenceId = std::int32_t;

enum Player : std::uint8_t { kMax = 0, kMin = 1, kNature = 2, kTerminal = 3 };
inline constexpr int kNumPlayers = 2;
inline constexpr std::int32_t kNone = -1;

// What is wrong with a tree that was handed in. `subject` is the caller's own infoset label or a node number.
class TreeError : public std::invalid_argument {
  public:
    enum Kind { kShape, kChance, kUtility, kActionCount, kRecall, kAbsentMinded, kTooLarge };
    TreeError(Kind kind, int player, std::int64_t subject, const std::string& text)
        : std::invalid_argument(text), kind(kind), player(player), subject(subject) {}
    Kind kind;
    int player;
    std::int64_t subject;
};

// One player's infosets and sequences. `num_actions` is 0 and `first_sequence` kNone where the player does
// not act.
struct InfosetTable {
    explicit InfosetTable(std::size_t capacity);
    std::size_t size() const { return parent_sequence.size(); }
    std::size_t num_sequences() const { return sequence_infoset.size(); }

    StableArray<SequenceId> parent_sequence;
    StableArray<SequenceId> first_sequence;
    StableArray<std::int32_t> num_actions;
    StableArray<InfosetId> sequence_infoset;  // kNone for the empty sequence
};

// The raw description of a finished tree, as builders and files give it.
struct TreeArrays {
    std::span<const std::int32_t> parent;
    std::span<const std::uint8_t> player;
    std::span<const std::int64_t> action;
    std::span<const double> chance;   // nature's probability of the edge from the parent, 1 elsewhere
    std::span<const double> utility;  // MAX's payoff at terminal nodes
    std::array<std::span<const std::int32_t>, kNumPlayers> infoset;  // any labels; ignored at terminal nodes
};

// One player's infosets as a file gives them.
struct TableArrays {
    std::span<const SequenceId> parent_sequence;
    std::span<const std::int32_t> num_actions;
};

class Tree {
  public:
    static constexpr std::size_t kMaxNodes = std::size_t{1} << 30;

    // `capacity` is the number of nodes the tree may ever hold: address space, not memory.
    explicit Tree(std::size_t capacity = kMaxNodes);

    // Builds and checks a whole tree. Throws TreeError.
    static Tree from_arrays(const TreeArrays& in);
    // The same from a tree's own arrays: infosets keep their numbers, `reach` is the chance reach of each
    // node, to the bit.
    static Tree restore(const TreeArrays& in, const std::array<TableArrays, kNumPlayers>& tables,
                        std::span<const double> reach);

    std::size_t size() const { return parent_.size(); }
    std::size_t capacity() const { return parent_.capacity(); }
    static std::size_t bytes_per_node();
    std::size_t bytes() const;

    // Growing. A node starts as a leaf with a utility; expand() makes it internal and appends its children as
    // leaves.
    NodeId add_root(double utility = 0.0);
    InfosetId add_infoset(int player, SequenceId parent_sequence, std::int32_t num_actions);
    NodeId expand(NodeId node, int player, std::array<InfosetId, kNumPlayers> infosets,
                  std::span<const std::int64_t> actions, std::span<const double> probabilities,
                  std::span<const double> utilities);

    NodeId parent(NodeId h) const { return parent_[h]; }
    NodeId first_child(NodeId h) const { return first_child_[h]; }
    std::int32_t num_children(NodeId h) const { return num_children_[h]; }
    int player(NodeId h) const { return player_[h]; }
    std::int64_t action(NodeId h) const { return action_[h]; }
    double chance_reach(NodeId h) const { return chance_reach_[h]; }
    double utility(NodeId h) const { return utility_[h]; }
    void set_utility(NodeId h, double value);
    InfosetId infoset(int p, NodeId h) const { return infoset_[p][h]; }
    SequenceId sequence(int p, NodeId h) const { return sequence_[p][h]; }
    const InfosetTable& infosets(int p) const { return infosets_[p]; }
    // The builder's own label of each infoset made by from_arrays(); infosets added later have none.
    const std::vector<std::int32_t>& infoset_labels(int p) const { return labels_[p]; }

    // The extra payoff matrix B of Appendix C: extra(kMin) is its row at MAX's empty sequence (alternate
    // values, folded-away nodes), extra(kMax) its column at MIN's empty sequence. Entries are (sequence,
    // MAX's payoff) and add up.
    const std::vector<std::pair<SequenceId, double>>& extra(int p) const { return extra_[p]; }
    void add_extra(int p, SequenceId sequence, double payoff);
    void clear_extra(int p) {
        extra_[p].clear();
        ++revision_;
    }

    // Rises with every change, so that what was derived from the tree knows when it is stale.
    std::uint64_t revision() const { return revision_; }

    const StableArray<NodeId>& parents() const { return parent_; }
    const StableArray<NodeId>& first_children() const { return first_child_; }
    const StableArray<std::int32_t>& child_counts() const { return num_children_; }
    const StableArray<std::uint8_t>& players() const { return player_; }
    const StableArray<std::int64_t>& actions() const { return action_; }
    const StableArray<double>& chance_reaches() const { return chance_reach_; }
    const StableArray<double>& utilities() const { return utility_; }
    const StableArray<InfosetId>& infosets_of(int p) const { return infoset_[p]; }
    const StableArray<SequenceId>& sequences_of(int p) const { return sequence_[p]; }

  private:
    template <class InfosetsAt>
    void replay(const TreeArrays& in, InfosetsAt&& infosets_at);
    void check_infoset(int p, int actor, InfosetId infoset, NodeId node, std::size_t num_actions) const;

    StableArray<NodeId> parent_;
    StableArray<NodeId> first_child_;
    StableArray<std::int32_t> num_children_;
    StableArray<std::uint8_t> player_;
    StableArray<std::int64_t> action_;
    StableArray<double> chance_reach_;
    StableArray<double> utility_;
    std::array<StableArray<InfosetId>, kNumPlayers> infoset_;
    std::array<StableArray<SequenceId>, kNumPlayers> sequence_;
    std::array<InfosetTable, kNumPlayers> infosets_;
    std::array<std::vector<std::pair<SequenceId, double>>, kNumPlayers> extra_;
    std::array<std::vector<std::int32_t>, kNumPlayers> labels_;
    std::uint64_t revision_ = 0;
};

}  // namespace murk
