// The kernels themselves. Compiled several times with MURK_ISA naming the instruction set and MURK_SLIDERS its way of
// finding slider attacks; see belief_kernels.h and CMakeLists.txt.
#include "chess/belief_kernels.h"
#include "chess/side.h"

#define MURK_JOIN_(a, b) a##b
#define MURK_JOIN(a, b) MURK_JOIN_(a, b)

namespace murk::chess {
namespace {

// A type of this file's own makes every template below this file's own.
struct Sliders : MURK_SLIDERS {};

MURK_INLINE bool several(Bitboard board) { return (board & (board - 1)) != 0; }

// A piece of the observation is there and of another kind.
MURK_INLINE bool wrong_kind(const BeliefStep& step, const Spread& board) {
    const Bitboard differs = (board.planes[0] ^ step.planes[0]) | (board.planes[1] ^ step.planes[1]) |
                             ((board.planes[2] ^ step.planes[2]) & step.not_rooks);
    return (differs & step.seen & board.squares) != 0;
}

// Works out what one board can become, and writes it to `out`.
template <Colour them>
class Expander {
    using P = Pawns<them>;

  public:
    MURK_INLINE Expander(const BeliefStep& step, PackedBoard* out) : step_(step), out_(out) {}

    MURK_INLINE PackedBoard* out() const { return out_; }

    MURK_INLINE void expand(const PackedBoard& packed) {
        leave_ = packed.squares & step_.empty;
        fill_ = step_.enemy & ~packed.squares;
        // Castling changes four squares, any other move two of the opponent's.
        if (count(leave_) > 2 || count(fill_) > 2) return;
        board_ = spread(packed);
        if (wrong_kind(step_, board_)) return;
        occupied_ = board_.squares | step_.own;
        if (step_.passed_pawn != kNoSquare) return pass(step_.passed_pawn);
        if (step_.captured == kNoSquare) {
            if (board_.castling_rooks() != 0) castle();
        } else if (step_.en_passant != kNoSquare && step_.captured == step_.en_passant - P::kUp) {
            take_en_passant();
        }
        if (several(leave_) || several(fill_)) return;
        const Bitboard movers = leave_ != 0 ? leave_ : board_.squares & ~step_.enemy;
        if (step_.captured != kNoSquare) {
            const Bitboard target = bit(step_.captured) & ~step_.empty;
            if (target != 0 && (fill_ & ~target) == 0) arrive(movers, step_.captured);
        } else if (fill_ != 0) {
            arrive(movers, lowest(fill_));
        } else {
            wander(movers, ~(step_.empty | occupied_));
        }
    }

  private:
    // All moves from `movers` to `targets`, which are empty and of which nothing is known.
    MURK_INLINE void wander(Bitboard movers, Bitboard targets) {
        const Bitboard pawns = board_.of(kPawn) & movers;
        const Bitboard single = P::forward(pawns) & ~occupied_;
        Bitboard twice = P::forward(single & P::kThirdRank) & ~occupied_ & targets & step_.double_steps;
        for (Bitboard left = single & targets & ~P::kLastRank; left != 0;) {
            const Square to = pop_lowest(left);
            move<kPawn>(bit(to - P::kUp), bit(to));
        }
        for (Bitboard left = single & targets & P::kLastRank; left != 0;) {
            const Square to = pop_lowest(left);
            promote(bit(to - P::kUp), bit(to));
        }
        while (twice != 0) {
            const Square to = pop_lowest(twice);
            move<kPawn>(bit(to - 2 * P::kUp), bit(to));
        }
        wander_as<kKnight>(movers, targets, [](Square s) { return knight_attacks(s); });
        wander_as<kBishop>(movers, targets, [&](Square s) { return Sliders::bishop(s, occupied_); });
        wander_as<kRook>(movers, targets, [&](Square s) { return Sliders::rook(s, occupied_); });
        wander_as<kQueen>(movers, targets,
                          [&](Square s) { return Sliders::bishop(s, occupied_) | Sliders::rook(s, occupied_); });
        wander_as<kKing>(movers, targets, [](Square s) { return king_attacks(s); });
    }

    template <Kind kind, class Attacks>
    MURK_INLINE void wander_as(Bitboard movers, Bitboard targets, Attacks&& attacks) {
        for (Bitboard pieces = board_.of(kind) & movers; pieces != 0;) {
            const Square from = pop_lowest(pieces);
            for (Bitboard left = attacks(from) & targets; left != 0; left &= left - 1)
                move<kind>(bit(from), left & (0 - left));
        }
    }

    // All moves from `movers` to one square, where an own piece may be taken and a certain kind may be needed.
    void arrive(Bitboard movers, Square to) {
        const Bitboard target = bit(to);
        const int wanted = (step_.seen & target) != 0 ? seen_at(to) : kNoKind;
        const auto wants = [&](Kind kind) { return wanted == kNoKind || wanted == kind; };
        const Bitboard diagonal = Sliders::bishop(to, occupied_), straight = Sliders::rook(to, occupied_);
        arrive_by_pawn(movers & board_.of(kPawn), to, wanted);
        if (wants(kKnight)) arrive_as<kKnight>(movers & knight_attacks(to), target);
        if (wants(kBishop)) arrive_as<kBishop>(movers & diagonal, target);
        if (wants(kRook)) arrive_as<kRook>(movers & straight, target);
        if (wants(kQueen)) arrive_as<kQueen>(movers & (diagonal | straight), target);
        if (wants(kKing)) arrive_as<kKing>(movers & king_attacks(to), target);
    }

    template <Kind kind>
    MURK_INLINE void arrive_as(Bitboard movers, Bitboard target) {
        for (Bitboard left = movers & board_.of(kind); left != 0; left &= left - 1)
            move<kind>(left & (0 - left), target);
    }

    MURK_INLINE void arrive_by_pawn(Bitboard pawns, Square to, int wanted) {
        const Bitboard target = bit(to);
        Bitboard movers = 0;
        if (step_.captured != kNoSquare) {
            movers = pawns & pawn_attacks(~them, to);
        } else {
            const Bitboard behind = backward(target);
            movers = pawns & behind;
            if ((target & step_.double_steps) != 0 && (behind & occupied_) == 0) movers |= pawns & backward(behind);
        }
        for (; movers != 0; movers &= movers - 1) {
            const Bitboard from = movers & (0 - movers);
            if ((target & P::kLastRank) != 0) {
                promote(from, target, wanted);
            } else if (wanted == kNoKind || wanted == kPawn) {
                move<kPawn>(from, target);
            }
        }
    }

    // The double step after which we can capture en passant; nothing else explains that we can.
    MURK_INLINE void pass(Square to) {
        const Bitboard target = bit(to), middle = backward(target), from = backward(middle);
        if ((leave_ & ~from) != 0 || (fill_ & ~target) != 0 || (from & step_.enemy) != 0) return;
        if ((board_.of(kPawn) & from) != 0 && ((target | middle) & occupied_) == 0) move<kPawn>(from, target);
    }

    void take_en_passant() {
        const Bitboard target = bit(step_.en_passant);
        if ((fill_ & ~target) != 0 || (target & step_.empty) != 0) return;
        if ((target & step_.seen) != 0 && seen_at(step_.en_passant) != kPawn) return;
        Bitboard movers = board_.of(kPawn) & pawn_attacks(~them, step_.en_passant) & ~step_.enemy;
        for (; movers != 0; movers &= movers - 1) {
            const Bitboard from = movers & (0 - movers);
            if ((leave_ & ~from) == 0) move<kPawn>(from, target);
        }
    }

    void castle() {
        constexpr int home = them == kWhite ? 0 : 56;
        const Bitboard rooks = board_.castling_rooks();
        castle_with(rooks & Bitboard{0x80} << home, Bitboard{0x60} << home, Bitboard{0x40} << home,
                    Bitboard{0x20} << home);
        castle_with(rooks & Bitboard{0x01} << home, Bitboard{0x0e} << home, Bitboard{0x04} << home,
                    Bitboard{0x08} << home);
    }

    MURK_INLINE void castle_with(Bitboard rook, Bitboard between, Bitboard king_to, Bitboard rook_to) {
        constexpr Bitboard king = them == kWhite ? Bitboard{0x10} : Bitboard{0x10} << 56;
        if (rook == 0 || (occupied_ & between) != 0) return;
        const Bitboard from = king | rook, to = king_to | rook_to;
        if ((leave_ & ~from) != 0 || (fill_ & ~to) != 0 || (from & step_.enemy) != 0 || (to & step_.empty) != 0) return;
        if ((step_.seen & king_to) != 0 && seen_at(lowest(king_to)) != kKing) return;
        if ((step_.seen & rook_to) != 0 && seen_at(lowest(rook_to)) != kRook) return;
        const auto& [p0, p1, p2] = board_.planes;
        const Bitboard rights = board_.castling_rooks();
        *out_++ = pack(board_.squares ^ from ^ to, p0 ^ from ^ to, p1 ^ rook ^ rook_to, p2 ^ rights ^ king ^ king_to);
    }

    template <Kind kind>
    MURK_INLINE void move(Bitboard from, Bitboard to) {
        const Bitboard both = from | to;
        auto [p0, p1, p2] = board_.planes;
        if constexpr (kind == kKnight || kind == kRook || kind == kKing) p0 ^= both;
        if constexpr (kind == kBishop || kind == kRook) p1 ^= both;
        if constexpr (kind == kRook) p2 &= ~from;  // it can no longer castle
        if constexpr (kind == kKing) p2 ^= board_.castling_rooks();
        if constexpr (kind == kQueen || kind == kKing) p2 ^= both;
        *out_++ = pack(board_.squares ^ both, p0, p1, p2);
    }

    void promote(Bitboard from, Bitboard to, int wanted = kNoKind) {
        const auto& [p0, p1, p2] = board_.planes;
        for (const Kind kind : {kQueen, kRook, kBishop, kKnight}) {
            if (wanted != kNoKind && wanted != kind) continue;
            *out_++ = pack(board_.squares ^ from ^ to, (kind & 1) != 0 ? p0 | to : p0, (kind & 2) != 0 ? p1 | to : p1,
                           (kind & 4) != 0 ? p2 | to : p2);
        }
    }

    MURK_INLINE int seen_at(Square square) const {
        const auto& planes = step_.planes;
        return static_cast<int>((planes[0] >> square & 1) | (planes[1] >> square & 1) << 1 |
                                (planes[2] >> square & 1) << 2);
    }

    MURK_INLINE static Bitboard backward(Bitboard board) { return them == kWhite ? board >> 8 : board << 8; }

    const BeliefStep& step_;
    PackedBoard* out_;
    Spread board_{};
    Bitboard occupied_ = 0;
    Bitboard leave_ = 0;  // pieces that must go from where they stand
    Bitboard fill_ = 0;   // squares where one must arrive
};

template <Colour them>
std::size_t expand_all(const BeliefStep& step, const PackedBoard* boards, std::size_t count, PackedBoard* out) {
    Expander<them> expander(step, out);
    for (std::size_t i = 0; i < count; ++i) expander.expand(boards[i]);
    return static_cast<std::size_t>(expander.out() - out);
}

template <Colour them>
bool can_move(const BeliefStep& step, const Spread& board) {
    const std::array<Bitboard, kNumKinds> kinds = {board.of(kPawn), board.of(kKnight), board.of(kBishop),
                                                   board.of(kRook), board.of(kQueen),  board.of(kKing)};
    return has_move<them>(kinds, step.own, step.en_passant);
}

template <Colour them>
std::size_t keep_all(const BeliefStep& step, const PackedBoard* boards, std::size_t count, PackedBoard* out) {
    const Bitboard known = step.empty | step.enemy;
    const Bitboard taken = step.captured == kNoSquare ? 0 : bit(step.captured);
    const PackedBoard* const begin = out;
    for (std::size_t i = 0; i < count; ++i) {
        if ((boards[i].squares & ~taken & known) != step.enemy) continue;
        Spread board = spread(boards[i]);
        board.squares &= ~taken;
        if (wrong_kind(step, board)) continue;
        if (taken == 0) {
            if (can_move<them>(step, board) == step.leaves_move) *out++ = boards[i];
            continue;
        }
        // Without its king a side has no rights left.
        if (step.takes_king) board.planes[2] ^= board.castling_rooks();
        for (Bitboard& plane : board.planes) plane &= ~taken;
        if (step.takes_king || can_move<them>(step, board) == step.leaves_move)
            *out++ = pack(board.squares, board.planes[0], board.planes[1], board.planes[2]);
    }
    return static_cast<std::size_t>(out - begin);
}

std::size_t after_opponent_move(const BeliefStep& step, const PackedBoard* boards, std::size_t count,
                                PackedBoard* out) {
    return step.opponent == kWhite ? expand_all<kWhite>(step, boards, count, out)
                                   : expand_all<kBlack>(step, boards, count, out);
}

std::size_t after_own_move(const BeliefStep& step, const PackedBoard* boards, std::size_t count, PackedBoard* out) {
    return step.opponent == kWhite ? keep_all<kWhite>(step, boards, count, out)
                                   : keep_all<kBlack>(step, boards, count, out);
}

}  // namespace

extern const BeliefKernels MURK_JOIN(belief_kernels_, MURK_ISA);
const BeliefKernels MURK_JOIN(belief_kernels_, MURK_ISA) = {after_opponent_move, after_own_move};

}  // namespace murk::chess
