#include "search/trunk.h"

#include <algorithm>
#include <cmath>

namespace murk::search {
namespace {

constexpr std::size_t kRoom = 1024;  // nodes that one expansion may need

}  // namespace

Trunk::Trunk(std::shared_ptr<Game> game, const Seed& root, std::size_t capacity)
    : game_(std::move(game)),
      tree_(capacity),
      state_(capacity),
      keys_(capacity),
      value_(capacity),
      interest_(capacity),
      depth_(capacity) {
    tree_.add_root(root.value);
    add_node(root.state, root.keys, root.value, 0.0f, 0);
    root_nodes_.push_back(0);
}

Trunk::Trunk(std::shared_ptr<Game> game, std::vector<Root> roots, std::size_t capacity)
    : game_(std::move(game)),
      tree_(capacity),
      roots_(std::move(roots)),
      state_(capacity),
      keys_(capacity),
      value_(capacity),
      interest_(capacity),
      depth_(capacity) {
    if (roots_.empty()) throw std::invalid_argument("a gadget needs at least one root");
    tree_.add_root();
    add_node(kNone, {}, 0.0, 0.0f, 0);
    const std::size_t count = roots_.size();
    std::vector<std::int64_t> actions(count);
    std::vector<double> values(count, 0.0);
    for (std::size_t i = 0; i < count; ++i) {
        actions[i] = static_cast<std::int64_t>(i);
        for (std::size_t k = 0; k < roots_[i].seeds.size(); ++k)
            values[i] += roots_[i].probability[k] * roots_[i].seeds[k].value;
    }
    const InfosetId watching = tree_.add_infoset(kMax, 0, 0);
    const InfosetId choosing = tree_.add_infoset(kMin, 0, static_cast<std::int32_t>(count));
    NodeId node = tree_.expand(0, kMin, {watching, choosing}, actions, {}, values);
    for (std::size_t i = 0; i < count; ++i) {
        const Seed& seed = roots_[i].seeds[0];
        const bool alone = roots_[i].seeds.size() == 1;
        add_node(alone ? seed.state : kNone, alone ? seed.keys : Keys{}, values[i], 0.0f, 0);
    }
    for (const Root& root : roots_) {
        if (root.seeds.size() == 1) {
            root_nodes_.push_back(node++);
            continue;
        }
        std::vector<std::int64_t> places(root.seeds.size());
        std::vector<double> member_values(root.seeds.size());
        for (std::size_t k = 0; k < places.size(); ++k) {
            places[k] = static_cast<std::int64_t>(k);
            member_values[k] = root.seeds[k].value;
        }
        const std::array<InfosetId, kNumPlayers> unseen{tree_.add_infoset(kMax, 0, 0),
                                                        tree_.add_infoset(kMin, tree_.sequence(kMin, node), 0)};
        NodeId member = tree_.expand(node++, kNature, unseen, places, root.probability, member_values);
        for (const Seed& seed : root.seeds) {
            add_node(seed.state, seed.keys, seed.value, 0.0f, 0);
            root_nodes_.push_back(member++);
        }
    }
    for (std::size_t i = 0; i < count; ++i) tree_.add_extra(kMin, static_cast<SequenceId>(i + 1), -roots_[i].alternate);
}

void Trunk::add_node(StateId state, const Keys& keys, double value, float interest, int depth) {
    state_.push_back(state);
    keys_.push_back(keys);
    value_.push_back(value);
    interest_.push_back(interest);
    depth_.push_back(static_cast<std::int16_t>(depth));
    max_depth_ = std::max(max_depth_, depth);
}

std::size_t Trunk::bytes() const {
    const std::size_t node = sizeof(StateId) + sizeof(Keys) + sizeof(double) + sizeof(float) + sizeof(std::int16_t);
    std::size_t total = tree_.bytes() + tree_.size() * node + open_.size() * sizeof(NodeId);
    for (const auto& table : infosets_) total += table.size() * 4 * sizeof(Key);
    return total + before_.size() * 4 * sizeof(Key);
}

InfosetId Trunk::find_infoset(int player, Key key) const {
    const auto found = infosets_[player].find(key);
    return found == infosets_[player].end() ? kNone : found->second;
}

InfosetId Trunk::infoset(int player, Key key, SequenceId parent, std::int32_t actions) {
    const auto [entry, is_new] = infosets_[player].try_emplace(key, kNone);
    if (is_new) entry->second = tree_.add_infoset(player, parent, actions);
    return entry->second;
}

void Trunk::expand(NodeId h) {
    buffer_.clear();
    game_->expand(state_[h], keys_[h], buffer_);
    add_nodes(h, buffer_);
}

void Trunk::add_nodes(NodeId h, const Children& children) {
    const auto actions = static_cast<std::int32_t>(children.size());
    std::array<InfosetId, kNumPlayers> infosets;
    for (int p = 0; p < kNumPlayers; ++p)
        infosets[p] = infoset(p, keys_[h][p], tree_.sequence(p, h), p == children.player ? actions : 0);
    const NodeId up = tree_.parent(h);
    if (up != kNone && state_[up] != kNone && keys_[up][kMin] != keys_[h][kMin])
        set_opponent_before(keys_[h][kMin], keys_[up][kMin]);
    tree_.expand(h, children.player, infosets, children.action, children.probability, children.value);
    bool open = false;
    for (std::size_t a = 0; a < children.size(); ++a) {
        add_node(children.state[a], {children.key[0][a], children.key[1][a]}, children.value[a], children.interest[a],
                 depth_[h] + 1);
        open |= children.state[a] != kNone;
    }
    if (open) open_.push_back(h);
}

bool Trunk::expand_roots(std::chrono::steady_clock::time_point deadline, const std::function<bool()>& stop) {
    bool any = false;
    for (const NodeId h : root_nodes_) {
        if (is_frontier(h)) {
            if (any && (std::chrono::steady_clock::now() >= deadline || (stop && stop()))) return false;
            expand(h);
        }
        any = true;
    }
    return true;
}

Trunk::Choice Trunk::choose(std::span<const double> x, std::span<const double> y, const GrowOptions& options) const {
    const auto reached = [&](int p, NodeId h) {
        const auto s = static_cast<std::size_t>(tree_.sequence(p, h));
        const auto& strategy = p == kMax ? x : y;
        return s < strategy.size() && strategy[s] > 0.0;
    };
    Choice choice;
    if (root_nodes_.size() == 1 && root_nodes_[0] == 0 && is_frontier(0)) choice.by_both.push_back(0);
    for (const NodeId h : open_) {
        const bool ours = reached(kMax, h), theirs = reached(kMin, h);
        if (!ours && !theirs) continue;
        const NodeId first = tree_.first_child(h);
        NodeId best = kNone;
        for (NodeId c = first; c < first + tree_.num_children(h); ++c) {
            if (!is_frontier(c)) continue;
            const bool we_reach = reached(kMax, c), they_reach = reached(kMin, c);
            if (!we_reach && !they_reach) continue;  // Alg. 4, l. 50: neither player wants to come here
            if (we_reach && they_reach) {
                choice.by_both.push_back(c);
            } else if (depth_[c] > options.depth) {
                choice.waiting = true;
            } else if (options.rule == Expansion::kPseudocode && ours && theirs) {
                choice.others.push_back(c);
            } else if (best == kNone || interest_[c] > interest_[best]) {
                best = c;
            }
        }
        if (best != kNone) choice.others.push_back(best);
    }
    return choice;
}

Growth Trunk::grow(std::span<const double> x, std::span<const double> y, const GrowOptions& options) {
    const Choice choice = choose(x, y, options);
    Growth growth;
    growth.waiting = choice.waiting;
    // What both players reach comes first, so that a limit cuts off the rest.
    for (const std::vector<NodeId>* nodes : {&choice.by_both, &choice.others}) {
        for (const NodeId h : *nodes) {
            growth.stopped = growth.stopped || tree_.size() >= options.nodes ||
                             tree_.capacity() - tree_.size() < kRoom ||
                             std::chrono::steady_clock::now() >= options.deadline || (options.stop && options.stop());
            if (growth.stopped) break;
            expand(h);
            ++growth.expanded;
        }
    }
    std::erase_if(open_, [&](NodeId h) {
        const NodeId first = tree_.first_child(h);
        for (NodeId c = first; c < first + tree_.num_children(h); ++c)
            if (is_frontier(c)) return false;
        return true;
    });
    std::sort(open_.begin(), open_.end());
    return growth;
}

std::vector<double> Trunk::next_observation_entropy() const {
    std::vector<double> entropy;
    std::vector<std::unordered_map<Key, std::size_t>> counts;
    std::size_t total = 0;
    for (const NodeId h : root_nodes_) {
        if (tree_.num_children(h) == 0) continue;
        ++total;
        counts.resize(std::max<std::size_t>(counts.size(), static_cast<std::size_t>(tree_.num_children(h))));
        for (std::int32_t a = 0; a < tree_.num_children(h); ++a)
            ++counts[static_cast<std::size_t>(a)][keys_[tree_.first_child(h) + a][kMax]];
    }
    for (const auto& seen : counts) {
        // Summed in a fixed order: that of a hash table is nobody's promise.
        std::vector<std::size_t> sizes;
        for (const auto& [key, count] : seen) sizes.push_back(count);
        std::sort(sizes.begin(), sizes.end());
        double bits = 0.0;
        for (const std::size_t count : sizes) {
            const double p = static_cast<double>(count) / static_cast<double>(total);
            bits -= p * std::log2(p);
        }
        entropy.push_back(bits);
    }
    return entropy;
}

std::vector<double> Trunk::extend(int player, std::span<const double> strategy, std::span<const double> other) const {
    const InfosetTable& table = tree_.infosets(player);
    std::vector<double> out(strategy.begin(), strategy.end());
    if (out.size() >= table.num_sequences()) return out;
    const double sign = player == kMax ? 1.0 : -1.0;
    const auto old = static_cast<SequenceId>(out.size());
    std::vector<double> worth(table.num_sequences(), 0.0);
    for (std::size_t h = 1; h < tree_.size(); ++h) {
        const auto node = static_cast<NodeId>(h);
        const NodeId up = tree_.parent(node);
        if (tree_.player(up) != player || tree_.sequence(player, node) < old) continue;
        const auto s = static_cast<std::size_t>(tree_.sequence(1 - player, node));
        const double reach = s < other.size() ? other[s] : 0.0;
        worth[tree_.sequence(player, node)] += sign * (reach + 1e-6) * tree_.chance_reach(node) * value_[h];
    }
    out.resize(table.num_sequences(), 0.0);
    for (std::size_t i = 0; i < table.size(); ++i) {
        const SequenceId first = table.first_sequence[i];
        if (table.num_actions[i] == 0 || first < old) continue;
        SequenceId best = first;
        for (SequenceId s = first; s < first + table.num_actions[i]; ++s)
            if (worth[s] > worth[best]) best = s;
        out[best] = out[table.parent_sequence[i]];
    }
    return out;
}

void Trunk::graft(const Trunk& from, std::vector<std::pair<NodeId, NodeId>> queue, std::vector<StateId>& states,
                  std::size_t limit) {
    Children children;
    for (std::size_t next = 0; next < queue.size() && tree_.size() < limit; ++next) {
        const auto [old_node, new_node] = queue[next];
        const std::int32_t count = from.tree_.num_children(old_node);
        if (count == 0) continue;
        children.clear();
        children.player = from.tree_.player(old_node);
        const NodeId first = from.tree_.first_child(old_node);
        const double reach = from.tree_.chance_reach(old_node);
        for (NodeId c = first; c < first + count; ++c) {
            children.action.push_back(from.tree_.action(c));
            if (children.player == kNature) children.probability.push_back(from.tree_.chance_reach(c) / reach);
            children.value.push_back(from.value_[c]);
            children.interest.push_back(from.interest_[c]);
            if (from.state_[c] == kNone) {
                children.state.push_back(kNone);
            } else {
                children.state.push_back(static_cast<StateId>(states.size()));
                states.push_back(from.state_[c]);
            }
            for (int p = 0; p < kNumPlayers; ++p) children.key[p].push_back(from.keys_[c][p]);
        }
        add_nodes(new_node, children);
        const NodeId first_new = tree_.first_child(new_node);
        for (std::int32_t a = 0; a < count; ++a) queue.emplace_back(first + a, first_new + a);
    }
}

}  // namespace murk::search
