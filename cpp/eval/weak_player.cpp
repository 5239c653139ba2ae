#include "eval/weak_player.h"

#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "eval/evaluator.h"

namespace murk::eval {

using chess::Colour;
using chess::Kind;
using chess::Move;
using chess::MoveList;
using chess::Position;
using chess::Square;

namespace {

constexpr std::array<double, 7> kValue = {100, 320, 330, 500, 900, 3000, 0};
constexpr double kKingLost = 1500;

// Where a piece likes to stand: pawns forward, minor pieces in the middle, the king at home while queens are about.
double place(Kind kind, Square square, Colour colour, bool endgame) {
    const int rank = colour == chess::kWhite ? chess::rank_of(square) : 7 - chess::rank_of(square);
    const double middle =
        7 - std::abs(2 * chess::file_of(square) - 7) / 2.0 - std::abs(2 * chess::rank_of(square) - 7) / 2.0;
    switch (kind) {
        case chess::kPawn:
            return 4.0 * rank + (endgame ? 8.0 * rank : 0.0) + 3.0 * middle;
        case chess::kKnight:
            return 9.0 * middle;
        case chess::kBishop:
            return 5.0 * middle;
        case chess::kRook:
            return rank == 6 ? 20.0 : 0.0;
        case chess::kQueen:
            return 2.0 * middle;
        default:
            return endgame ? 8.0 * middle : -12.0 * rank;
    }
}

// What the piece that has just moved may be taken for.
double risk(const Position& child, Square square, Kind kind) {
    const Colour us = ~child.turn;
    if (!is_attacked(child, square, child.turn)) return 0;
    if (!is_attacked(child, square, us)) return kValue[kind];
    return kValue[kind] / 4;
}

double worth(const Position& position, Move move, const Style& style, bool endgame) {
    const Colour us = position.turn;
    const Kind kind = position.kind_at(move.from()), taken = position.kind_at(move.to());
    const Kind becomes = move.promotion() == chess::kPawn ? kind : move.promotion();
    double sum = style.aggression * kValue[taken] + kValue[becomes] - kValue[kind];
    sum += place(becomes, move.to(), us, endgame) - place(kind, move.from(), us, endgame);
    if (taken == chess::kKing || (style.caution == 0 && style.checks == 0)) return sum;
    Position child = position;
    child.play(move);
    const Square king = chess::lowest(child.pieces(us, chess::kKing));
    const double lost = is_attacked(child, king, ~us) ? kKingLost : risk(child, move.to(), becomes);
    const bool check = is_attacked(child, chess::lowest(child.pieces(~us, chess::kKing)), us);
    return sum - style.caution * lost + (check ? style.checks : 0);
}

}  // namespace

Style random_style(Random& random) {
    constexpr std::array<double, 5> kNoise = {15, 40, 80, 150, 400};
    constexpr std::array<double, 4> kCaution = {0, 0.5, 0.8, 1};
    constexpr std::array<double, 3> kAggression = {0.5, 1, 2};
    constexpr std::array<double, 3> kChecks = {0, 0, 40};
    return {random.one_of(kNoise), random.one_of(kCaution), random.one_of(kAggression), random.one_of(kChecks)};
}

Move weak_move(const Position& position, const Style& style, Random& random) {
    MoveList moves;
    generate(position, moves);
    if (std::isinf(style.noise)) return moves[random.below(moves.size())];
    const bool endgame = chess::count(position.occupied()) <= 12;
    Move best;
    double highest = -std::numeric_limits<double>::infinity();
    for (const Move move : moves) {
        const double score = worth(position, move, style, endgame) + style.noise * random.gumbel();
        if (score > highest) {
            highest = score;
            best = move;
        }
    }
    return best;
}

}  // namespace murk::eval
