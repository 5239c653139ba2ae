#include "search/report.h"

#include <algorithm>

namespace murk::search {

Response respond(const Trunk& trunk, std::span<const double> x) {
    const Tree& tree = trunk.tree();
    const InfosetTable& table = tree.infosets(kMin);
    Response r{std::vector<double>(table.num_sequences(), 0.0), std::vector<double>(table.size(), 0.0),
               std::vector<double>(table.size(), 0.0)};
    for (const auto& [t, payoff] : tree.extra(kMin)) r.q[t] += payoff;
    for (std::size_t i = 0; i < tree.size(); ++i) {
        const auto h = static_cast<NodeId>(i);
        const double reach = tree.chance_reach(h) * x[tree.sequence(kMax, h)];
        if (tree.num_children(h) == 0)
            r.q[tree.sequence(kMin, h)] += reach * tree.utility(h);
        else
            r.reach[tree.infoset(kMin, h)] += reach;
    }
    for (std::size_t k = table.size(); k-- > 0;) {
        if (table.num_actions[k] == 0) continue;
        const auto first = r.q.begin() + table.first_sequence[k];
        r.value[k] = *std::min_element(first, first + table.num_actions[k]);
        r.q[table.parent_sequence[k]] += r.value[k];
    }
    return r;
}

std::vector<double> margins(const Trunk& trunk, std::span<const double> x) {
    const Response r = respond(trunk, x);
    const auto first = r.q.begin() + 1;
    return {first, first + static_cast<std::ptrdiff_t>(trunk.roots().size())};
}

std::vector<double> worth(const Trunk& trunk, std::span<const double> x, std::span<const double> y) {
    const Tree& tree = trunk.tree();
    std::vector<double> out(tree.size(), 0.0);
    for (std::size_t i = tree.size(); i-- > 0;) {
        const auto h = static_cast<NodeId>(i);
        if (tree.num_children(h) == 0)
            out[i] = tree.chance_reach(h) * x[tree.sequence(kMax, h)] * y[tree.sequence(kMin, h)] * tree.utility(h);
        if (i > 0) out[tree.parent(h)] += out[i];
    }
    return out;
}

std::vector<double> action_values(const Trunk& trunk, std::span<const double> x, std::span<const double> y) {
    const Tree& tree = trunk.tree();
    std::vector<double> total;
    const std::vector<double> paid = worth(trunk, x, y);
    double entered = 0.0;
    for (const NodeId h : trunk.root_nodes()) entered += tree.chance_reach(h) * y[tree.sequence(kMin, h)];
    double all = 0.0;
    for (const NodeId h : trunk.root_nodes()) {
        const auto count = static_cast<std::size_t>(tree.num_children(h));
        if (count == 0) continue;
        total.resize(std::max(total.size(), count), 0.0);
        const double weight = tree.chance_reach(h) * (entered > 0.0 ? y[tree.sequence(kMin, h)] : 1.0);
        all += weight;
        for (std::size_t a = 0; a < count; ++a) {
            const auto c = static_cast<NodeId>(tree.first_child(h) + static_cast<NodeId>(a));
            const double played = x[tree.sequence(kMax, c)];
            total[a] += entered > 0.0 && played > 0.0 ? paid[c] / played : weight * trunk.value(c);
        }
    }
    if (all > 0.0)
        for (double& v : total) v /= all;
    return total;
}

}  // namespace murk::search
