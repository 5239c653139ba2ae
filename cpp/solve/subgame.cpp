#include "solve/subgame.h"

#include <algorithm>
#include <unordered_map>

namespace murk {
namespace {

class Builder {
  public:
    Builder(const Tree& game, const Hypergraph& graph, int we, const double* strategy, const BestResponse& response,
            std::span<const NodeId> inside)
        : game_(game),
          graph_(graph),
          we_(we),
          they_(1 - we),
          strategy_(strategy),
          response_(response),
          is_inside_(game.size(), 0),
          out_(2 * game.size() + 4) {
        for (const NodeId h : inside) is_inside_[h] = 1;
        for (int p = 0; p < kNumPlayers; ++p) new_infoset_[p].assign(game.infosets(p).size(), kNone);
        const InfosetTable& table = game.infosets(they_);
        has_nodes_.assign(table.size(), 0);
        below_.resize(table.num_sequences());
        for (std::size_t i = 0; i < table.size(); ++i) {
            has_nodes_[i] = !graph.nodes(they_, static_cast<InfosetId>(i)).empty();
            if (table.num_actions[i] > 0) below_[table.parent_sequence[i]].push_back(static_cast<InfosetId>(i));
        }
        extra_.assign(table.num_sequences(), 0.0);
        for (const auto& [sequence, payoff] : game.extra(they_)) extra_[sequence] += payoff;
    }

    Subgame build(std::span<const NodeId> inside, std::span<const double> gifts, std::span<const std::uint8_t> skip) {
        collect_roots(inside, skip);
        const auto count = static_cast<std::int32_t>(roots_.size());
        Tree& tree = out_.tree;
        tree.add_root();
        out_.nodes.push_back(kNone);
        if (count == 0) return std::move(out_);
        // Alg. 1, l. 8: the root, at which the opponent acts.
        const InfosetId choose = add_infoset(they_, 0, count, kNone);
        const InfosetId wait = add_infoset(we_, 0, 0, kNone);
        std::vector<std::int64_t> labels;
        for (const Root& root : roots_) labels.push_back(root.infoset);
        const NodeId first = tree.expand(0, they_, pair(wait, choose), labels, {}, std::vector<double>(count, 0.0));
        out_.nodes.resize(tree.size(), kNone);
        for (std::int32_t r = 0; r < count; ++r) add_root_infoset(roots_[r], first + r, wait, r, gifts);
        return std::move(out_);
    }

  private:
    struct Root {
        InfosetId infoset;
        double reach;               // D
        std::vector<NodeId> nodes;  // I0 within I^k, topmost nodes only
    };
    struct Copy {
        NodeId from;
        NodeId to;
    };

    std::array<InfosetId, kNumPlayers> pair(InfosetId ours, InfosetId theirs) const {
        return we_ == kMax ? std::array{ours, theirs} : std::array{theirs, ours};
    }

    InfosetId add_infoset(int player, SequenceId parent, std::int32_t actions, InfosetId original) {
        const InfosetId id = out_.tree.add_infoset(player, parent, actions);
        out_.infosets[player].push_back(original);
        return id;
    }

    bool inside_above(NodeId h) const {
        for (NodeId up = game_.parent(h); up != kNone; up = game_.parent(up))
            if (is_inside_[up]) return true;
        return false;
    }

    // l. 9: the opponent's infosets that meet I^k, and D of each (l. 16).
    void collect_roots(std::span<const NodeId> inside, std::span<const std::uint8_t> skip) {
        std::unordered_map<InfosetId, std::size_t> number;
        for (const NodeId h : inside) {
            const InfosetId i = game_.infoset(they_, h);
            const double reach = game_.chance_reach(h) * strategy_[game_.sequence(we_, h)];
            if (i == kNone || !(reach > 0.0) || inside_above(h) || (!skip.empty() && skip[i])) continue;
            const auto [at, is_new] = number.try_emplace(i, roots_.size());
            if (is_new) roots_.push_back({i, 0.0, {}});
            roots_[at->second].reach += reach;
            roots_[at->second].nodes.push_back(h);
        }
    }

    void add_root_infoset(const Root& root, NodeId nature, InfosetId wait, std::int32_t action,
                          std::span<const double> gifts) {
        Tree& tree = out_.tree;
        // l. 15 and 17-20: the nature node and the roots of the subtrees below it.
        const SequenceId chosen = tree.infosets(they_).first_sequence[0] + action;
        std::vector<double> chance;
        std::vector<std::int64_t> labels;
        std::vector<double> utility;
        for (const NodeId h : root.nodes) {
            chance.push_back(game_.chance_reach(h) * strategy_[game_.sequence(we_, h)] / root.reach);
            labels.push_back(h);
            utility.push_back(game_.player(h) == kTerminal ? game_.utility(h) : 0.0);
        }
        const InfosetId watch = add_infoset(they_, chosen, 0, kNone);
        const NodeId first = tree.expand(nature, kNature, pair(wait, watch), labels, chance, utility);
        out_.nodes.insert(out_.nodes.end(), root.nodes.begin(), root.nodes.end());
        anchor_ = game_.infosets(they_).parent_sequence[root.infoset];
        chosen_ = chosen;
        for (std::size_t i = 0; i < root.nodes.size(); ++i) copy_subtree(root.nodes[i], first + static_cast<NodeId>(i));

        // l. 21-23: the alternate value, and with Reach the gift.
        Fold fold = fold_outside(root);
        double value = fold.direct_all;
        for (const InfosetId j : fold.next) value += response_.infoset_value[j];
        double alternate = value / root.reach;
        if (!gifts.empty()) alternate -= gifts[root.infoset] * fold.reach_all / root.reach;
        tree.add_extra(they_, chosen, -alternate);
        // l. 24-25: B of the game, scaled; l. 26-27: terminal nodes after I0 but not after I^k.
        for (const InfosetId j : fold.live) copy_extra(j, root.reach);
        for (const auto& [sequence, payoff] : fold.outside)
            tree.add_extra(they_, new_sequence(sequence), payoff / root.reach);
        out_.roots.push_back(root.infoset);
        out_.reach.push_back(root.reach);
        out_.alternate.push_back(alternate);
    }

    void copy_subtree(NodeId from, NodeId to) {
        std::vector<Copy> stack{{from, to}};
        std::vector<std::int64_t> labels;
        std::vector<double> chance;
        std::vector<double> utility;
        while (!stack.empty()) {
            const Copy c = stack.back();
            stack.pop_back();
            const std::int32_t count = game_.num_children(c.from);
            if (count == 0) continue;
            labels.clear();
            chance.clear();
            utility.clear();
            const double reach = game_.chance_reach(c.from);
            for (std::int32_t a = 0; a < count; ++a) {
                const NodeId child = game_.first_child(c.from) + a;
                labels.push_back(game_.action(child));
                chance.push_back(reach > 0.0 ? game_.chance_reach(child) / reach : 1.0 / count);
                utility.push_back(game_.player(child) == kTerminal ? game_.utility(child) : 0.0);
                out_.nodes.push_back(child);
            }
            normalise(chance, game_.player(c.from));
            const NodeId first = out_.tree.expand(
                c.to, game_.player(c.from), {mapped(kMax, c.from), mapped(kMin, c.from)}, labels, chance, utility);
            for (std::int32_t a = count; a-- > 0;) stack.push_back({game_.first_child(c.from) + a, first + a});
        }
    }

    // Ratios of products of chances are off by rounding.
    static void normalise(std::vector<double>& chance, int player) {
        if (player != kNature) return;
        double total = 0.0;
        for (const double p : chance) total += p;
        for (double& p : chance) p /= total;
    }

    InfosetId mapped(int player, NodeId h) {
        const InfosetId original = game_.infoset(player, h);
        const InfosetTable& table = game_.infosets(player);
        InfosetId& id = new_infoset_[player][original];
        if (id == kNone) {
            const SequenceId up = table.parent_sequence[original];
            const SequenceId parent = player == they_ ? new_sequence(up) : our_sequence(up);
            id = add_infoset(player, parent, table.num_actions[original], original);
        }
        return id;
    }

    // Our sequence in the gadget; what was played before the subgame is forgotten.
    SequenceId our_sequence(SequenceId s) const {
        if (s == 0) return 0;
        const InfosetTable& table = game_.infosets(we_);
        const InfosetId original = table.sequence_infoset[s];
        const InfosetId id = new_infoset_[we_][original];
        return id == kNone ? 0 : out_.tree.infosets(we_).first_sequence[id] + (s - table.first_sequence[original]);
    }

    // The opponent's sequence in the gadget; infosets without a node in it are added on the way.
    SequenceId new_sequence(SequenceId s) {
        if (s == anchor_) return chosen_;
        const InfosetTable& table = game_.infosets(they_);
        const InfosetId original = table.sequence_infoset[s];
        InfosetId& id = new_infoset_[they_][original];
        if (id == kNone) {
            const SequenceId parent = new_sequence(table.parent_sequence[original]);
            new_infoset_[they_][original] = add_infoset(they_, parent, table.num_actions[original], original);
        }
        return out_.tree.infosets(they_).first_sequence[new_infoset_[they_][original]] +
               (s - table.first_sequence[original]);
    }

    struct Fold {
        double direct_all = 0.0;      // payoff after I0 that no further choice of the opponent can change
        double reach_all = 0.0;       // chance and our reach of all of I0
        std::vector<InfosetId> next;  // the opponent's first infosets after I0
        std::vector<InfosetId> live;  // all of them
        std::vector<std::pair<SequenceId, double>> outside;  // payoffs at terminal nodes outside I^k
    };

    Fold fold_outside(const Root& root) {
        Fold fold;
        std::vector<std::uint8_t> seen(game_.infosets(they_).size(), 0);
        std::vector<std::pair<NodeId, bool>> stack;
        for (const NodeId h : graph_.nodes(they_, root.infoset)) {
            if (same_infoset_above(h, root.infoset)) continue;
            fold.reach_all += game_.chance_reach(h) * strategy_[game_.sequence(we_, h)];
            stack.emplace_back(h, is_inside_[h] != 0);
        }
        while (!stack.empty()) {
            const auto [h, inside] = stack.back();
            stack.pop_back();
            if (game_.player(h) == kTerminal) {
                const double payoff = game_.chance_reach(h) * strategy_[game_.sequence(we_, h)] * game_.utility(h);
                if (payoff == 0.0) continue;
                if (game_.sequence(they_, h) == anchor_) fold.direct_all += payoff;
                if (!inside) fold.outside.emplace_back(game_.sequence(they_, h), payoff);
                continue;
            }
            if (game_.player(h) == they_) {
                const InfosetId j = game_.infoset(they_, h);
                if (!seen[j]) {
                    seen[j] = 1;
                    fold.live.push_back(j);
                    if (game_.infosets(they_).parent_sequence[j] == anchor_) fold.next.push_back(j);
                }
            }
            for (std::int32_t a = 0; a < game_.num_children(h); ++a) {
                const NodeId child = game_.first_child(h) + a;
                stack.emplace_back(child, inside || is_inside_[child] != 0);
            }
        }
        std::sort(fold.next.begin(), fold.next.end());
        return fold;
    }

    bool same_infoset_above(NodeId h, InfosetId infoset) const {
        const NodeId up = game_.parent(h);
        return up != kNone && game_.infoset(they_, up) == infoset;
    }

    void copy_extra(InfosetId j, double reach) {
        const InfosetTable& table = game_.infosets(they_);
        for (std::int32_t a = 0; a < table.num_actions[j]; ++a) {
            const SequenceId s = table.first_sequence[j] + a;
            if (extra_[s] != 0.0) out_.tree.add_extra(they_, new_sequence(s), extra_[s] / reach);
            for (const InfosetId next : below_[s])
                if (!has_nodes_[next]) copy_extra(next, reach);
        }
    }

    const Tree& game_;
    const Hypergraph& graph_;
    const int we_;
    const int they_;
    const double* strategy_;
    const BestResponse& response_;
    std::vector<std::uint8_t> is_inside_;
    std::vector<std::uint8_t> has_nodes_;
    std::vector<std::vector<InfosetId>> below_;  // sequence -> the opponent's infosets right after it
    std::vector<double> extra_;
    std::vector<Root> roots_;
    std::array<std::vector<InfosetId>, kNumPlayers> new_infoset_;
    SequenceId anchor_ = 0;  // the sequence of the root infoset at hand, in the game and in the gadget
    SequenceId chosen_ = 0;
    Subgame out_;
};

}  // namespace

Subgame make_subgame(const Tree& game, const Hypergraph& graph, int we, const double* strategy,
                     const BestResponse& best_response, std::span<const NodeId> inside, std::span<const double> gifts,
                     std::span<const std::uint8_t> skip) {
    return Builder(game, graph, we, strategy, best_response, inside).build(inside, gifts, skip);
}

namespace {

// Copies a gadget below a new top. The opponent's infoset 0, which chose at the root, becomes one infoset of two
// actions for each choice.
class Resolve {
  public:
    Resolve(const Tree& gadget, int we)
        : from_(gadget),
          we_(we),
          they_(1 - we),
          count_(gadget.num_children(0)),
          out_(2 * gadget.size() + 4 * count_ + 4) {}

    Tree build() {
        copy_tables();
        out_.add_root();
        const InfosetId wait = from_.infoset(we_, 0);
        const std::vector<double> even(count_, 1.0 / count_);
        std::vector<std::int64_t> labels;
        for (std::int32_t r = 0; r < count_; ++r) labels.push_back(from_.action(1 + r));
        const NodeId first =
            out_.expand(0, kNature, pair(wait, count_), labels, even, std::vector<double>(count_, 0.0));
        const std::vector<std::int64_t> exit_or_play{0, 1};
        const std::vector<double> nothing{0.0, 0.0};
        for (std::int32_t r = 0; r < count_; ++r) {
            const NodeId choice = out_.expand(first + r, they_, pair(wait, r), exit_or_play, {}, nothing);
            copy_below(from_.first_child(0) + r, choice + 1);
        }
        for (int p = 0; p < kNumPlayers; ++p)
            for (const auto& [sequence, payoff] : from_.extra(p))
                out_.add_extra(p, p == they_ ? their_sequence(sequence) : sequence, payoff / count_);
        return std::move(out_);
    }

  private:
    std::array<InfosetId, kNumPlayers> pair(InfosetId ours, InfosetId theirs) const {
        return we_ == kMax ? std::array{ours, theirs} : std::array{theirs, ours};
    }
    SequenceId their_sequence(SequenceId s) const {
        if (s == 0) return 0;
        return s <= count_ ? 2 * s : s + count_;
    }
    InfosetId their_infoset(InfosetId i) const { return i + count_; }

    void copy_tables() {
        const InfosetTable& ours = from_.infosets(we_);
        for (std::size_t i = 0; i < ours.size(); ++i)
            out_.add_infoset(we_, ours.parent_sequence[i], ours.num_actions[i]);
        for (std::int32_t r = 0; r < count_; ++r) out_.add_infoset(they_, 0, 2);
        out_.add_infoset(they_, 0, 0);  // at the root, where she watches
        const InfosetTable& theirs = from_.infosets(they_);
        for (std::size_t i = 1; i < theirs.size(); ++i)
            out_.add_infoset(they_, their_sequence(theirs.parent_sequence[i]), theirs.num_actions[i]);
    }

    void copy_below(NodeId from, NodeId to) {
        std::vector<std::pair<NodeId, NodeId>> stack{{from, to}};
        std::vector<std::int64_t> labels;
        std::vector<double> chance;
        std::vector<double> utility;
        while (!stack.empty()) {
            const auto [source, target] = stack.back();
            stack.pop_back();
            const std::int32_t children = from_.num_children(source);
            if (children == 0) {
                out_.set_utility(target, from_.utility(source));
                continue;
            }
            labels.clear();
            chance.clear();
            double total = 0.0;
            for (std::int32_t a = 0; a < children; ++a) {
                const NodeId child = from_.first_child(source) + a;
                labels.push_back(from_.action(child));
                chance.push_back(from_.chance_reach(source) > 0.0
                                     ? from_.chance_reach(child) / from_.chance_reach(source)
                                     : 1.0 / children);
                total += chance.back();
            }
            if (from_.player(source) == kNature)
                for (double& p : chance) p /= total;
            utility.assign(children, 0.0);
            const auto infosets = pair(from_.infoset(we_, source), their_infoset(from_.infoset(they_, source)));
            const NodeId first = out_.expand(target, from_.player(source), infosets, labels, chance, utility);
            for (std::int32_t a = children; a-- > 0;) stack.emplace_back(from_.first_child(source) + a, first + a);
        }
    }

    const Tree& from_;
    const int we_;
    const int they_;
    const std::int32_t count_;
    Tree out_;
};

}  // namespace

Tree to_resolve(const Tree& gadget, int we) {
    if (gadget.size() == 0 || gadget.player(0) != 1 - we)
        throw TreeError(TreeError::kShape, we, 0, "only a maxmargin gadget can be turned into a resolving one");
    return Resolve(gadget, we).build();
}

}  // namespace murk
