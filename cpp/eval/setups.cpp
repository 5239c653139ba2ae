#include "eval/setups.h"

#include <array>
#include <utility>
#include <vector>

#include "chess/attacks.h"
#include "chess/movegen.h"

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

constexpr Bitboard kLastRanks = 0xff000000000000ff;
constexpr int kMostPawns = 8;  // a side

void put(Position& position, Square square, Colour colour, Kind kind) {
    position.kinds[kind] |= bit(square);
    position.colours[colour] |= bit(square);
}

void take_away(Position& position, Square square) {
    for (auto& board : position.kinds) board &= ~bit(square);
    for (auto& board : position.colours) board &= ~bit(square);
}

Square random_square(Bitboard allowed, Random& random) {
    for (int skip = random.below(chess::count(allowed)); skip > 0; --skip) chess::pop_lowest(allowed);
    return chess::lowest(allowed);
}

void put_anywhere(Position& position, Colour colour, Kind kind, Random& random) {
    const Bitboard allowed = ~position.occupied() & (kind == chess::kPawn ? ~kLastRanks : ~Bitboard{0});
    put(position, random_square(allowed, random), colour, kind);
}

template <std::size_t N>
Position set_up(int most, const std::array<Kind, N>& kinds, Random& random) {
    Position position;
    position.turn = random.chance(0.5) ? chess::kWhite : chess::kBlack;
    for (const Colour colour : {chess::kWhite, chess::kBlack}) {
        put_anywhere(position, colour, chess::kKing, random);
        for (int left = random.below(most + 1); left > 0; --left) {
            const Kind kind = random.one_of(kinds);
            const bool enough = kind == chess::kPawn && chess::count(position.pieces(colour, kind)) == kMostPawns;
            put_anywhere(position, colour, enough ? chess::kKnight : kind, random);
        }
    }
    return position;
}

// What the side to move sees: its own pieces, where they can go, and a pawn that can be taken in passing.
Bitboard seen_squares(const Position& position) {
    MoveList moves;
    generate(position, moves);
    Bitboard seen = position.colours[position.turn];
    for (const Move move : moves) seen |= bit(move.to());
    if (position.en_passant != chess::kNoSquare) seen |= bit(position.en_passant ^ 8);
    return seen;
}

// Squares diagonally before the own pawns: an enemy there would be seen. And squares straight before them, where the
// presence of something is seen, though not what it is.
std::pair<Bitboard, Bitboard> pawn_facts(const Position& position) {
    Bitboard diagonal = 0, front = 0;
    for (Bitboard pawns = position.pieces(position.turn, chess::kPawn); pawns != 0;) {
        const Square square = chess::pop_lowest(pawns);
        diagonal |= chess::pawn_attacks(position.turn, square);
        const Square step = position.turn == chess::kWhite ? 8 : -8;
        front |= bit(square + step);
        if (chess::rank_of(square) == (position.turn == chess::kWhite ? 1 : 6)) front |= bit(square + 2 * step);
    }
    return {diagonal, front};
}

}  // namespace

Position random_endgame(Random& random) {
    constexpr std::array<Kind, 9> kKinds = {chess::kPawn,   chess::kPawn, chess::kPawn, chess::kPawn, chess::kKnight,
                                            chess::kBishop, chess::kRook, chess::kRook, chess::kQueen};
    return set_up(5, kKinds, random);
}

Position random_material(Random& random) {
    constexpr std::array<Kind, 6> kKinds = {chess::kPawn,   chess::kPawn, chess::kKnight,
                                            chess::kBishop, chess::kRook, chess::kQueen};
    return set_up(15, kKinds, random);
}

Position shuffled_fog(const Position& position, Random& random) {
    const Colour enemy = ~position.turn;
    const auto [diagonal, front] = pawn_facts(position);
    const Bitboard hidden = ~seen_squares(position);
    // A pawn that can be taken in passing has come from there and over there just now.
    const Bitboard passed =
        position.en_passant == chess::kNoSquare ? 0 : bit(position.en_passant) | bit(position.en_passant ^ 24);
    Position result = position;
    Bitboard movable = position.colours[enemy] & hidden & ~front;
    std::vector<Kind> lifted;
    while (movable != 0) {
        const Square square = chess::pop_lowest(movable);
        if (random.chance(0.5)) continue;
        lifted.push_back(position.kind_at(square));
        take_away(result, square);
    }
    // Pawns first: they can stand on fewer squares.
    for (const bool pawns : {true, false})
        for (const Kind kind : lifted) {
            if ((kind == chess::kPawn) != pawns) continue;
            const Bitboard allowed =
                hidden & ~diagonal & ~front & ~passed & ~result.occupied() & (pawns ? ~kLastRanks : ~0ull);
            put(result, random_square(allowed, random), enemy, kind);
        }
    const std::uint8_t own = position.turn == chess::kWhite ? chess::kWhiteShort | chess::kWhiteLong
                                                            : chess::kBlackShort | chess::kBlackLong;
    // The enemy's rights are not known; they stay only where nothing has moved.
    const Bitboard home = position.turn == chess::kWhite ? 0x9100000000000000 : 0x91;
    const auto changed = [&](Kind kind) {
        return ((position.pieces(enemy, kind) ^ result.pieces(enemy, kind)) & home) != 0;
    };
    if (changed(chess::kKing) || changed(chess::kRook)) result.castling &= own;
    return result;
}

}  // namespace murk::eval
