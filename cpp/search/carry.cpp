#include "search/carry.h"

#include <algorithm>
#include <random>
#include <unordered_set>

#include "search/report.h"

namespace murk::search {
namespace {

// For every infoset of the opponent's by number: its key, 0 for the gadget's own.
std::vector<Key> keys_by_infoset(const Trunk& trunk) {
    std::vector<Key> keys(trunk.tree().infosets(kMin).size(), 0);
    for (const auto& [key, infoset] : trunk.infosets(kMin)) keys[infoset] = key;
    return keys;
}

// Which of some infosets of the opponent's another one lies below.
class Ancestry {
  public:
    Ancestry(const Trunk& trunk, const std::vector<Meeting>& meetings) : before_(trunk.opponent_before()) {
        for (std::size_t j = 0; j < meetings.size(); ++j) place_[meetings[j].key] = static_cast<std::int32_t>(j);
    }
    std::int32_t meeting_above(Key key) {
        std::vector<Key> path;
        std::int32_t found = kNone;
        while (true) {
            const auto known = place_.find(key);
            if (known != place_.end()) {
                found = known->second;
                break;
            }
            path.push_back(key);
            const auto up = before_.find(key);
            if (up == before_.end()) break;
            key = up->second;
        }
        for (const Key k : path) place_.emplace(k, found);
        return found;
    }

  private:
    const std::unordered_map<Key, Key>& before_;
    std::unordered_map<Key, std::int32_t> place_;
};

// What leaves below `h` pay before the opponent acts again.
double value_before_action(const Tree& tree, NodeId h, std::span<const double> x) {
    double total = 0.0;
    std::vector<NodeId> stack{h};
    while (!stack.empty()) {
        const NodeId node = stack.back();
        stack.pop_back();
        const std::int32_t count = tree.num_children(node);
        if (count == 0)
            total += tree.chance_reach(node) * x[tree.sequence(kMax, node)] * tree.utility(node);
        else if (tree.player(node) != kMin)
            for (std::int32_t a = 0; a < count; ++a) stack.push_back(tree.first_child(node) + a);
    }
    return total;
}

// The sum over the opponent's choices on the way to sequence t of what they lost.
double gift_of(const Trunk& trunk, const Response& response, SequenceId t, const CarryOptions& options) {
    const InfosetTable& table = trunk.tree().infosets(kMin);
    double gift = 0.0;
    while (t != 0) {
        const InfosetId k = table.sequence_infoset[t];
        const bool gadget = trunk.has_gadget() && k == 0;
        if (gadget) {
            const double base = options.resolve ? std::min(0.0, response.q[t]) : response.value[k];
            if (options.root_gifts) gift += std::max(0.0, response.q[t] - base);
        } else if (response.reach[k] > 0.0) {
            gift += std::max(0.0, (response.q[t] - response.value[k]) / response.reach[k]);
        }
        t = table.parent_sequence[k];
    }
    return gift;
}

// What a profile is worth at the nodes of I', or against a best response if the opponent never comes there.
double profile_value(const Trunk& trunk, const std::vector<Meeting>& meetings, std::span<const double> x,
                     std::span<const double> y) {
    const Tree& tree = trunk.tree();
    const std::vector<double> paid = worth(trunk, x, y);
    double total = 0.0, reach = 0.0, response = 0.0, all = 0.0;
    for (const Meeting& m : meetings) {
        for (const NodeId h : m.inside) {
            total += paid[h];
            reach += tree.chance_reach(h) * x[tree.sequence(kMax, h)] * y[tree.sequence(kMin, h)];
        }
        response += m.value;
        all += m.reach;
    }
    return reach > 1e-9 ? total / reach : response / all;
}

// Alg. 1, l. 10-14: of transpositions one stays, whichever is met first in a shuffled order. Then the limit.
void choose(const Trunk& trunk, std::vector<Meeting>& meetings, const CarryOptions& options) {
    std::vector<std::size_t> order(meetings.size());
    for (std::size_t j = 0; j < order.size(); ++j) order[j] = j;
    std::mt19937_64 random(options.seed);
    for (std::size_t j = order.size(); j > 1; --j) std::swap(order[j - 1], order[random() % j]);
    if (options.merge) {
        std::unordered_set<Key> met;
        std::erase_if(order, [&](std::size_t j) {
            bool stays = false;
            for (const NodeId h : meetings[j].inside)
                stays |= met.insert(trunk.game().transposition(trunk.state(h))).second;
            return !stays;
        });
    }
    if (order.size() > options.limit) {
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return meetings[a].likely > meetings[b].likely; });
        order.resize(options.limit);
    }
    std::sort(order.begin(), order.end());
    std::vector<Meeting> kept;
    kept.reserve(order.size());
    for (const std::size_t j : order) kept.push_back(std::move(meetings[j]));
    meetings = std::move(kept);
}

// Writes what is folded away of one meeting into extra payoffs of the new trunk.
class Folding {
  public:
    Folding(const Trunk& old, Trunk& fresh, const Meeting& meeting, SequenceId entry, std::span<const double> x,
            const std::vector<Key>& keys)
        : old_(old), fresh_(fresh), meeting_(meeting), x_(x), keys_(keys) {
        sequence_[old.tree().sequence(kMin, meeting.inside[0])] = entry;
    }

    void fold_outside() {
        const Tree& tree = old_.tree();
        for (const NodeId root : meeting_.outside) {
            std::vector<NodeId> stack{root};
            while (!stack.empty()) {
                const NodeId h = stack.back();
                stack.pop_back();
                const double ours = x_[tree.sequence(kMax, h)];
                if (ours <= 0.0) continue;
                const std::int32_t count = tree.num_children(h);
                if (count == 0) {
                    const double payoff = ours * tree.chance_reach(h) * tree.utility(h) / meeting_.inside_reach;
                    fresh_.tree().add_extra(kMin, sequence(tree.sequence(kMin, h)), payoff);
                    continue;
                }
                for (std::int32_t a = 0; a < count; ++a) stack.push_back(tree.first_child(h) + a);
            }
        }
    }

    void fold_extra(SequenceId t, double payoff) {
        fresh_.tree().add_extra(kMin, sequence(t), payoff / meeting_.inside_reach);
    }

  private:
    // The new trunk's number of an old sequence below the meeting; its infosets are made as needed.
    SequenceId sequence(SequenceId t) {
        const auto known = sequence_.find(t);
        if (known != sequence_.end()) return known->second;
        const InfosetTable& table = old_.tree().infosets(kMin);
        const InfosetId k = table.sequence_infoset[t];
        const SequenceId parent = sequence(table.parent_sequence[k]);
        const InfosetId fresh = fresh_.infoset(kMin, keys_[k], parent, table.num_actions[k]);
        for (Key key = keys_[k];;) {
            const auto up = old_.opponent_before().find(key);
            if (up == old_.opponent_before().end()) break;
            fresh_.set_opponent_before(key, up->second);
            key = up->second;
            if (key == meeting_.key) break;
        }
        const SequenceId first = fresh_.tree().infosets(kMin).first_sequence[fresh];
        for (std::int32_t a = 0; a < table.num_actions[k]; ++a) sequence_[table.first_sequence[k] + a] = first + a;
        return sequence_.at(t);
    }

    const Trunk& old_;
    Trunk& fresh_;
    const Meeting& meeting_;
    std::span<const double> x_;
    std::unordered_map<SequenceId, SequenceId> sequence_;
    const std::vector<Key>& keys_;
};

using Places = std::unordered_map<Key, std::size_t>;  // of the opponent's infosets among the meetings

// The nodes of I' that our strategy comes to, by the opponent's infosets they lie in.
Places find_inside(const Trunk& old, std::span<const double> x, CarryPlan& plan) {
    const Tree& tree = old.tree();
    Places places;
    for (std::size_t i = 0; i < tree.size(); ++i) {
        const auto h = static_cast<NodeId>(i);
        if (old.state(h) == kNone || old.keys(h)[kMax] != plan.ours) continue;
        if (!(tree.chance_reach(h) * x[tree.sequence(kMax, h)] > 0.0)) continue;
        ++plan.found;
        const auto [place, is_new] = places.try_emplace(old.keys(h)[kMin], plan.meetings.size());
        if (is_new) plan.meetings.emplace_back().key = old.keys(h)[kMin];
        plan.meetings[place->second].inside.push_back(h);
    }
    return places;
}

// Where the opponent may learn nothing for a while, J has nodes below nodes of its own: those above nodes of I'.
std::unordered_set<NodeId> above_inside(const Trunk& old, const std::vector<Meeting>& meetings) {
    std::unordered_set<NodeId> above;
    for (const Meeting& m : meetings)
        for (const NodeId h : m.inside)
            for (NodeId up = old.tree().parent(h); up != kNone && old.keys(up)[kMin] == m.key;
                 up = old.tree().parent(up))
                above.insert(up);
    return above;
}

// Goes through all nodes of each J. The uppermost stand for those below them, except above a node of I'.
void gather(const Trunk& old, std::span<const double> x, const Places& places, CarryPlan& plan) {
    const Tree& tree = old.tree();
    const std::unordered_set<NodeId> above = above_inside(old, plan.meetings);
    for (std::size_t i = 0; i < tree.size(); ++i) {
        const auto h = static_cast<NodeId>(i);
        if (old.state(h) == kNone || above.contains(h)) continue;
        const auto place = places.find(old.keys(h)[kMin]);
        if (place == places.end()) continue;
        const NodeId up = tree.parent(h);
        if (up != kNone && old.keys(up)[kMin] == place->first && !above.contains(up)) continue;
        Meeting& m = plan.meetings[place->second];
        const double reach = tree.chance_reach(h) * x[tree.sequence(kMax, h)];
        m.reach += reach;
        m.value += value_before_action(tree, h, x);
        if (old.keys(h)[kMax] == plan.ours)
            m.inside_reach += reach;
        else
            m.outside.push_back(h);
    }
}

// Adds to the value of each J what the opponent's best responses at her next infosets below it are worth.
void add_responses(const Trunk& old, const Response& response, std::vector<Meeting>& meetings) {
    const Tree& tree = old.tree();
    const std::vector<Key> keys = keys_by_infoset(old);
    const InfosetTable& table = tree.infosets(kMin);
    Ancestry ancestry(old, meetings);
    for (std::size_t k = 0; k < table.size(); ++k) {
        if (table.num_actions[k] == 0 || keys[k] == 0) continue;
        const std::int32_t j = ancestry.meeting_above(keys[k]);
        if (j == kNone) continue;
        Meeting& m = meetings[static_cast<std::size_t>(j)];
        if (table.parent_sequence[k] == tree.sequence(kMin, m.inside[0])) m.value += response.value[k];
    }
}

// The roots of the new trunk; seeds refer to their states by the place in `states`.
std::vector<Root> make_roots(const Trunk& old, const CarryPlan& plan, std::span<const double> x, std::vector<Root> lost,
                             std::vector<StateId>& states) {
    const Tree& tree = old.tree();
    std::vector<Root> roots;
    for (const Meeting& m : plan.meetings) {
        Root root;
        root.carried = true;
        root.alternate = m.alternate();
        for (const NodeId h : m.inside) {
            root.seeds.push_back({static_cast<StateId>(states.size()), old.keys(h), old.value(h)});
            root.probability.push_back(tree.chance_reach(h) * x[tree.sequence(kMax, h)] / m.inside_reach);
            states.push_back(old.state(h));
        }
        roots.push_back(std::move(root));
    }
    for (Root& root : lost) {
        for (Seed& seed : root.seeds) {
            states.push_back(seed.state);
            seed.state = static_cast<StateId>(states.size() - 1);
        }
        roots.push_back(std::move(root));
    }
    return roots;
}

// Writes everything that is not in the new trunk into extra payoffs of the opponent's.
void fold(const Trunk& old, const CarryPlan& plan, std::span<const double> x, Trunk& fresh) {
    const std::vector<Key> keys = keys_by_infoset(old);
    Ancestry ancestry(old, plan.meetings);
    std::vector<Folding> foldings;
    foldings.reserve(plan.meetings.size());
    for (std::size_t j = 0; j < plan.meetings.size(); ++j) {
        foldings.emplace_back(old, fresh, plan.meetings[j], static_cast<SequenceId>(j + 1), x, keys);
        foldings.back().fold_outside();
    }
    for (const auto& [t, payoff] : old.tree().extra(kMin)) {
        const InfosetId k = t == 0 ? kNone : old.tree().infosets(kMin).sequence_infoset[t];
        if (k == kNone || keys[k] == 0) continue;
        const std::int32_t j = ancestry.meeting_above(keys[k]);
        if (j != kNone) foldings[static_cast<std::size_t>(j)].fold_extra(t, payoff);
    }
}

}  // namespace

CarryPlan plan_carry(const Trunk& old, Key ours, std::span<const double> x, std::span<const double> y,
                     const CarryOptions& options) {
    CarryPlan plan;
    plan.ours = ours;
    plan.options = options;
    const Places places = find_inside(old, x, plan);
    if (plan.meetings.empty()) return plan;
    gather(old, x, places, plan);
    const Response response = respond(old, x);
    add_responses(old, response, plan.meetings);
    for (Meeting& m : plan.meetings) {
        const SequenceId t = old.tree().sequence(kMin, m.inside[0]);
        if (options.reach) m.gift = gift_of(old, response, t, options);
        m.likely = y[t];
    }
    plan.value = profile_value(old, plan.meetings, x, y);
    choose(old, plan.meetings, options);
    return plan;
}

std::unique_ptr<Trunk> carry(const Trunk& old, const CarryPlan& plan, std::span<const double> x, std::vector<Root> lost,
                             std::size_t capacity, std::size_t limit) {
    std::vector<StateId> states;
    std::vector<Root> roots = make_roots(old, plan, x, std::move(lost), states);
    auto fresh = std::make_unique<Trunk>(old.game_pointer(), std::move(roots), capacity);
    std::vector<std::pair<NodeId, NodeId>> pairs;
    for (const Meeting& m : plan.meetings)
        for (const NodeId h : m.inside) pairs.emplace_back(h, fresh->root_nodes()[pairs.size()]);
    fresh->graft(old, std::move(pairs), states, limit);
    fold(old, plan, x, *fresh);
    fresh->game().keep(states);
    return fresh;
}

}  // namespace murk::search
