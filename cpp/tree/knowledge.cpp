#include "tree/knowledge.h"

#include <algorithm>
#include <map>

namespace murk {

struct Hypergraph::Visited {
    explicit Visited(const Hypergraph& graph) : node(graph.tree_.size(), 0) {
        for (int p = 0; p < kNumPlayers; ++p) edge[p].assign(graph.edge_[p].size(), 0);
    }
    std::vector<std::uint32_t> node;
    std::array<std::vector<std::uint32_t>, kNumPlayers> edge;
    std::uint32_t stamp = 0;
    std::vector<NodeId> found;
};

Hypergraph::Hypergraph(const Tree& tree) : tree_(tree) {
    const std::size_t n = tree.size();
    std::array<std::vector<std::uint8_t>, kNumPlayers> acts_below;
    for (int p = 0; p < kNumPlayers; ++p) {
        const std::size_t infosets = tree.infosets(p).size();
        acts_below[p].assign(n, 0);
        for (std::size_t h = n; h-- > 0;) {
            const auto node = static_cast<NodeId>(h);
            if (tree.player(node) == p) acts_below[p][h] = 1;
            if (acts_below[p][h] && tree.parent(node) != kNone) acts_below[p][tree.parent(node)] = 1;
        }
        start_[p].assign(infosets + 1, 0);
        edge_[p].assign(infosets, 0);
        for (std::size_t h = 0; h < n; ++h) {
            const InfosetId i = tree.infoset(p, static_cast<NodeId>(h));
            if (i == kNone) continue;
            ++start_[p][i + 1];
            if (acts_below[p][h]) edge_[p][i] = 1;
        }
        for (std::size_t i = 0; i < infosets; ++i) start_[p][i + 1] += start_[p][i];
        members_[p].resize(static_cast<std::size_t>(start_[p][infosets]));
        std::vector<std::int64_t> next(start_[p].begin(), start_[p].end() - 1);
        for (std::size_t h = 0; h < n; ++h) {
            const auto node = static_cast<NodeId>(h);
            if (tree.infoset(p, node) != kNone) members_[p][next[tree.infoset(p, node)]++] = node;
        }
    }
}

std::span<const NodeId> Hypergraph::nodes(int player, InfosetId infoset) const {
    const std::vector<std::int64_t>& start = start_[player];
    return std::span(members_[player]).subspan(start[infoset], start[infoset + 1] - start[infoset]);
}

// Breadth-first over hyperedges. on_radius(r, size) is called for r = 1, 2, ... as long as the ball still grows.
template <class OnRadius>
void Hypergraph::search(std::span<const NodeId> start, std::int32_t radius, Visited& visited,
                        OnRadius&& on_radius) const {
    ++visited.stamp;
    std::vector<NodeId>& found = visited.found;
    found.clear();
    for (const NodeId h : start) {
        if (visited.node[h] == visited.stamp) continue;
        visited.node[h] = visited.stamp;
        found.push_back(h);
    }
    std::size_t frontier = 0;
    for (std::int32_t r = 1; r <= radius; ++r) {
        const std::size_t end = found.size();
        for (std::size_t at = frontier; at < end; ++at) {
            for (int p = 0; p < kNumPlayers; ++p) {
                const InfosetId i = tree_.infoset(p, found[at]);
                if (i == kNone || !edge_[p][i] || visited.edge[p][i] == visited.stamp) continue;
                visited.edge[p][i] = visited.stamp;
                for (const NodeId h : nodes(p, i)) {
                    if (visited.node[h] == visited.stamp) continue;
                    visited.node[h] = visited.stamp;
                    found.push_back(h);
                }
            }
        }
        if (found.size() == end) return;
        frontier = end;
        on_radius(r, found.size());
    }
}

std::vector<NodeId> Hypergraph::ball(std::span<const NodeId> start, std::int32_t radius) const {
    Visited visited(*this);
    search(start, radius, visited, [](std::int32_t, std::size_t) {});
    std::vector<NodeId> out = std::move(visited.found);
    std::sort(out.begin(), out.end());
    return out;
}

std::vector<std::int32_t> Hypergraph::components() const {
    std::vector<std::int32_t> component(tree_.size(), kNone);
    Visited visited(*this);
    std::int32_t count = 0;
    for (std::size_t h = 0; h < tree_.size(); ++h) {
        const auto node = static_cast<NodeId>(h);
        if (component[h] != kNone || tree_.player(node) == kTerminal) continue;
        search(std::span(&node, 1), kUnbounded, visited, [](std::int32_t, std::size_t) {});
        for (const NodeId other : visited.found) component[other] = count;
        ++count;
    }
    return component;
}

std::vector<double> Hypergraph::mean_ball_sizes() const {
    // Nodes that share both infosets have the same balls from radius 1 on.
    std::map<std::pair<InfosetId, InfosetId>, std::pair<NodeId, std::int64_t>> kinds;
    std::int64_t decisions = 0;
    for (std::size_t h = 0; h < tree_.size(); ++h) {
        const auto node = static_cast<NodeId>(h);
        if (tree_.player(node) > kMin) continue;
        ++decisions;
        ++kinds.try_emplace({tree_.infoset(kMax, node), tree_.infoset(kMin, node)}, node, 0).first->second.second;
    }
    std::vector<double>
        grown;  // grown[r - 1]: by how much balls of radius r exceed those of radius r - 1, summed over nodes
    Visited visited(*this);
    for (const auto& [key, kind] : kinds) {
        const auto& [node, count] = kind;
        std::size_t before = 1;
        search(std::span(&node, 1), kUnbounded, visited, [&](std::int32_t r, std::size_t size) {
            if (grown.size() < static_cast<std::size_t>(r)) grown.resize(r, 0.0);
            grown[r - 1] += static_cast<double>(count) * static_cast<double>(size - before);
            before = size;
        });
    }
    double total = static_cast<double>(decisions);
    std::vector<double> mean;
    for (const double g : grown) {
        total += g;
        mean.push_back(total / static_cast<double>(std::max<std::int64_t>(decisions, 1)));
    }
    return mean;
}

}  // namespace murk
