// Dark chess as a game for the growing search. White is MAX.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <span>

#include "chess/movegen.h"
#include "chess/observation.h"
#include "eval/evaluator.h"
#include "eval/value_cache.h"
#include "search/growing/draws.h"
#include "search/growing/game.h"

namespace murk::growing {

class DarkChess {
  public:
    using State = chess::Position;

    // With a cache the evaluator is asked once for each position, if it allows that.
    explicit DarkChess(std::shared_ptr<const eval::Evaluator> evaluator,
                       std::shared_ptr<eval::ValueCache> cache = nullptr)
        : evaluator_(std::move(evaluator)), cache_(evaluator_->values_positions() ? std::move(cache) : nullptr) {}

    void describe(const State& state, Moves& moves) const {
        chess::MoveList legal;
        generate(state, legal);
        const auto n = static_cast<std::size_t>(legal.size());
        moves.player = state.turn == chess::kWhite ? kMax : kMin;
        moves.values.resize(n);
        std::array<chess::Move, chess::kMaxMoves> open;  // moves that neither the rules nor the cache know the value of
        std::array<std::size_t, chess::kMaxMoves> place;
        std::array<Key, chess::kMaxMoves> keys;
        std::array<float, chess::kMaxMoves> values;
        std::size_t asked = 0;
        for (std::size_t a = 0; a < n; ++a) {
            const chess::Move move = legal[static_cast<int>(a)];
            chess::Position child;
            const std::optional<float> decided = eval::decided_value(state, move, &child);
            moves.labels.push_back(move.bits());
            moves.ended.push_back(decided.has_value() && *decided > 0.0f);
            if (decided) {
                moves.values[a] = *decided;
                continue;
            }
            const Key key = cache_ ? child.key() : 0;
            if (cache_ && cache_->find(key, moves.values[a])) continue;
            open[asked] = move;
            place[asked] = a;
            keys[asked++] = key;
        }
        if (asked > 0)
            evaluator_->undecided_values(state, std::span(open.data(), asked), std::span(values.data(), asked));
        for (std::size_t i = 0; i < asked; ++i) {
            moves.values[place[i]] = values[i];
            if (cache_) cache_->store(keys[i], values[i]);
        }
        if (state.turn == chess::kBlack)
            for (float& value : moves.values) value = -value;
        if (draws_) fear_draws(state, moves);
    }
    State child(const State& state, std::int32_t label) const {
        State next = state;
        next.play(chess::Move::from_bits(static_cast<std::uint16_t>(label)));
        return next;
    }
    Key key_after(Key key, int player, int mover, std::int32_t label, const State& child) const {
        if (player == mover) key = mix(key, static_cast<std::uint64_t>(label) + 1);
        return mix(key, view_of(observe(child, player == kMax ? chess::kWhite : chess::kBlack)));
    }
    const eval::Evaluator& evaluator() const { return *evaluator_; }
    // From now on, positions that could be drawn are worth a draw at most to a player, and the game ends there.
    void fear(chess::Colour we, std::shared_ptr<const Draws> draws) {
        we_ = we;
        draws_ = std::move(draws);
    }

  private:
    void fear_draws(const State& state, Moves& moves) const {
        for (std::size_t a = 0; a < moves.labels.size(); ++a) {
            if (moves.ended[a] ||
                !draws_->could_be_drawn(state, chess::Move::from_bits(static_cast<std::uint16_t>(moves.labels[a])),
                                        child(state, moves.labels[a])))
                continue;
            float& value = moves.values[a];
            value = we_ == chess::kWhite ? std::min(value, 0.0f) : std::max(value, 0.0f);
            moves.ended[a] = 1;
        }
    }

    std::shared_ptr<const eval::Evaluator> evaluator_;
    std::shared_ptr<eval::ValueCache> cache_;
    chess::Colour we_ = chess::kWhite;
    std::shared_ptr<const Draws> draws_;
};
static_assert(Game<DarkChess>);

}  // namespace murk::growing
