#include "eval/simple.h"

#include <array>
#include <cmath>
#include <cstdio>

#include "chess/attacks.h"

namespace murk::eval {

using chess::Bitboard;
using chess::Colour;
using chess::Position;

Bitboard seen_squares(const Position& position, Colour side) {
    const Bitboard occupied = position.occupied();
    Bitboard seen = position.colours[side];
    for (Bitboard left = position.pieces(side, chess::kPawn); left != 0;) {
        const chess::Square from = chess::pop_lowest(left);
        const int up = side == chess::kWhite ? 8 : -8;
        const bool at_home = chess::rank_of(from) == (side == chess::kWhite ? 1 : 6);
        seen |= chess::pawn_attacks(side, from) & position.colours[~side];
        if ((occupied & chess::bit(from + up)) != 0) continue;
        seen |= chess::bit(from + up);
        if (at_home && (occupied & chess::bit(from + 2 * up)) == 0) seen |= chess::bit(from + 2 * up);
    }
    const auto add = [&](chess::Kind kind, auto&& attacks) {
        for (Bitboard left = position.pieces(side, kind); left != 0;) seen |= attacks(chess::pop_lowest(left));
    };
    add(chess::kKnight, [](chess::Square s) { return chess::knight_attacks(s); });
    add(chess::kBishop, [&](chess::Square s) { return chess::bishop_attacks(s, occupied); });
    add(chess::kRook, [&](chess::Square s) { return chess::rook_attacks(s, occupied); });
    add(chess::kQueen, [&](chess::Square s) { return chess::queen_attacks(s, occupied); });
    add(chess::kKing, [](chess::Square s) { return chess::king_attacks(s); });
    return seen;
}

int material_balance(const Position& position) {
    constexpr std::array<int, 5> kPawns = {1, 3, 3, 5, 9};
    int balance = 0;
    for (std::size_t kind = 0; kind < kPawns.size(); ++kind)
        balance += kPawns[kind] * (chess::count(position.pieces(chess::kWhite, static_cast<chess::Kind>(kind))) -
                                   chess::count(position.pieces(chess::kBlack, static_cast<chess::Kind>(kind))));
    return balance;
}

std::vector<std::pair<std::string, std::string>> Simple::parameters() const {
    const auto text = [](double x) {
        std::array<char, 32> buffer;
        std::snprintf(buffer.data(), buffer.size(), "%g", x);
        return std::string(buffer.data());
    };
    return {{"square", text(square_)}, {"tau", text(tau_)}};
}

void Simple::open_values(std::span<const Request> requests) const {
    for (const Request& request : requests) {
        const Colour mover = request.position.turn;
        for (std::size_t i = 0; i < request.moves.size(); ++i) {
            Position after = request.position;
            after.play(request.moves[i]);
            const int pawns = mover == chess::kWhite ? material_balance(after) : -material_balance(after);
            const int squares = chess::count(seen_squares(after, mover)) - chess::count(seen_squares(after, ~mover));
            request.values[i] = static_cast<float>(std::tanh((pawns + square_ * squares) / tau_));
        }
    }
}

}  // namespace murk::eval
