#include "chess/position_set.h"

#include <algorithm>
#include <unordered_set>

#include "chess/notation.h"
#include "chess/side.h"

namespace murk::chess {
namespace {

class SplitMix {
  public:
    explicit SplitMix(std::uint64_t seed) : state_(seed) {}
    // A number below `bound`, each as likely as any other.
    std::uint64_t below(std::uint64_t bound) {
        const std::uint64_t excess = (0 - bound) % bound;  // 2^64 mod bound
        std::uint64_t drawn = next();
        while (drawn < excess) drawn = next();
        return drawn % bound;
    }

  private:
    std::uint64_t next() {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
        z = (z ^ z >> 27) * 0x94d049bb133111eb;
        return z ^ z >> 31;
    }
    std::uint64_t state_;
};

int code_at(const PackedBoard& board, int nth) {
    return static_cast<int>((board.codes >> nth & 1) | (board.codes >> (16 + nth) & 1) << 1 |
                            (board.codes >> (32 + nth) & 1) << 2);
}

// Whether a board can be an opponent's beside the player's pieces.
bool possible(const Known& known, const PackedBoard& board) {
    const Colour opponent = ~known.colour;
    const int pieces = count(board.squares), unused = 16 - pieces;
    if (pieces > 16 || (board.squares & all_of(known.own)) != 0 || (board.codes >> 48) != (kPacked >> 48)) return false;
    const std::uint64_t beyond = unused == 16 ? 0xffff : (0xffff << pieces) & 0xffff;
    if ((board.codes & (beyond | beyond << 16 | beyond << 32)) != 0) return false;
    for (int i = 0; i < pieces; ++i)
        if (code_at(board, i) == 6) return false;
    const Spread spread_out = spread(board);
    const Square home = opponent == kWhite ? 0 : 56;
    const Bitboard rooks = spread_out.castling_rooks(), king = spread_out.of(kKing);
    if ((rooks & ~(bit(home) | bit(home + 7))) != 0 || (rooks != 0 && king != bit(home + 4))) return false;
    if ((spread_out.of(kPawn) & (kRank1 | kRank8)) != 0 || count(king) > 1) return false;
    return king != 0 || known.winner == known.colour;
}

}  // namespace

PackedBoard pack_opponent(const Position& position, Colour opponent) {
    const Bitboard squares = position.colours[opponent];
    std::array<Bitboard, 3> planes{};
    for (std::size_t kind = 0; kind < kNumKinds; ++kind)
        for (std::size_t plane = 0; plane < 3; ++plane)
            if ((kind >> plane & 1) != 0) planes[plane] |= position.kinds[kind] & squares;
    const Square home = opponent == kWhite ? 0 : 56;
    if ((position.castling & (opponent == kWhite ? kWhiteShort : kBlackShort)) != 0) planes[2] |= bit(home + 7);
    if ((position.castling & (opponent == kWhite ? kWhiteLong : kBlackLong)) != 0) planes[2] |= bit(home);
    return pack(squares, planes[0], planes[1], planes[2]);
}

Position unpack(const Known& known, const PackedBoard& board) {
    const Colour opponent = ~known.colour;
    const Spread pieces = spread(board);
    Position position;
    position.colours[known.colour] = all_of(known.own);
    position.colours[opponent] = pieces.squares;
    for (int kind = 0; kind < kNumKinds; ++kind)
        position.kinds[static_cast<std::size_t>(kind)] =
            known.own[static_cast<std::size_t>(kind)] | pieces.of(static_cast<Kind>(kind));
    position.turn = known.turn;
    const Square home = opponent == kWhite ? 0 : 56;
    const Bitboard rooks = pieces.castling_rooks();
    position.castling = known.castling;
    if ((rooks & bit(home + 7)) != 0) position.castling |= opponent == kWhite ? kWhiteShort : kBlackShort;
    if ((rooks & bit(home)) != 0) position.castling |= opponent == kWhite ? kWhiteLong : kBlackLong;
    if (known.en_passant != kNoSquare &&
        (pawn_attacks(~known.turn, known.en_passant) & position.pieces(known.turn, kPawn)) != 0)
        position.en_passant = known.en_passant;
    return position;
}

PositionSet single(const Position& position, Colour colour) {
    PositionSet set;
    const Observation view = observe(position, colour);
    set.known = {view.own, colour, position.turn, view.castling, position.en_passant, view.winner};
    set.boards = BoardBuffer(1);
    set.boards[0] = pack_opponent(position, ~colour);
    return set;
}

bool contains(const PositionSet& set, const Position& position) {
    const Colour colour = set.known.colour;
    const PackedBoard board = pack_opponent(position, ~colour);
    if (unpack(set.known, board) != position) return false;
    return std::binary_search(set.boards.begin(), set.boards.end(), board, comes_before);
}

bool same(const PositionSet& a, const PositionSet& b) {
    return a.known == b.known && std::equal(a.boards.begin(), a.boards.end(), b.boards.begin(), b.boards.end());
}

PositionSet slice(const PositionSet& set, std::size_t first, std::size_t last) {
    PositionSet part;
    part.known = set.known;
    part.complete = set.complete;
    last = std::min(last, set.size());
    if (first >= last) return part;
    part.boards = BoardBuffer(last - first);
    std::copy(set.boards.begin() + first, set.boards.begin() + last, part.boards.data());
    return part;
}

PositionSet without(const PositionSet& set, const PositionSet& other) {
    if (set.known != other.known) throw Error("sets to compare must know the same");
    PositionSet left;
    left.known = set.known;
    left.complete = set.complete;
    left.boards = BoardBuffer(set.size());
    const PackedBoard* const end = std::set_difference(set.boards.begin(), set.boards.end(), other.boards.begin(),
                                                       other.boards.end(), left.boards.data(), comes_before);
    left.boards.shrink(static_cast<std::size_t>(end - left.boards.data()));
    return left;
}

std::vector<std::size_t> sample(std::size_t size, std::size_t count, std::uint64_t seed) {
    count = std::min(count, size);
    SplitMix random(seed);
    std::vector<std::size_t> drawn;
    std::unordered_set<std::size_t> taken;
    // Floyd's method: each of the last `count` numbers is drawn, or replaced by a smaller one.
    for (std::size_t last = size - count; last < size; ++last) {
        const std::size_t candidate = random.below(last + 1);
        drawn.push_back(taken.insert(candidate).second ? candidate : last);
        if (drawn.back() == last) taken.insert(last);
    }
    for (std::size_t i = drawn.size(); i > 1; --i) std::swap(drawn[i - 1], drawn[random.below(i)]);
    return drawn;
}

PieceCounts count_pieces(const PositionSet& set) {
    std::array<std::array<std::uint64_t, 8>, 64> seen{};
    for (const PackedBoard& board : set.boards) {
        int nth = 0;
        for (Bitboard left = board.squares; left != 0; ++nth)
            ++seen[static_cast<std::size_t>(pop_lowest(left))][static_cast<std::size_t>(code_at(board, nth))];
    }
    const std::size_t own = set.known.colour == kWhite ? 1 : 7, theirs = 8 - own;
    PieceCounts counts{};
    for (std::size_t square = 0; square < 64; ++square) {
        seen[square][kRook] += seen[square][kCastlingRook];
        std::uint64_t held = 0;
        for (std::size_t kind = 0; kind < kNumKinds; ++kind) {
            counts[square][theirs + kind] = seen[square][kind];
            if ((set.known.own[kind] >> square & 1) != 0) counts[square][own + kind] = set.size();
            held += counts[square][theirs + kind] + counts[square][own + kind];
        }
        counts[square][0] = set.size() - held;
    }
    return counts;
}

std::uint64_t count_moves(const PositionSet& set) {
    std::uint64_t total = 0;
    for (const PackedBoard& board : set.boards)
        total += static_cast<std::uint64_t>(count_moves(unpack(set.known, board)));
    return total;
}

void check(const PositionSet& set) {
    std::optional<Observation> first;
    PackedBoard before{};
    for (const PackedBoard& board : set.boards) {
        if (!possible(set.known, board)) throw Error("a board of the set cannot be");
        if (first.has_value() && !comes_before(before, board)) throw Error("the boards of the set are not in order");
        const Observation view = observe(unpack(set.known, board), set.known.colour);
        if (!first.has_value()) first = view;
        if (view != *first) throw Error("the boards of the set do not look the same");
        before = board;
    }
    if (first.has_value() && first->winner != set.known.winner) throw Error("the set has the wrong winner");
}

}  // namespace murk::chess
