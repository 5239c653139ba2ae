// Dark chess for a search: positions, what each side sees, an evaluator's values, and the draws a player may fear.
//
// Transpositions ignore the draw rules. A node at which the searcher has seen the same for the third time, or at which
// she has seen neither a pawn move nor a capture for fifty moves, could be drawn: its value and that of everything
// below it is at most 0 (Appendix, "Dark chess", of [ZS21]).
#pragma once

#include <chrono>
#include <memory>
#include <unordered_map>
#include <vector>

#include "chess/observation.h"
#include "eval/evaluator.h"
#include "search/game.h"

namespace murk::search {

struct ChessOptions {
    bool draw_cap = true;
    int fifty_moves = 100;  // plies without an observed pawn move or capture
    int repetitions = 3;
};

// The hash of what a player sees, without the note of what was just captured: her pieces tell her.
Key view_key(const chess::Observation& view);

class ChessGame final : public Game {
  public:
    ChessGame(chess::Colour we, std::shared_ptr<const eval::Evaluator> evaluator, const ChessOptions& options);

    void expand(StateId state, const Keys& keys, Children& out) override;
    Key transposition(StateId state) const override { return states_[state].position.key(); }
    void keep(std::span<const StateId> states) override;

    // What the searcher has seen so far, the present included, and for how many plies nothing irreversible.
    void set_history(const std::vector<Key>& views, int quiet_plies);
    // A position of hers to move of which the opponent is taken to know everything; `ours` is the searcher's key.
    Seed add_position(const chess::Position& position, Key ours);
    // The same for many, evaluated in batches: as many as there seems to be time for, at least one.
    std::vector<Seed> add_positions(std::span<const chess::Position> positions, Key ours,
                                    std::chrono::steady_clock::time_point deadline);
    const chess::Position& position(StateId state) const { return states_[state].position; }
    chess::Colour we() const { return we_; }
    std::size_t evaluations() const { return evaluations_; }
    std::size_t bytes() const { return states_.capacity() * sizeof(State); }

  private:
    struct State {
        chess::Position position;
        Key view = 0;            // what the searcher sees
        StateId parent = kNone;  // kNone: a root of the search
        std::int16_t quiet = 0;
        bool drawish = false;
    };
    bool could_be_drawn(const State& state) const;
    void add_batch(std::span<const chess::Position> positions, Key ours, std::vector<Seed>& out);

    chess::Colour we_;
    std::shared_ptr<const eval::Evaluator> evaluator_;
    ChessOptions options_;
    std::vector<State> states_;
    std::unordered_map<Key, int> seen_;
    std::unordered_map<StateId, std::vector<float>> known_;  // values of the moves of new roots
    int quiet_plies_ = 0;
    std::size_t evaluations_ = 0;
};

}  // namespace murk::search
