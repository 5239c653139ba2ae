// The infoset hypergraph and order-k knowledge sets (Section 3 of [ZS21]).
//
// Vertices are the internal nodes, hyperedges the infosets of both players. A player has a hyperedge at a node only if
// she acts there or below: what she knows after her last move can matter to nobody.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "tree/tree.h"

namespace murk {

class Hypergraph {
  public:
    static constexpr std::int32_t kUnbounded = std::numeric_limits<std::int32_t>::max();

    explicit Hypergraph(const Tree& tree);

    // The nodes of one of the player's infosets, whether it is a hyperedge or not.
    std::span<const NodeId> nodes(int player, InfosetId infoset) const;
    bool is_edge(int player, InfosetId infoset) const { return edge_[player][infoset] != 0; }

    // Every node at most `radius` hyperedges away from `start`, ascending. Radius k - 1 round an infoset is the order-k
    // set.
    std::vector<NodeId> ball(std::span<const NodeId> start, std::int32_t radius) const;

    // A component number for each node (kNone at terminal nodes): the common-knowledge closures.
    std::vector<std::int32_t> components() const;

    // Sizes of balls of radius 1, 2, ... round every decision node: their mean over nodes, until no ball grows any
    // more. The number of entries is the diameter of the hypergraph, the last entry the mean size of the closure.
    std::vector<double> mean_ball_sizes() const;

  private:
    // A search that remembers what it has visited between calls without clearing it each time.
    struct Visited;
    template <class OnRadius>
    void search(std::span<const NodeId> start, std::int32_t radius, Visited& visited, OnRadius&& on_radius) const;

    const Tree& tree_;
    std::array<std::vector<std::int64_t>, kNumPlayers> start_;
    std::array<std::vector<NodeId>, kNumPlayers> members_;
    std::array<std::vector<std::uint8_t>, kNumPlayers> edge_;
};

}  // namespace murk
