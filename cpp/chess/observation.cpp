#include "chess/observation.h"

#include "chess/side.h"

namespace murk::chess {
namespace {

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
    hash = (hash ^ value) * 0x9fb21c651e98df25;
    return hash ^ hash >> 29;
}

template <Colour us>
Bitboard visible_as(const Position& position) {
    using P = Pawns<us>;
    const Bitboard own = position.colours[us], enemies = position.colours[~us], occupied = own | enemies;
    const Bitboard pawns = own & position.kinds[kPawn];
    Bitboard seen = own;
    for (Bitboard left = own & position.kinds[kKnight]; left != 0;) seen |= knight_attacks(pop_lowest(left));
    for (Bitboard left = own & position.kinds[kKing]; left != 0;) seen |= king_attacks(pop_lowest(left));
    for (Bitboard left = own & (position.kinds[kBishop] | position.kinds[kQueen]); left != 0;)
        seen |= bishop_attacks(pop_lowest(left), occupied);
    for (Bitboard left = own & (position.kinds[kRook] | position.kinds[kQueen]); left != 0;)
        seen |= rook_attacks(pop_lowest(left), occupied);
    const Bitboard single = P::forward(pawns) & ~occupied;
    seen |= single | (P::forward(single & P::kThirdRank) & ~occupied);
    seen |= (P::left(pawns) | P::right(pawns)) & enemies;
    if (position.turn == us && position.en_passant != kNoSquare)
        seen |= bit(position.en_passant) | bit(position.en_passant - P::kUp);
    return seen;
}

template <Colour us>
Deductions deduce_as(const Observation& view) {
    using P = Pawns<us>;
    const Bitboard own = all_of(view.own), seen = all_of(view.seen), occupied = own | seen;
    const Bitboard pawns = view.own[kPawn], free = view.visible & ~occupied;
    const Bitboard single = P::forward(pawns) & free;
    const Bitboard stops = P::forward(pawns) | P::forward(single & P::kThirdRank);
    const Bitboard diagonals = P::left(pawns) | P::right(pawns);
    return {(view.visible & ~seen) | (diagonals & ~view.visible), seen | (stops & ~view.visible),
            pawns & ~(us == kWhite ? single >> 8 : single << 8)};
}

}  // namespace

Bitboard all_of(const std::array<Bitboard, kNumKinds>& kinds) {
    Bitboard all = 0;
    for (const Bitboard board : kinds) all |= board;
    return all;
}

std::uint64_t Observation::key() const {
    // Mixed first of all: the player's pawns stand on visible squares and would cancel some of them out.
    std::uint64_t hash = mix(0xa0761d6478bd642f, visible);
    for (const Bitboard board : own) hash = mix(hash, board);
    for (const Bitboard board : seen) hash = mix(hash, board);
    const std::array<std::uint8_t, 6> small = {colour, turn, castling, en_passant, captured, winner};
    std::uint64_t rest = 0;
    for (const std::uint8_t value : small) rest = rest << 8 | value;
    return mix(mix(hash, rest), 0);
}

Deductions deduce(const Observation& observation) {
    return observation.colour == kWhite ? deduce_as<kWhite>(observation) : deduce_as<kBlack>(observation);
}

Bitboard visible_squares(const Position& position, Colour colour) {
    return colour == kWhite ? visible_as<kWhite>(position) : visible_as<kBlack>(position);
}

std::uint8_t winner_of(const Position& position) {
    if (position.king_captured()) return position.pieces(kWhite, kKing) != 0 ? kWhite : kBlack;
    const Colour us = position.turn;
    std::array<Bitboard, kNumKinds> kinds = position.kinds;
    for (Bitboard& board : kinds) board &= position.colours[us];
    const bool moves = us == kWhite ? has_move<kWhite>(kinds, position.colours[~us], position.en_passant)
                                    : has_move<kBlack>(kinds, position.colours[~us], position.en_passant);
    return moves ? kNobody : static_cast<std::uint8_t>(~us);
}

Observation observe(const Position& position, Colour colour) {
    Observation view;
    view.visible = visible_squares(position, colour);
    for (std::size_t kind = 0; kind < kNumKinds; ++kind) {
        view.own[kind] = position.kinds[kind] & position.colours[colour];
        view.seen[kind] = position.kinds[kind] & position.colours[~colour] & view.visible;
    }
    view.colour = colour;
    view.turn = position.turn;
    view.castling = position.castling & own_rights(colour);
    if (position.turn == colour) view.en_passant = position.en_passant;
    view.winner = winner_of(position);
    return view;
}

Square captured_square(const Position& before, Move move) {
    if ((before.occupied() & bit(move.to())) != 0) return move.to();
    if (move.to() != before.en_passant || before.kind_at(move.from()) != kPawn) return kNoSquare;
    return move.to() + (before.turn == kWhite ? -8 : 8);
}

Position stand_in(const Observation& observation) {
    const Deductions known = deduce(observation);
    Position position;
    position.turn = observation.colour;
    position.castling = observation.castling;
    position.en_passant = observation.en_passant;
    position.colours = {};
    for (std::size_t kind = 0; kind < kNumKinds; ++kind)
        position.kinds[kind] = observation.own[kind] | observation.seen[kind];
    position.colours[observation.colour] = all_of(observation.own);
    const Bitboard hidden = known.enemy & ~observation.visible;
    position.kinds[kPawn] |= hidden;
    position.colours[~observation.colour] = known.enemy;
    if (observation.seen[kKing] == 0) {
        const Bitboard dark = ~observation.visible & ~known.no_enemy;
        const Bitboard spot = hidden != 0 ? hidden : dark;
        if (spot != 0) {
            const Bitboard king = bit(lowest(spot));
            position.kinds[kPawn] &= ~king;
            position.kinds[kKing] |= king;
            position.colours[~observation.colour] |= king;
        }
    }
    return position;
}

void legal_moves(const Observation& observation, MoveList& moves) {
    if (observation.turn != observation.colour || observation.winner != kNobody) return;
    generate(stand_in(observation), moves);
}

}  // namespace murk::chess
