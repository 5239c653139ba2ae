// One player's infosets and sequences, laid out for the kernels.
//
// Infosets are grouped by depth and number of actions, and stored action by action, so that one instruction
// serves eight infosets. Within a group, infosets that meet the same opponent infosets stand together: that
// is what makes the payoff matrix fall into dense little blocks.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "solve/aligned.h"
#include "solve/kernels.h"
#include "tree/tree.h"

namespace murk {

// The position of no infoset: nobody writes there.
constexpr std::int32_t kNowhere = 0;

struct Treeplex {
    Treeplex(const Tree& tree, int player);

    std::size_t num_sequences = 0;           // in the tree's numbering
    std::size_t size = 0;                    // length of a kernel vector over sequences, padding included
    std::size_t num_positions = 0;           // length of a kernel vector over infosets, padding included
    std::vector<std::int32_t> to_kernel;     // sequence -> kernel index
    std::vector<std::int32_t> from_kernel;   // kernel index -> sequence; padding repeats the empty one
    std::vector<std::int32_t> position;      // infoset -> position, kNone if the player does not act there
    std::vector<InfosetId> infoset_at;       // position -> infoset, kNone for padding
    std::vector<std::int32_t> component_at;  // position -> the public situation it belongs to
    std::vector<std::int32_t> parent;        // position -> kernel index of the parent sequence (0 for padding)
    std::vector<kernels::Group> groups;      // top-down
    std::vector<std::size_t> level;          // groups of depth d are level[d] .. level[d + 1]
    std::vector<kernels::Branch> branches;   // sequences with child infosets, alone or by the line, top-down
    std::vector<std::size_t> branch_level;   // branches of depth d (0: the empty sequence) likewise
    std::vector<std::int32_t> children;      // positions, as listed by branches

    std::size_t depth() const { return level.size() - 1; }

    // Behaviour probabilities that are uniform at every infoset, in kernel order; 1 on the empty sequence and
    // on padding.
    void uniform(double* strategy) const;
    void gather(const double* by_sequence, double* kernel) const;
    void scatter(const double* kernel, double* by_sequence) const;

  private:
    // Whether the positions ascend by one; a gap may stand at padding, whose value is 0 as well.
    bool consecutive(const std::array<std::int32_t, kLanes>& row) const;
    void list_children(const InfosetTable& table, std::span<const std::int32_t> depth_of);
};

}  // namespace murk
