#include "eval/exchange.h"

namespace murk::eval {

void generate_captures(const chess::Position& position, chess::MoveList& moves) {
    list_captures<chess::Magic>(position, moves);
}

bool exchange_wins(const chess::Position& position, chess::Move move, int threshold) {
    return exchange_is_won<chess::Magic>(position, move, threshold);
}

}  // namespace murk::eval
