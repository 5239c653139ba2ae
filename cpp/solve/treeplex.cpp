#include "solve/treeplex.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <tuple>

namespace murk {
namespace {

class DisjointSets {
  public:
    explicit DisjointSets(std::size_t n) : up_(n) { std::iota(up_.begin(), up_.end(), 0); }
    std::int32_t find(std::int32_t i) {
        while (up_[i] != i) i = up_[i] = up_[up_[i]];
        return i;
    }
    // The smaller number stays the representative, so that components are ordered by their first member.
    void unite(std::int32_t a, std::int32_t b) {
        a = find(a);
        b = find(b);
        if (a < b) std::swap(a, b);
        up_[a] = b;
    }

  private:
    std::vector<std::int32_t> up_;
};

// Which of the player's infosets belong to one public situation: linked through opponent infosets where she
// acts.
std::vector<std::int32_t> public_situations(const Tree& tree, int player) {
    const std::size_t own = tree.infosets(player).size();
    const std::size_t other = tree.infosets(1 - player).size();
    DisjointSets sets(own + other);
    for (std::size_t h = 0; h < tree.size(); ++h) {
        const auto node = static_cast<NodeId>(h);
        if (tree.player(node) != player) continue;
        sets.unite(tree.infoset(player, node), static_cast<std::int32_t>(own) + tree.infoset(1 - player, node));
    }
    std::vector<std::int32_t> component(own);
    for (std::size_t i = 0; i < own; ++i) component[i] = sets.find(static_cast<std::int32_t>(i));
    return component;
}

}  // namespace

Treeplex::Treeplex(const Tree& tree, int player) {
    const InfosetTable& table = tree.infosets(player);
    num_sequences = table.num_sequences();
    to_kernel.assign(num_sequences, 0);
    position.assign(table.size(), kNone);

    std::vector<std::int32_t> depth_of(table.size(), 0);
    std::vector<InfosetId> acting;
    for (std::size_t i = 0; i < table.size(); ++i) {
        if (table.num_actions[i] == 0) continue;
        const SequenceId up = table.parent_sequence[i];
        depth_of[i] = up == 0 ? 0 : depth_of[table.sequence_infoset[up]] + 1;
        acting.push_back(static_cast<InfosetId>(i));
    }
    const std::vector<std::int32_t> component = public_situations(tree, player);
    std::sort(acting.begin(), acting.end(), [&](InfosetId a, InfosetId b) {
        return std::tuple(depth_of[a], table.num_actions[a], component[a], a) <
               std::tuple(depth_of[b], table.num_actions[b], component[b], b);
    });

    size = kLanes;           // the empty sequence has a line of its own
    num_positions = kLanes;  // and so have infosets that do not exist, at kNowhere: their value stays 0
    level.push_back(0);
    for (std::size_t begin = 0; begin < acting.size();) {
        const InfosetId lead = acting[begin];
        std::size_t end = begin;
        while (end < acting.size() && depth_of[acting[end]] == depth_of[lead] &&
               table.num_actions[acting[end]] == table.num_actions[lead])
            ++end;
        while (level.size() <= static_cast<std::size_t>(depth_of[lead])) level.push_back(groups.size());
        kernels::Group group{};
        group.actions = table.num_actions[lead];
        group.slots = static_cast<std::int32_t>(end - begin);
        group.stride = static_cast<std::int64_t>(round_up(end - begin));
        group.base = static_cast<std::int64_t>(size);
        group.infoset = static_cast<std::int64_t>(num_positions);
        for (std::size_t i = begin; i < end; ++i) {
            const InfosetId infoset = acting[i];
            const auto slot = static_cast<std::int64_t>(i - begin);
            position[infoset] = static_cast<std::int32_t>(group.infoset + slot);
            for (std::int32_t a = 0; a < group.actions; ++a)
                to_kernel[table.first_sequence[infoset] + a] =
                    static_cast<std::int32_t>(group.base + a * group.stride + slot);
        }
        size += static_cast<std::size_t>(group.actions * group.stride);
        num_positions += static_cast<std::size_t>(group.stride);
        groups.push_back(group);
        begin = end;
    }
    level.push_back(groups.size());

    from_kernel.assign(size, 0);
    for (std::size_t s = 0; s < num_sequences; ++s) from_kernel[to_kernel[s]] = static_cast<std::int32_t>(s);
    infoset_at.assign(num_positions, kNone);
    component_at.assign(num_positions, kNone);
    parent.assign(num_positions, 0);
    for (const InfosetId i : acting) {
        infoset_at[position[i]] = i;
        component_at[position[i]] = component[i];
        parent[position[i]] = to_kernel[table.parent_sequence[i]];
    }

    list_children(table, depth_of);
}

void Treeplex::list_children(const InfosetTable& table, std::span<const std::int32_t> depth_of) {
    // In order of position, so that every variant and thread count adds them alike.
    std::vector<std::vector<std::int32_t>> below(size);
    for (std::size_t at = 0; at < num_positions; ++at)
        if (infoset_at[at] != kNone) below[parent[at]].push_back(static_cast<std::int32_t>(at));
    struct Listed {
        std::size_t level;
        std::size_t first;
        std::size_t width;
        std::vector<std::int32_t> consecutive;
        std::vector<std::int32_t> scattered;
        auto shape() const { return std::tuple(level, width, consecutive.size(), scattered.size()); }
    };
    std::vector<Listed> order;
    for (std::size_t line = 0; line < size; line += kLanes) {
        std::size_t rows = 0;
        std::size_t total = 0;
        for (std::size_t k = line; k < line + kLanes; ++k) {
            rows = std::max(rows, below[k].size());
            total += below[k].size();
        }
        if (total == 0) continue;
        const InfosetId infoset = line == 0 ? kNone : table.sequence_infoset[from_kernel[line]];
        const std::size_t at = infoset == kNone ? 0 : static_cast<std::size_t>(depth_of[infoset]) + 1;
        // A line that would be mostly gaps is cheaper one sequence at a time.
        if (2 * total < kLanes * rows) {
            for (std::size_t k = line; k < line + kLanes; ++k)
                if (!below[k].empty()) order.push_back({at, k, 1, {}, below[k]});
            continue;
        }
        Listed& listed = order.emplace_back(at, line, kLanes);
        for (std::size_t r = 0; r < rows; ++r) {
            std::array<std::int32_t, kLanes> row;
            for (std::size_t k = 0; k < kLanes; ++k)
                row[k] = r < below[line + k].size() ? below[line + k][r] : kNowhere;
            if (consecutive(row)) {
                listed.consecutive.push_back(row[0]);
            } else {
                listed.scattered.insert(listed.scattered.end(), row.begin(), row.end());
            }
        }
    }
    // Those with equally many children stand together, so that the processor can foresee how many there are.
    std::stable_sort(order.begin(), order.end(),
                     [](const Listed& a, const Listed& b) { return a.shape() < b.shape(); });
    branch_level.assign(depth() + 2, 0);
    auto append = [&](const std::vector<std::int32_t>& positions) {
        children.insert(children.end(), positions.begin(), positions.end());
        return static_cast<std::int32_t>(children.size());
    };
    for (const Listed& listed : order) {
        kernels::Branch& branch = branches.emplace_back();
        branch.sequence = static_cast<std::int32_t>(listed.first);
        branch.width = static_cast<std::int32_t>(listed.width);
        branch.begin = static_cast<std::int32_t>(children.size());
        branch.scattered = append(listed.consecutive);
        branch.end = append(listed.scattered);
        ++branch_level[listed.level + 1];
    }
    std::partial_sum(branch_level.begin(), branch_level.end(), branch_level.begin());
}

bool Treeplex::consecutive(const std::array<std::int32_t, kLanes>& row) const {
    for (std::size_t k = 0; k < kLanes; ++k) {
        const std::size_t at = static_cast<std::size_t>(row[0]) + k;
        const bool gap = row[k] == kNowhere && at < num_positions && infoset_at[at] == kNone;
        if (row[k] != static_cast<std::int32_t>(at) && !gap) return false;
    }
    return true;
}

void Treeplex::uniform(double* strategy) const {
    std::fill(strategy, strategy + size, 1.0);
    for (const kernels::Group& group : groups)
        std::fill(strategy + group.base, strategy + group.base + group.actions * group.stride, 1.0 / group.actions);
}

void Treeplex::gather(const double* by_sequence, double* kernel) const {
    for (std::size_t k = 0; k < size; ++k) kernel[k] = by_sequence[from_kernel[k]];
}

void Treeplex::scatter(const double* kernel, double* by_sequence) const {
    for (std::size_t s = 0; s < num_sequences; ++s) by_sequence[s] = kernel[to_kernel[s]];
}

}  // namespace murk
