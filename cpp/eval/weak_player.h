// A weak player that sees the whole board: it looks one ply ahead, and what it fears and how much it errs is its style.
// Its games are where training positions come from.
#pragma once

#include "chess/movegen.h"
#include "chess/position.h"
#include "eval/random.h"

namespace murk::eval {

struct Style {
    double noise = 100;     // centipawns, the temperature of a softmax; infinite for random play
    double caution = 0.5;   // 0: leaves pieces where they can be taken; 1: never without return
    double aggression = 1;  // how much a capture attracts
    double checks = 0;      // centipawns for attacking the king
};

Style random_style(Random& random);

// A legal move of a position that has one. With noise 0 it is the best by the player's own lights.
chess::Move weak_move(const chess::Position& position, const Style& style, Random& random);

}  // namespace murk::eval
