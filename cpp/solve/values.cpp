#include "solve/values.h"

namespace murk {

std::vector<double> infoset_reach(const Tree& tree, int owner, int player, const double* strategy) {
    std::vector<double> reach(tree.infosets(owner).size(), 0.0);
    for (std::size_t h = 0; h < tree.size(); ++h) {
        const auto node = static_cast<NodeId>(h);
        const InfosetId infoset = tree.infoset(owner, node);
        if (infoset != kNone) reach[infoset] += tree.chance_reach(node) * strategy[tree.sequence(player, node)];
    }
    return reach;
}

std::vector<double> node_values(const Tree& tree, const double* behaviour_max, const double* behaviour_min) {
    std::vector<double> value(tree.size(), 0.0);
    for (std::size_t h = tree.size(); h-- > 0;) {
        const auto node = static_cast<NodeId>(h);
        if (tree.player(node) == kTerminal) value[h] = tree.utility(node);
        const NodeId up = tree.parent(node);
        if (up == kNone) continue;
        double weight = 0.0;
        switch (tree.player(up)) {
            case kNature:
                weight = tree.chance_reach(up) > 0.0 ? tree.chance_reach(node) / tree.chance_reach(up)
                                                     : 1.0 / tree.num_children(up);
                break;
            case kMax:
                weight = behaviour_max[tree.sequence(kMax, node)];
                break;
            default:
                weight = behaviour_min[tree.sequence(kMin, node)];
        }
        value[up] += weight * value[h];
    }
    return value;
}

std::vector<std::int32_t> depths(const Tree& tree) {
    std::vector<std::int32_t> depth(tree.size(), 0);
    for (std::size_t h = 1; h < tree.size(); ++h) depth[h] = depth[tree.parent(static_cast<NodeId>(h))] + 1;
    return depth;
}

}  // namespace murk
