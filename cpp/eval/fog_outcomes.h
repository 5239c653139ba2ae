// Games in the fog and what became of them: labels that no engine of ordinary chess can give.
//
// What a position is worth in dark chess depends on what its players do not know. A king with an open line before it, a
// piece that can be taken by what nobody sees, the move itself: Stockfish values them for players who see everything.
// Here two quick players hold beliefs and choose by what the evaluator thinks of a few boards of theirs; every true
// position of such a game is labelled with what followed in it, a mixture of the evaluator's values of the later
// positions and of the result (the lambda-return of temporal differences).
#pragma once

#include <cstdint>
#include <vector>

#include "eval/embedded.h"
#include "eval/fog_play.h"
#include "eval/training_data.h"
#include "eval/weak_player.h"

namespace murk::eval {

struct OutcomeOptions {
    int boards = 8;             // of a belief, over which a move is chosen
    double plausibility = 5.0;  // a board whose best move is worth more by 1 / plausibility counts for e times less
    double temperature = 0.02;  // of the choice, in units of value
    double strays = 0.05;       // how often a weak move is played instead; what follows says nothing of what was before
    double persistence = 0.9;   // lambda: how much of a label is about what comes after the next ply
    int opening = 8;            // weak moves that a game begins with, at most
    int longest = 200;          // plies; what is left then is for the evaluator to say
};

class OutcomePlayer {
  public:
    // Throws std::invalid_argument if an option is out of range.
    OutcomePlayer(std::shared_ptr<const Embedded> evaluator, std::uint64_t seed, const OutcomeOptions& options = {});

    // Plays on until there are at least `records` more, and returns them.
    std::vector<TrainingRecord> run(std::size_t records, Poll poll = nullptr);

  private:
    struct Ply {
        chess::Position position;
        double value;  // of the evaluator, for the side to move
        bool stray;    // the move was none of the player's choice
    };

    void play_game(std::vector<TrainingRecord>& records);
    chess::Move choose(const chess::Position& position, const FogBeliefs& beliefs);

    std::shared_ptr<const Embedded> evaluator_;
    OutcomeOptions options_;
    Random random_;
    std::uint16_t game_ = 0;
};

}  // namespace murk::eval
