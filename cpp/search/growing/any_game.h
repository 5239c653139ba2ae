// Any game of the other searches (search/game.h) for the growing one: what it does not carry itself is remembered here.
//
// Such a game hands out a state's children all at once, with what both players know there; the growing search asks for
// a child and a key at a time. Moves are called by their place among the children.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "search/game.h"
#include "search/growing/game.h"

namespace murk::growing {

class AnyGame {
  public:
    using State = search::StateId;

    AnyGame(search::Game& game, const search::Seed& root) : known_(std::make_shared<Known>(game)) {
        known_->at(root.state).keys = root.keys;
    }

    void describe(State state, Moves& moves) const {
        const std::lock_guard guard(known_->lock);
        search::Children& children = known_->children;
        children.clear();
        known_->game.expand(state, known_->at(state).keys, children);
        moves.player = children.player;
        for (std::size_t a = 0; a < children.size(); ++a) {
            const bool ended = children.state[a] == kNone;
            moves.labels.push_back(static_cast<std::int32_t>(a));
            moves.values.push_back(static_cast<float>(children.value[a]));
            moves.ended.push_back(ended);
            if (moves.player == kNature) moves.chance.push_back(static_cast<float>(children.probability[a]));
            if (!ended) known_->at(children.state[a]).keys = {children.key[0][a], children.key[1][a]};
        }
        known_->at(state).children = children.state;
        known_->at(state).actions = children.action;
    }
    State child(State state, std::int32_t label) const {
        const std::lock_guard guard(known_->lock);
        return known_->at(state).children[static_cast<std::size_t>(label)];
    }
    Key key_after(Key, int player, int, std::int32_t, State child) const {
        const std::lock_guard guard(known_->lock);
        return known_->at(child).keys[static_cast<std::size_t>(player)];
    }
    // The game's own number of a move at a state that was described.
    std::int64_t action(State state, std::int32_t label) const {
        const std::lock_guard guard(known_->lock);
        return known_->at(state).actions[static_cast<std::size_t>(label)];
    }

  private:
    struct Entry {
        search::Keys keys{};
        std::vector<State> children;
        std::vector<std::int64_t> actions;
    };
    struct Known {
        explicit Known(search::Game& g) : game(g) {}
        Entry& at(State state) {
            const auto i = static_cast<std::size_t>(state);
            if (i >= entries.size()) entries.resize(i + 1);
            return entries[i];
        }
        search::Game& game;
        std::mutex lock;
        search::Children children;
        std::vector<Entry> entries;
    };

    std::shared_ptr<Known> known_;
};
static_assert(Game<AnyGame>);

}  // namespace murk::growing
