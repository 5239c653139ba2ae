// Captures of a position and what they win: the material side of the quiescence search.
//
// The search itself is compiled once for each instruction set (see quiescence_kernels.h) and takes the templates, with
// its way of finding slider attacks; all other code calls the functions above them.
#pragma once

#include <array>

#include "chess/attacks.h"
#include "chess/movegen.h"
#include "chess/position.h"

namespace murk::eval {

// What pieces are worth in a capture, in hundredths of the unit of Stockfish 15.1's scores (where a pawn is 58).
constexpr std::array<int, chess::kNumKinds + 1> kPieceValue = {58, 237, 253, 382, 743, 5000, 0};

// All captures (en passant too) and all promotions to a queen, without captures of the king.
void generate_captures(const chess::Position& position, chess::MoveList& moves);

// What a move takes from the board or turns into, by kPieceValue.
MURK_INLINE int gain_of(const chess::Position& position, chess::Move move);
// Does the exchange begun by `move` on its target square win at least `threshold`, both sides taking with their
// cheapest piece and stopping when that is better?
bool exchange_wins(const chess::Position& position, chess::Move move, int threshold);

// --- the same for a loop that knows its sliders ---

// Can a piece of `by` capture on `square`?
template <class Sliders>
bool is_attacked_by(const chess::Position& position, chess::Square square, chess::Colour by) {
    const chess::Bitboard occupied = position.occupied();
    const chess::Bitboard queens = position.kinds[chess::kQueen];
    const chess::Bitboard found = (chess::knight_attacks(square) & position.kinds[chess::kKnight]) |
                                  (chess::pawn_attacks(~by, square) & position.kinds[chess::kPawn]) |
                                  (chess::king_attacks(square) & position.kinds[chess::kKing]);
    if ((found & position.colours[by]) != 0) return true;
    return (((Sliders::bishop(square, occupied) & (position.kinds[chess::kBishop] | queens)) |
             (Sliders::rook(square, occupied) & (position.kinds[chess::kRook] | queens))) &
            position.colours[by]) != 0;
}

template <class Sliders>
chess::Bitboard attackers_of(const chess::Position& position, chess::Square square, chess::Bitboard occupied) {
    const auto& kinds = position.kinds;
    return (chess::pawn_attacks(chess::kWhite, square) & position.pieces(chess::kBlack, chess::kPawn)) |
           (chess::pawn_attacks(chess::kBlack, square) & position.pieces(chess::kWhite, chess::kPawn)) |
           (chess::knight_attacks(square) & kinds[chess::kKnight]) |
           (chess::king_attacks(square) & kinds[chess::kKing]) |
           (Sliders::bishop(square, occupied) & (kinds[chess::kBishop] | kinds[chess::kQueen])) |
           (Sliders::rook(square, occupied) & (kinds[chess::kRook] | kinds[chess::kQueen]));
}

template <class Sliders>
void list_captures(const chess::Position& position, chess::MoveList& moves) {
    using chess::Bitboard, chess::Square;
    const chess::Colour us = position.turn;
    const Bitboard occupied = position.occupied();
    const Bitboard victims = position.colours[~us] & ~position.kinds[chess::kKing];
    constexpr Bitboard kLastRanks = 0xff000000000000ffu;
    const int up = us == chess::kWhite ? 8 : -8;
    for (Bitboard left = position.pieces(us, chess::kPawn); left != 0;) {
        const Square from = chess::pop_lowest(left);
        Bitboard targets = chess::pawn_attacks(us, from) & victims;
        if (position.en_passant != chess::kNoSquare)
            targets |= chess::pawn_attacks(us, from) & chess::bit(position.en_passant);
        const Bitboard ahead = chess::bit(from + up);
        if ((ahead & kLastRanks & ~occupied) != 0) targets |= ahead;
        while (targets != 0) {
            const Square to = chess::pop_lowest(targets);
            moves.push_back(chess::Move(from, to, (chess::bit(to) & kLastRanks) != 0 ? chess::kQueen : chess::kPawn));
        }
    }
    const auto list = [&](Bitboard pieces, auto&& reach) {
        while (pieces != 0) {
            const Square from = chess::pop_lowest(pieces);
            for (Bitboard targets = reach(from) & victims; targets != 0;)
                moves.push_back(chess::Move(from, chess::pop_lowest(targets)));
        }
    };
    const auto diagonal = [&](Square from) { return Sliders::bishop(from, occupied); };
    const auto straight = [&](Square from) { return Sliders::rook(from, occupied); };
    const Bitboard queens = position.pieces(us, chess::kQueen);
    list(position.pieces(us, chess::kKnight), [](Square from) { return chess::knight_attacks(from); });
    list(position.pieces(us, chess::kBishop) | queens, diagonal);
    list(position.pieces(us, chess::kRook) | queens, straight);
    list(position.pieces(us, chess::kKing), [](Square from) { return chess::king_attacks(from); });
}

MURK_INLINE int gain_of(const chess::Position& position, chess::Move move) {
    int gain = kPieceValue[position.kind_at(move.to())];
    if (move.promotion() != chess::kPawn) return gain + kPieceValue[move.promotion()] - kPieceValue[chess::kPawn];
    if (move.to() == position.en_passant && (position.kinds[chess::kPawn] & chess::bit(move.from())) != 0)
        gain = kPieceValue[chess::kPawn];
    return gain;
}

template <class Sliders>
bool exchange_is_won(const chess::Position& position, chess::Move move, int threshold) {
    const chess::Square square = move.to();
    chess::Bitboard occupied = (position.occupied() ^ chess::bit(move.from())) | chess::bit(square);
    chess::Kind standing = move.promotion() != chess::kPawn ? move.promotion() : position.kind_at(move.from());
    if (move.to() == position.en_passant && standing == chess::kPawn)
        occupied &= ~chess::bit((move.from() & 56) | (move.to() & 7));
    // `balance` is how far the side that has just taken is above the threshold, if nobody takes again.
    int balance = gain_of(position, move) - threshold;
    if (balance < 0) return false;
    balance -= kPieceValue[standing];  // ... and if the other side takes for nothing
    if (balance >= 0) return true;

    const chess::Bitboard diagonal = position.kinds[chess::kBishop] | position.kinds[chess::kQueen];
    const chess::Bitboard straight = position.kinds[chess::kRook] | position.kinds[chess::kQueen];
    chess::Bitboard all = attackers_of<Sliders>(position, square, occupied) & occupied;
    chess::Colour side = ~position.turn;
    bool winning = true;  // does the mover come out at the threshold, if the exchange stops here?
    while (true) {
        const chess::Bitboard own = all & position.colours[side];
        if (own == 0) break;
        int kind = chess::kPawn;
        while ((own & position.kinds[static_cast<std::size_t>(kind)]) == 0) ++kind;
        occupied ^= chess::bit(chess::lowest(own & position.kinds[static_cast<std::size_t>(kind)]));
        all |= (Sliders::bishop(square, occupied) & diagonal) | (Sliders::rook(square, occupied) & straight);
        all &= occupied;
        // A king does not take where it can be taken.
        if (kind == chess::kKing && (all & position.colours[~side]) != 0) break;
        winning = !winning;
        balance = -balance - 1 - kPieceValue[static_cast<std::size_t>(kind)];
        if (balance >= 0) break;
        side = ~side;
    }
    return winning;
}

}  // namespace murk::eval
