// From one move to the next: the part of the old tree that still counts becomes the new subgame (2-KLUSS of [ZS25]).
//
// Kept are the states of our new infoset I, all states the opponent could take for one of them (the order-2 knowledge
// set), and everything below. Nothing is frozen: our own infosets outside I are solved again with the rest. Each
// infoset J of the opponent becomes a way for her to enter, worth what the old profile makes of it, less her gifts.
#pragma once

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include "search/growing/search.h"

namespace murk::growing {

// A state of the old tree that is kept: the entry it hangs on, whether or not it was expanded.
template <class State>
struct Kept {
    RootState<State> root;
    std::int32_t node;    // of the old tree, kNone if it was a leaf there
    std::int32_t parent;  // the opponent's node it comes from
    std::int32_t entry;
    bool ours;  // in I
};

template <Game G>
class Carry {
  public:
    using State = typename G::State;

    // `before` and `now` are our keys where the opponent had to move, and after her move.
    // Without `neighbours` only the states of I are kept (order 1, unfrozen).
    Carry(GrowingSearch<G>& old, Key before, Key now, bool neighbours = true, bool gifts = true)
        : old_(old), tree_(old.tree()), us_(old.us()), them_(1 - old.us()), now_(now) {
        find_infoset(before, now);
        if (neighbours) find_neighbours();
        group(gifts);
    }

    const std::vector<RootGroup<State>>& groups() const { return groups_; }
    // For each group and state of it, the old node or kNone.
    const std::vector<std::vector<std::int32_t>>& origins() const { return origins_; }
    // The states of I that were in the tree.
    std::vector<State> states() const {
        std::vector<State> out;
        for (std::size_t j = 0; j < groups_.size(); ++j)
            for (const RootState<State>& root : groups_[j].states)
                if (root.keys[us_] == now_) out.push_back(root.state);
        return out;
    }

    // The same state of I may have come about in many ways, each a group of its own with the same game below it. Keeps
    // the likeliest groups, each only if it has a state of I that those before it have not, and at most `most` of them.
    // `identity` tells states apart.
    template <class Identity>
    void merge(std::size_t most, Identity&& identity) {
        std::vector<std::size_t> order(groups_.size());
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return groups_[a].prior > groups_[b].prior; });
        std::unordered_map<Key, std::size_t> covered;
        std::vector<RootGroup<State>> groups;
        std::vector<std::vector<std::int32_t>> origins;
        for (const std::size_t j : order) {
            const std::size_t next = groups.size();
            std::size_t first = next;
            bool fresh = false;
            for (const RootState<State>& root : groups_[j].states) {
                if (root.keys[us_] != now_) continue;
                const auto it = covered.find(identity(root.state));
                if (it == covered.end())
                    fresh = true;
                else
                    first = std::min(first, it->second);
            }
            if (fresh && next < most) {
                for (const RootState<State>& root : groups_[j].states)
                    if (root.keys[us_] == now_) covered.try_emplace(identity(root.state), next);
                groups.push_back(std::move(groups_[j]));
                origins.push_back(std::move(origins_[j]));
            } else if (first < next) {
                groups[first].prior += groups_[j].prior;
            }
        }
        groups_ = std::move(groups);
        origins_ = std::move(origins);
    }

  private:
    template <class Wanted>
    void look_below(std::int32_t at, Wanted&& wanted) {
        const NodeEntry<State>& node = tree_.nodes[at];
        const Link& link = tree_.links[at];
        for (std::int32_t a = 0; a < link.actions; ++a) {
            const std::int32_t entry = link.row + a;
            const std::int32_t child = tree_.child[entry];
            if (child == kEnded) continue;
            RootState<State> root{};
            if (child >= 0) {
                root.state = tree_.nodes[child].state;
                root.keys = tree_.nodes[child].keys;
            } else {
                const std::int32_t label = tree_.label[link.first + a];
                root.state = old_.game().child(node.state, label);
                for (int p = 0; p < 2; ++p)
                    root.keys[p] = old_.game().key_after(node.keys[p], p, link.player, label, root.state);
            }
            root.last_action = {kNone, kNone};
            wanted(Kept<State>{root, child >= 0 ? child : kNone, at, entry, false});
        }
    }

    void find_infoset(Key before, Key now) {
        const std::int32_t nodes = tree_.published().nodes;
        for (std::int32_t i = 0; i < nodes; ++i) {
            const Link& link = tree_.links[i];
            if (link.player != them_ || tree_.nodes[i].keys[us_] != before) continue;
            look_below(i, [&](Kept<State> kept) {
                if (kept.root.keys[us_] != now) return;
                kept.ours = true;
                entered_.insert(kept.root.keys[them_]);
                sources_.insert(link.infoset);
                taken_.insert(kept.entry);
                kept_.push_back(kept);
            });
        }
    }

    void find_neighbours() {
        const std::int32_t nodes = tree_.published().nodes;
        for (std::int32_t i = 0; i < nodes; ++i) {
            if (tree_.links[i].player != them_ || sources_.count(tree_.links[i].infoset) == 0) continue;
            look_below(i, [&](const Kept<State>& kept) {
                if (entered_.count(kept.root.keys[them_]) != 0 && taken_.insert(kept.entry).second)
                    kept_.push_back(kept);
            });
        }
    }

    // The place of the opponent's move that led to a state.
    std::int32_t action_of(const Kept<State>& kept) const {
        const Link& parent = tree_.links[kept.parent];
        return parent.first + kept.entry - parent.row;
    }

    // The opponent's probability of having played each of her actions and all that led there, the root's included.
    std::vector<float> own_reach() const {
        const auto size = tree_.published();
        std::vector<float> at_top(static_cast<std::size_t>(size.infosets), 1.0f);
        std::vector<std::int32_t> top(static_cast<std::size_t>(size.nodes));
        for (std::int32_t i = 0; i < size.nodes; ++i) {
            const Link& link = tree_.links[i];
            top[i] = link.parent == kNone ? i : top[link.parent];
            at_top[link.infoset] = static_cast<float>(old_.gadget().weight()[top[i]]);
        }
        std::vector<float> reach(tree_.strategy.size(), 0.0f);
        for (std::int32_t i = 0; i < size.infosets; ++i) {
            const InfosetEntry& infoset = tree_.infosets[i];
            if (infoset.player != them_) continue;
            const float before = infoset.parent_action == kNone ? at_top[i] : reach[infoset.parent_action];
            for (std::int32_t a = infoset.first; a < infoset.first + infoset.actions; ++a)
                reach[a] = before * tree_.strategy[a];
        }
        return reach;
    }

    // How much of her own the opponent gave away with the move that led to a state.
    double gift(const Kept<State>& kept) const {
        const InfosetEntry& infoset = tree_.infosets[tree_.links[kept.parent].infoset];
        double value = 0.0;
        for (std::int32_t a = infoset.first; a < infoset.first + infoset.actions; ++a)
            value += tree_.strategy[a] * tree_.shown_value[a];
        return std::max(0.0, value - tree_.shown_value[action_of(kept)]);
    }

    void group(bool gifts) {
        const std::vector<float> reach = old_.solver().reach_of_others(them_);
        const std::vector<float> own = own_reach();
        std::unordered_map<Key, std::size_t> group_of;
        std::vector<std::vector<double>> weights;
        const double sign = us_ == kMax ? 1.0 : -1.0;
        // What our own strategy never reaches says nothing. After a move that is not of it, nothing is left.
        std::erase_if(kept_, [&](const Kept<State>& kept) { return !(reach[kept.parent] > 0.0f); });
        for (const Kept<State>& kept : kept_) {
            const double weight = reach[kept.parent];
            const auto [it, fresh] = group_of.try_emplace(kept.root.keys[them_], groups_.size());
            if (fresh) {
                groups_.emplace_back();
                origins_.emplace_back();
                weights.emplace_back();
                groups_.back().prior = own[action_of(kept)];
                groups_.back().alternate = gifts ? -gift(kept) : 0.0;
            }
            RootGroup<State>& group = groups_[it->second];
            group.states.push_back(kept.root);
            group.value.push_back(tree_.value[kept.entry]);
            weights[it->second].push_back(weight);
            origins_[it->second].push_back(kept.node);
        }
        for (std::size_t j = 0; j < groups_.size(); ++j) {
            double total = 0.0, value = 0.0;
            for (const double w : weights[j]) total += w;
            for (std::size_t i = 0; i < weights[j].size(); ++i) {
                groups_[j].chance.push_back(weights[j][i] / total);
                value += weights[j][i] / total * groups_[j].value[i];
            }
            groups_[j].alternate += sign * value;
        }
    }

    GrowingSearch<G>& old_;
    const GrowingTree<State>& tree_;
    const int us_;
    const int them_;
    const Key now_;
    std::vector<Kept<State>> kept_;
    std::unordered_set<Key> entered_;           // the opponent's infosets that meet I
    std::unordered_set<std::int32_t> sources_;  // where she moved to get there
    std::unordered_set<std::int32_t> taken_;
    std::vector<RootGroup<State>> groups_;
    std::vector<std::vector<std::int32_t>> origins_;
};

}  // namespace murk::growing
