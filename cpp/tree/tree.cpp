#include "tree/tree.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "tree/flat_map.h"

namespace murk {
namespace {

constexpr double kChanceTolerance = 1e-9;

// Enough digits to see what is wrong with a sum that is almost 1.
std::string digits(double number) {
    char text[32];
    std::snprintf(text, sizeof text, "%.12g", number);
    return text;
}

std::string at_node(NodeId node) { return " at node " + std::to_string(node); }

// Infosets may outnumber nodes only through add_infoset(); two tables of the tree's own capacity are ample.
std::size_t table_capacity(std::size_t nodes) { return nodes + 1; }

std::size_t checked_capacity(std::size_t nodes) {
    if (nodes == 0 || nodes > Tree::kMaxNodes)
        throw TreeError(TreeError::kTooLarge, kNone, 0,
                        "a tree holds between 1 and " + std::to_string(Tree::kMaxNodes) + " nodes, asked for " +
                            std::to_string(nodes));
    return nodes;
}

}  // namespace

InfosetTable::InfosetTable(std::size_t capacity)
    : parent_sequence(table_capacity(capacity)),
      first_sequence(table_capacity(capacity)),
      num_actions(table_capacity(capacity)),
      sequence_infoset(table_capacity(2 * capacity)) {
    sequence_infoset.push_back(kNone);
}

Tree::Tree(std::size_t capacity)
    : parent_(checked_capacity(capacity)),
      first_child_(capacity),
      num_children_(capacity),
      player_(capacity),
      action_(capacity),
      chance_reach_(capacity),
      utility_(capacity),
      infoset_{StableArray<InfosetId>(capacity), StableArray<InfosetId>(capacity)},
      sequence_{StableArray<SequenceId>(capacity), StableArray<SequenceId>(capacity)},
      infosets_{InfosetTable(capacity), InfosetTable(capacity)} {}

std::size_t Tree::bytes_per_node() {
    return 2 * sizeof(NodeId) + sizeof(std::int32_t) + sizeof(std::uint8_t) + sizeof(std::int64_t) +
           2 * sizeof(double) + kNumPlayers * (sizeof(InfosetId) + sizeof(SequenceId));
}

std::size_t Tree::bytes() const {
    std::size_t total = size() * bytes_per_node();
    for (const InfosetTable& table : infosets_)
        total += (3 * table.size() + table.num_sequences()) * sizeof(std::int32_t);
    return total;
}

NodeId Tree::add_root(double utility) {
    if (size() != 0) throw TreeError(TreeError::kShape, kNone, 0, "the tree already has a root");
    if (!std::isfinite(utility))
        throw TreeError(TreeError::kUtility, kNone, 0, "the root's utility is not a finite number");
    parent_.push_back(kNone);
    first_child_.push_back(kNone);
    num_children_.push_back(0);
    player_.push_back(kTerminal);
    action_.push_back(kNone);
    chance_reach_.push_back(1.0);
    utility_.push_back(utility);
    for (int p = 0; p < kNumPlayers; ++p) {
        infoset_[p].push_back(kNone);
        sequence_[p].push_back(0);
    }
    ++revision_;
    return 0;
}

InfosetId Tree::add_infoset(int player, SequenceId parent_sequence, std::int32_t num_actions) {
    InfosetTable& table = infosets_[player];
    if (parent_sequence < 0 || static_cast<std::size_t>(parent_sequence) >= table.num_sequences())
        throw TreeError(TreeError::kShape, player, parent_sequence,
                        "an infoset's parent sequence must exist, got " + std::to_string(parent_sequence));
    if (num_actions < 0)
        throw TreeError(TreeError::kShape, player, num_actions,
                        "an infoset cannot have " + std::to_string(num_actions) + " actions");
    const std::size_t sequences = table.num_sequences() + static_cast<std::size_t>(num_actions);
    if (table.size() == table.parent_sequence.capacity() || sequences > table.sequence_infoset.capacity() ||
        sequences > static_cast<std::size_t>(std::numeric_limits<SequenceId>::max()))
        throw TreeError(TreeError::kTooLarge, player, num_actions,
                        "the tree has no room for an infoset of " + std::to_string(num_actions) + " actions");
    const auto id = static_cast<InfosetId>(table.size());
    table.parent_sequence.push_back(parent_sequence);
    table.num_actions.push_back(num_actions);
    table.first_sequence.push_back(num_actions > 0 ? static_cast<SequenceId>(table.num_sequences()) : kNone);
    for (std::int32_t a = 0; a < num_actions; ++a) table.sequence_infoset.push_back(id);
    ++revision_;
    return id;
}

void Tree::check_infoset(int p, int actor, InfosetId infoset, NodeId node, std::size_t num_actions) const {
    const InfosetTable& table = infosets_[p];
    if (infoset < 0 || static_cast<std::size_t>(infoset) >= table.size())
        throw TreeError(TreeError::kShape, p, node, "unknown infoset " + std::to_string(infoset) + at_node(node));
    if (table.parent_sequence[infoset] != sequence_[p][node])
        throw TreeError(TreeError::kRecall, p, infoset,
                        "an infoset's nodes must share their player's sequence" + at_node(node));
    const auto expected = actor == p ? static_cast<std::int32_t>(num_actions) : 0;
    if (table.num_actions[infoset] != expected)
        throw TreeError(TreeError::kActionCount, p, infoset,
                        "an infoset's nodes must have the same number of actions" + at_node(node));
}

NodeId Tree::expand(NodeId node, int player, std::array<InfosetId, kNumPlayers> infosets,
                    std::span<const std::int64_t> actions, std::span<const double> probabilities,
                    std::span<const double> utilities) {
    const std::size_t count = actions.size();
    if (node < 0 || static_cast<std::size_t>(node) >= size() || num_children_[node] != 0)
        throw TreeError(TreeError::kShape, kNone, node,
                        "only a leaf can be expanded, got node " + std::to_string(node));
    if (player < kMax || player > kNature || count == 0)
        throw TreeError(TreeError::kShape, kNone, node,
                        "an internal node needs a player and at least one action" + at_node(node));
    if (utilities.size() != count || (player == kNature && probabilities.size() != count))
        throw TreeError(TreeError::kShape, kNone, node,
                        "one utility (and probability) is needed for each action" + at_node(node));
    if (size() + count > capacity())
        throw TreeError(TreeError::kTooLarge, kNone, node,
                        "the tree is full: " + std::to_string(capacity()) + " nodes");
    double total = 0.0;
    for (std::size_t a = 0; a < count; ++a) {
        if (!std::isfinite(utilities[a]))
            throw TreeError(TreeError::kUtility, kNone, node, "a payoff is not a finite number" + at_node(node));
        if (player != kNature) continue;
        if (!(probabilities[a] >= 0.0))
            throw TreeError(TreeError::kChance, kNone, node,
                            "a chance probability is negative or not a number" + at_node(node));
        total += probabilities[a];
    }
    if (player == kNature && !(std::abs(total - 1.0) <= kChanceTolerance))
        throw TreeError(TreeError::kChance, kNone, node,
                        "chance probabilities sum to " + digits(total) + ", not to 1," + at_node(node));
    for (int p = 0; p < kNumPlayers; ++p) check_infoset(p, player, infosets[p], node, count);

    const auto first = static_cast<NodeId>(size());
    const std::size_t end = size() + count;
    parent_.resize(end);
    first_child_.resize(end);
    num_children_.resize(end);
    player_.resize(end);
    action_.resize(end);
    chance_reach_.resize(end);
    utility_.resize(end);
    for (int p = 0; p < kNumPlayers; ++p) {
        infoset_[p].resize(end);
        sequence_[p].resize(end);
    }
    for (std::size_t a = 0; a < count; ++a) {
        const auto h = static_cast<NodeId>(first + a);
        parent_[h] = node;
        first_child_[h] = kNone;
        player_[h] = kTerminal;
        action_[h] = actions[a];
        chance_reach_[h] = player == kNature ? chance_reach_[node] * probabilities[a] : chance_reach_[node];
        utility_[h] = utilities[a];
        for (int p = 0; p < kNumPlayers; ++p) {
            infoset_[p][h] = kNone;
            sequence_[p][h] = p == player ? infosets_[p].first_sequence[infosets[p]] + static_cast<SequenceId>(a)
                                          : sequence_[p][node];
        }
    }
    for (int p = 0; p < kNumPlayers; ++p) infoset_[p][node] = infosets[p];
    utility_[node] = 0.0;
    player_[node] = static_cast<std::uint8_t>(player);
    first_child_[node] = first;
    num_children_[node] = static_cast<std::int32_t>(count);
    ++revision_;
    return first;
}

void Tree::set_utility(NodeId h, double value) {
    if (h < 0 || static_cast<std::size_t>(h) >= size() || player_[h] != kTerminal)
        throw TreeError(TreeError::kShape, kNone, h, "only a leaf has a utility, got node " + std::to_string(h));
    if (!std::isfinite(value))
        throw TreeError(TreeError::kUtility, kNone, h, "a payoff is not a finite number" + at_node(h));
    utility_[h] = value;
    ++revision_;
}

void Tree::add_extra(int p, SequenceId sequence, double payoff) {
    if (sequence < 0 || static_cast<std::size_t>(sequence) >= infosets_[p].num_sequences())
        throw TreeError(TreeError::kShape, p, sequence, "extra payoff on unknown sequence " + std::to_string(sequence));
    if (!std::isfinite(payoff))
        throw TreeError(TreeError::kUtility, p, sequence,
                        "the extra payoff on sequence " + std::to_string(sequence) + " is not a finite number");
    extra_[p].emplace_back(sequence, payoff);
    ++revision_;
}

namespace {

void check_shape(const TreeArrays& in) {
    const std::size_t n = in.parent.size();
    if (n == 0) throw TreeError(TreeError::kShape, kNone, 0, "a tree needs at least one node");
    if (in.player.size() != n || in.action.size() != n || in.chance.size() != n || in.utility.size() != n ||
        in.infoset[0].size() != n || in.infoset[1].size() != n)
        throw TreeError(TreeError::kShape, kNone, 0, "the arrays of a tree must have one entry for each of its nodes");
    if (in.parent[0] != kNone) throw TreeError(TreeError::kShape, kNone, 0, "node 0 must be the root");
    for (std::size_t h = 0; h < n; ++h) {
        const auto id = static_cast<NodeId>(h);
        if (in.player[h] > kTerminal) throw TreeError(TreeError::kShape, kNone, id, "unknown player" + at_node(id));
        if (h > 0 && (in.parent[h] < 0 || static_cast<std::size_t>(in.parent[h]) >= h))
            throw TreeError(TreeError::kShape, kNone, id, "a parent must come before its children" + at_node(id));
        if (in.player[h] == kTerminal && !std::isfinite(in.utility[h]))
            throw TreeError(TreeError::kUtility, kNone, id, "the payoff is not a finite number" + at_node(id));
    }
}

// Walks the nodes in order and hands out infoset numbers: one for each label where its player acts, one for
// each (label, own sequence) where she does not, so that recall is perfect at such nodes whatever the labels
// say.
class InfosetNumbering {
  public:
    InfosetNumbering(Tree& tree, int player) : tree_(tree), player_(player) {}

    InfosetId acting(std::int32_t label, NodeId node, std::span<const std::int64_t> actions) {
        const auto num_actions = static_cast<std::int32_t>(actions.size());
        InfosetId& id = acting_[static_cast<std::uint32_t>(label)];
        const SequenceId sequence = tree_.sequence(player_, node);
        if (id == kNone) {
            id = tree_.add_infoset(player_, sequence, num_actions);
            actions_.push_back(actions.data());
            labels.push_back(label);
            return id;
        }
        const InfosetTable& table = tree_.infosets(player_);
        if (table.num_actions[id] != num_actions)
            throw TreeError(TreeError::kActionCount, player_, label,
                            "an infoset's nodes must have the same number of actions" + at_node(node));
        if (!std::equal(actions.begin(), actions.end(), actions_[id]))
            throw TreeError(TreeError::kActionCount, player_, label,
                            "an infoset's nodes must have the same actions in the same order" + at_node(node));
        if (table.parent_sequence[id] == sequence) return id;
        const bool repeated = is_prefix(id, sequence);
        throw TreeError(repeated ? TreeError::kAbsentMinded : TreeError::kRecall, player_, label,
                        repeated ? "an infoset is met twice on one path" + at_node(node)
                                 : "an infoset's nodes have different histories of their own player" + at_node(node));
    }

    InfosetId watching(std::int32_t label, NodeId node) {
        const SequenceId sequence = tree_.sequence(player_, node);
        const std::uint64_t key = (static_cast<std::uint64_t>(static_cast<std::uint32_t>(label)) << 32) |
                                  static_cast<std::uint32_t>(sequence);
        InfosetId& id = watching_[key];
        if (id == kNone) {
            id = tree_.add_infoset(player_, sequence, 0);
            actions_.push_back(nullptr);
            labels.push_back(label);
        }
        return id;
    }

    std::vector<std::int32_t> labels;

  private:
    bool is_prefix(InfosetId infoset, SequenceId sequence) const {
        const InfosetTable& table = tree_.infosets(player_);
        while (sequence != 0) {
            const InfosetId at = table.sequence_infoset[sequence];
            if (at == infoset) return true;
            sequence = table.parent_sequence[at];
        }
        return false;
    }

    Tree& tree_;
    int player_;
    std::vector<const std::int64_t*> actions_;  // of the first node of each infoset
    FlatMap acting_;
    FlatMap watching_;
};

}  // namespace

// Expands every node in order of its first child, so that nodes keep their numbers.
template <class InfosetsAt>
void Tree::replay(const TreeArrays& in, InfosetsAt&& infosets_at) {
    const std::size_t n = in.parent.size();
    std::vector<NodeId> first(n, kNone);
    std::vector<std::int32_t> count(n, 0);
    std::vector<NodeId> order;
    for (std::size_t h = 1; h < n; ++h) {
        const NodeId up = in.parent[h];
        const auto id = static_cast<NodeId>(h);
        if (count[up]++ == 0) {
            first[up] = id;
            order.push_back(up);
        }
        if (first[up] + count[up] - 1 != id)
            throw TreeError(TreeError::kShape, kNone, id, "siblings must be side by side" + at_node(id));
        if (in.player[up] == kTerminal)
            throw TreeError(TreeError::kShape, kNone, up, "a terminal node has children" + at_node(up));
    }
    for (std::size_t h = 0; h < n; ++h)
        if (in.player[h] != kTerminal && count[h] == 0)
            throw TreeError(TreeError::kShape, kNone, static_cast<std::int64_t>(h),
                            "an internal node has no children" + at_node(static_cast<NodeId>(h)));
    std::vector<double> utility;
    for (const NodeId h : order) {
        const std::int32_t k = count[h];
        const auto actions = in.action.subspan(first[h], k);
        const std::array<InfosetId, kNumPlayers> infosets = infosets_at(h, actions);
        utility.resize(k);
        for (std::int32_t a = 0; a < k; ++a) {
            const NodeId c = first[h] + a;
            utility[a] = in.player[c] == kTerminal ? in.utility[c] : 0.0;
        }
        expand(h, in.player[h], infosets, actions, in.chance.subspan(first[h], k), utility);
    }
}

Tree Tree::from_arrays(const TreeArrays& in) {
    check_shape(in);
    Tree tree(in.parent.size());
    tree.add_root(in.player[0] == kTerminal ? in.utility[0] : 0.0);
    InfosetNumbering numbering[kNumPlayers] = {{tree, kMax}, {tree, kMin}};
    tree.replay(in, [&](NodeId h, std::span<const std::int64_t> actions) {
        std::array<InfosetId, kNumPlayers> infosets{};
        for (int p = 0; p < kNumPlayers; ++p) {
            const std::int32_t label = in.infoset[p][h];
            infosets[p] = in.player[h] == p ? numbering[p].acting(label, h, actions) : numbering[p].watching(label, h);
        }
        return infosets;
    });
    for (int p = 0; p < kNumPlayers; ++p) tree.labels_[p] = std::move(numbering[p].labels);
    return tree;
}

Tree Tree::restore(const TreeArrays& in, const std::array<TableArrays, kNumPlayers>& tables,
                   std::span<const double> reach) {
    check_shape(in);
    const std::size_t n = in.parent.size();
    if (reach.size() != n)
        throw TreeError(TreeError::kShape, kNone, 0, "the arrays of a tree must have one entry for each of its nodes");
    std::size_t capacity = n;
    for (const TableArrays& table : tables) {
        if (table.parent_sequence.size() != table.num_actions.size())
            throw TreeError(TreeError::kShape, kNone, 0,
                            "the arrays of an infoset table must have one entry for each infoset");
        std::size_t sequences = 0;
        for (const std::int32_t actions : table.num_actions)
            sequences += actions > 0 ? static_cast<std::size_t>(actions) : 0;
        if (sequences > kMaxNodes)
            throw TreeError(TreeError::kTooLarge, kNone, 0, "a table of infosets has too many sequences");
        capacity = std::max({capacity, table.parent_sequence.size(), sequences});
    }
    Tree tree(capacity);
    tree.add_root(in.player[0] == kTerminal ? in.utility[0] : 0.0);
    for (int p = 0; p < kNumPlayers; ++p)
        for (std::size_t i = 0; i < tables[p].parent_sequence.size(); ++i)
            tree.add_infoset(p, tables[p].parent_sequence[i], tables[p].num_actions[i]);
    tree.replay(in, [&](NodeId h, std::span<const std::int64_t>) {
        return std::array<InfosetId, kNumPlayers>{in.infoset[0][h], in.infoset[1][h]};
    });
    for (std::size_t h = 0; h < n; ++h) {
        if (!(reach[h] >= 0.0 && std::abs(reach[h] - tree.chance_reach_[h]) <= kChanceTolerance))
            throw TreeError(TreeError::kChance, kNone, static_cast<std::int64_t>(h),
                            "the chance reach is wrong" + at_node(static_cast<NodeId>(h)));
        tree.chance_reach_[h] = reach[h];
    }
    return tree;
}

}  // namespace murk
