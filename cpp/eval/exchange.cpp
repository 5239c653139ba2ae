#include "eval/exchange.h"

#include "chess/attacks.h"

namespace murk::eval {

using chess::bit;
using chess::Bitboard;
using chess::Colour;
using chess::Kind;
using chess::Move;
using chess::MoveList;
using chess::Position;
using chess::Square;

namespace {

void push_all(Square from, Bitboard targets, MoveList& moves) {
    while (targets != 0) moves.push_back(Move(from, chess::pop_lowest(targets)));
}

// Where a piece of `kind` on `from` can go, pawns apart.
Bitboard reach(Kind kind, Square from, Bitboard occupied) {
    switch (kind) {
        case chess::kKnight:
            return chess::knight_attacks(from);
        case chess::kBishop:
            return chess::bishop_attacks(from, occupied);
        case chess::kRook:
            return chess::rook_attacks(from, occupied);
        case chess::kQueen:
            return chess::queen_attacks(from, occupied);
        default:
            return chess::king_attacks(from);
    }
}

Bitboard attackers(const Position& position, Square square, Bitboard occupied) {
    const auto& kinds = position.kinds;
    return (chess::pawn_attacks(chess::kWhite, square) & position.pieces(chess::kBlack, chess::kPawn)) |
           (chess::pawn_attacks(chess::kBlack, square) & position.pieces(chess::kWhite, chess::kPawn)) |
           (chess::knight_attacks(square) & kinds[chess::kKnight]) |
           (chess::king_attacks(square) & kinds[chess::kKing]) |
           (chess::bishop_attacks(square, occupied) & (kinds[chess::kBishop] | kinds[chess::kQueen])) |
           (chess::rook_attacks(square, occupied) & (kinds[chess::kRook] | kinds[chess::kQueen]));
}

}  // namespace

void generate_captures(const Position& position, MoveList& moves) {
    const Colour us = position.turn;
    const Bitboard occupied = position.occupied();
    const Bitboard victims = position.colours[~us] & ~position.kinds[chess::kKing];
    constexpr Bitboard kLastRanks = 0xff000000000000ffu;
    const int up = us == chess::kWhite ? 8 : -8;
    for (Bitboard left = position.pieces(us, chess::kPawn); left != 0;) {
        const Square from = chess::pop_lowest(left);
        Bitboard targets = chess::pawn_attacks(us, from) & victims;
        if (position.en_passant != chess::kNoSquare)
            targets |= chess::pawn_attacks(us, from) & bit(position.en_passant);
        const Bitboard ahead = bit(from + up);
        if ((ahead & kLastRanks & ~occupied) != 0) targets |= ahead;
        while (targets != 0) {
            const Square to = chess::pop_lowest(targets);
            moves.push_back(Move(from, to, (bit(to) & kLastRanks) != 0 ? chess::kQueen : chess::kPawn));
        }
    }
    for (const Kind kind : {chess::kKnight, chess::kBishop, chess::kRook, chess::kQueen, chess::kKing})
        for (Bitboard left = position.pieces(us, kind); left != 0;) {
            const Square from = chess::pop_lowest(left);
            push_all(from, reach(kind, from, occupied) & victims, moves);
        }
}

int gain_of(const Position& position, Move move) {
    int gain = kPieceValue[position.kind_at(move.to())];
    if (move.promotion() != chess::kPawn) return gain + kPieceValue[move.promotion()] - kPieceValue[chess::kPawn];
    if (move.to() == position.en_passant && (position.kinds[chess::kPawn] & bit(move.from())) != 0)
        gain = kPieceValue[chess::kPawn];
    return gain;
}

bool exchange_wins(const Position& position, Move move, int threshold) {
    const Square square = move.to();
    Bitboard occupied = (position.occupied() ^ bit(move.from())) | bit(square);
    Kind standing = move.promotion() != chess::kPawn ? move.promotion() : position.kind_at(move.from());
    if (move.to() == position.en_passant && standing == chess::kPawn)
        occupied &= ~bit((move.from() & 56) | (move.to() & 7));
    // `balance` is how far the side that has just taken is above the threshold, if nobody takes again.
    int balance = gain_of(position, move) - threshold;
    if (balance < 0) return false;
    balance -= kPieceValue[standing];  // ... and if the other side takes for nothing
    if (balance >= 0) return true;

    const Bitboard diagonal = position.kinds[chess::kBishop] | position.kinds[chess::kQueen];
    const Bitboard straight = position.kinds[chess::kRook] | position.kinds[chess::kQueen];
    Bitboard all = attackers(position, square, occupied) & occupied;
    Colour side = ~position.turn;
    bool winning = true;  // does the mover come out at the threshold, if the exchange stops here?
    while (true) {
        const Bitboard own = all & position.colours[side];
        if (own == 0) break;
        int kind = chess::kPawn;
        while ((own & position.kinds[static_cast<std::size_t>(kind)]) == 0) ++kind;
        occupied ^= bit(chess::lowest(own & position.kinds[static_cast<std::size_t>(kind)]));
        all |=
            (chess::bishop_attacks(square, occupied) & diagonal) | (chess::rook_attacks(square, occupied) & straight);
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
