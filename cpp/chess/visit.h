// The move generator as a template: calls a visitor for each move, or only counts them.
//
// For code that is compiled once for each instruction set (see kernels.h). `Sliders` must be a type of that file's own
// (in an unnamed namespace), so that the linker never merges two instruction sets' versions.
#pragma once

#include "chess/attacks.h"
#include "chess/position.h"

namespace murk::chess {

constexpr Bitboard kAllSquares = ~Bitboard{0};

template <Colour us>
struct Pawns {
    static constexpr int kUp = us == kWhite ? 8 : -8;
    static constexpr Bitboard kLastRank = us == kWhite ? kRank8 : kRank1;
    static constexpr Bitboard kThirdRank = us == kWhite ? kRank1 << 16 : kRank1 << 40;

    MURK_INLINE static Bitboard forward(Bitboard board) { return us == kWhite ? board << 8 : board >> 8; }
    // Steps to the a-file's and to the h-file's side.
    MURK_INLINE static Bitboard left(Bitboard board) { return forward(board & ~kFileA) >> 1; }
    MURK_INLINE static Bitboard right(Bitboard board) { return forward(board & ~kFileH) << 1; }
};

// Whether a side has the right to castle and nothing stands between its king and rook: attacks do not matter.
template <Colour us>
MURK_INLINE bool can_castle_short(const Position& position, Bitboard occupied) {
    constexpr int home = us == kWhite ? 0 : 56;
    return (position.castling & (us == kWhite ? kWhiteShort : kBlackShort)) != 0 &&
           (occupied & Bitboard{0x60} << home) == 0;
}
template <Colour us>
MURK_INLINE bool can_castle_long(const Position& position, Bitboard occupied) {
    constexpr int home = us == kWhite ? 0 : 56;
    return (position.castling & (us == kWhite ? kWhiteLong : kBlackLong)) != 0 &&
           (occupied & Bitboard{0x0e} << home) == 0;
}

namespace detail {

// Pawns that arrive on `targets`, each from `step` squares below.
template <Colour us, class Visitor>
MURK_INLINE void visit_pawns(Bitboard targets, int step, Bitboard from_mask, Visitor&& visit) {
    Bitboard plain = targets & ~Pawns<us>::kLastRank;
    while (plain != 0) {
        const Square to = pop_lowest(plain);
        if ((from_mask & bit(to - step)) != 0) visit(Move(to - step, to), kPawn);
    }
    Bitboard last = targets & Pawns<us>::kLastRank;
    while (last != 0) {
        const Square to = pop_lowest(last);
        if ((from_mask & bit(to - step)) == 0) continue;
        for (const Kind kind : {kQueen, kRook, kBishop, kKnight}) visit(Move(to - step, to, kind), kPawn);
    }
}

template <class Visitor, class Attacks>
MURK_INLINE void visit_pieces(Bitboard pieces, Bitboard targets, Kind kind, Attacks&& attacks, Visitor&& visit) {
    while (pieces != 0) {
        const Square from = pop_lowest(pieces);
        for (Bitboard left = attacks(from) & targets; left != 0;) visit(Move(from, pop_lowest(left)), kind);
    }
}

}  // namespace detail

// Calls visit(move, kind of the piece) for each move of `us`, the side to move, in a fixed order, that leaves a square
// of `from_mask` and arrives on one of `to_mask`. Both kings must be there.
template <Colour us, class Sliders, class Visitor>
MURK_INLINE void visit_moves(const Position& position, Bitboard from_mask, Bitboard to_mask, Visitor&& visit) {
    using P = Pawns<us>;
    constexpr Colour them = ~us;
    const Bitboard occupied = position.occupied(), enemies = position.colours[them];
    const Bitboard pawns = position.pieces(us, kPawn);

    const Bitboard single = P::forward(pawns) & ~occupied;
    detail::visit_pawns<us>(single & to_mask, P::kUp, from_mask, visit);
    detail::visit_pawns<us>(P::forward(single & P::kThirdRank) & ~occupied & to_mask, 2 * P::kUp, from_mask, visit);
    detail::visit_pawns<us>(P::left(pawns) & enemies & to_mask, P::kUp - 1, from_mask, visit);
    detail::visit_pawns<us>(P::right(pawns) & enemies & to_mask, P::kUp + 1, from_mask, visit);
    if (position.en_passant != kNoSquare && (to_mask & bit(position.en_passant)) != 0) {
        Bitboard takers = pawn_attacks(them, position.en_passant) & pawns & from_mask;
        while (takers != 0) visit(Move(pop_lowest(takers), position.en_passant), kPawn);
    }

    const Bitboard movers = position.colours[us] & from_mask, targets = ~position.colours[us] & to_mask;
    const auto bishop = [&](Square square) { return Sliders::bishop(square, occupied); };
    const auto rook = [&](Square square) { return Sliders::rook(square, occupied); };
    const auto queen = [&](Square square) {
        return Sliders::bishop(square, occupied) | Sliders::rook(square, occupied);
    };
    detail::visit_pieces(movers & position.kinds[kKnight], targets, kKnight, knight_attacks, visit);
    detail::visit_pieces(movers & position.kinds[kBishop], targets, kBishop, bishop, visit);
    detail::visit_pieces(movers & position.kinds[kRook], targets, kRook, rook, visit);
    detail::visit_pieces(movers & position.kinds[kQueen], targets, kQueen, queen, visit);
    detail::visit_pieces(movers & position.kinds[kKing], targets, kKing, king_attacks, visit);
    constexpr Square king = us == kWhite ? 4 : 60;
    if ((from_mask & bit(king)) != 0) {
        if ((to_mask & bit(king + 2)) != 0 && can_castle_short<us>(position, occupied))
            visit(Move(king, king + 2), kKing);
        if ((to_mask & bit(king - 2)) != 0 && can_castle_long<us>(position, occupied))
            visit(Move(king, king - 2), kKing);
    }
}

// How many moves visit_moves() would find. Both kings must be there.
template <Colour us, class Sliders>
MURK_INLINE int count_visits(const Position& position) {
    using P = Pawns<us>;
    constexpr Colour them = ~us;
    const Bitboard occupied = position.occupied(), enemies = position.colours[them];
    const Bitboard pawns = position.pieces(us, kPawn);
    const Bitboard single = P::forward(pawns) & ~occupied;
    const Bitboard left = P::left(pawns) & enemies, right = P::right(pawns) & enemies;
    int total = count(single) + count(P::forward(single & P::kThirdRank) & ~occupied) + count(left) + count(right);
    if ((P::forward(pawns) & P::kLastRank) != 0)
        total += 3 * (count(single & P::kLastRank) + count(left & P::kLastRank) + count(right & P::kLastRank));
    if (position.en_passant != kNoSquare) total += count(pawn_attacks(them, position.en_passant) & pawns);

    const Bitboard targets = ~position.colours[us];
    const auto each = [](Bitboard pieces, auto&& moves) {
        int sum = 0;
        while (pieces != 0) sum += moves(pop_lowest(pieces));
        return sum;
    };
    total += each(position.pieces(us, kKnight), [&](Square s) { return count(knight_attacks(s) & targets); });
    // Queens move as bishops and as rooks; the two sets never meet.
    total += each(position.colours[us] & (position.kinds[kBishop] | position.kinds[kQueen]),
                  [&](Square s) { return count(Sliders::bishop(s, occupied) & targets); });
    total += each(position.colours[us] & (position.kinds[kRook] | position.kinds[kQueen]),
                  [&](Square s) { return count(Sliders::rook(s, occupied) & targets); });
    total += count(king_attacks(lowest(position.pieces(us, kKing))) & targets);
    return total + can_castle_short<us>(position, occupied) + can_castle_long<us>(position, occupied);
}

}  // namespace murk::chess
