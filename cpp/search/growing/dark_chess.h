// Dark chess as a game for the growing search. White is MAX.
#pragma once

#include <algorithm>
#include <memory>

#include "chess/movegen.h"
#include "chess/observation.h"
#include "eval/evaluator.h"
#include "search/growing/draws.h"
#include "search/growing/game.h"

namespace murk::growing {

class DarkChess {
  public:
    using State = chess::Position;

    explicit DarkChess(std::shared_ptr<const eval::Evaluator> evaluator) : evaluator_(std::move(evaluator)) {}

    void describe(const State& state, Moves& moves) const {
        chess::MoveList legal;
        generate(state, legal);
        chess::Move list[chess::kMaxMoves];
        int n = 0;
        for (const chess::Move move : legal) list[n++] = move;
        moves.player = state.turn == chess::kWhite ? kMax : kMin;
        moves.values.resize(static_cast<std::size_t>(n));
        evaluator_->values(state, std::span(list, static_cast<std::size_t>(n)), moves.values);
        for (int a = 0; a < n; ++a) {
            moves.labels.push_back(list[a].bits());
            chess::Position child = state;
            child.play(list[a]);
            moves.ended.push_back(child.king_captured() || count_moves(child) == 0);
            if (state.turn == chess::kBlack) moves.values[a] = -moves.values[a];
            if (draws_ && !moves.ended.back() && draws_->could_be_drawn(state, list[a], child)) {
                moves.values[a] =
                    we_ == chess::kWhite ? std::min(moves.values[a], 0.0f) : std::max(moves.values[a], 0.0f);
                moves.ended.back() = 1;
            }
        }
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
    std::shared_ptr<const eval::Evaluator> evaluator_;
    chess::Colour we_ = chess::kWhite;
    std::shared_ptr<const Draws> draws_;
};
static_assert(Game<DarkChess>);

}  // namespace murk::growing
