// The quiescence search itself. Compiled several times with MURK_ISA naming the instruction set and MURK_SLIDERS its
// way of finding slider attacks; see chess/kernels.h and CMakeLists.txt.
#include <algorithm>
#include <utility>

#include "eval/exchange.h"
#include "eval/quiescence_kernels.h"

#define MURK_JOIN_(a, b) a##b
#define MURK_JOIN(a, b) MURK_JOIN_(a, b)

namespace murk::eval {
namespace {

using chess::Move;
using chess::MoveList;
using chess::Position;

// A type of this file's own makes every template below this file's own.
struct Sliders : chess::MURK_SLIDERS {};

// Takes the moves in order of a score, sorting only as far as they are used.
class Picker {
  public:
    template <class Score>
    Picker(const MoveList& moves, Score&& score) : size_(moves.size()) {
        for (int i = 0; i < size_; ++i) at(i) = static_cast<std::int64_t>(score(moves[i])) * kOne + moves[i].bits();
    }
    bool next(Move& move, int& score) {
        if (taken_ == size_) return false;
        int best = taken_;
        for (int i = taken_ + 1; i < size_; ++i)
            if (at(i) > at(best)) best = i;
        std::swap(at(taken_), at(best));
        const std::int64_t entry = at(taken_++);
        move = Move::from_bits(static_cast<std::uint16_t>(entry & (kOne - 1)));
        score = static_cast<int>(entry >> 16);
        return true;
    }

  private:
    static constexpr std::int64_t kOne = 1 << 16;
    std::int64_t& at(int i) { return entries_[static_cast<std::size_t>(i)]; }

    std::array<std::int64_t, chess::kMaxMoves> entries_;  // score * 2^16 + the move's bits
    int size_, taken_ = 0;
};

// From hundredths to the search's unit: tanh's argument is hundredths / 420.
constexpr int in_value_units(int hundredths) { return hundredths * kValueOne / 420; }

bool takes(const Position& position, Move move) {
    return (position.colours[~position.turn] & chess::bit(move.to())) != 0 || move.promotion() != chess::kPawn ||
           (move.to() == position.en_passant && position.kind_at(move.from()) == chess::kPawn);
}

// Can the side to move capture the king at once?
bool king_hangs(const Position& position) {
    const chess::Bitboard king = position.pieces(~position.turn, chess::kKing);
    return king != 0 && is_attacked_by<Sliders>(position, chess::lowest(king), position.turn);
}

bool attacked(const Position& position) {
    const chess::Bitboard king = position.pieces(position.turn, chess::kKing);
    return king != 0 && is_attacked_by<Sliders>(position, chess::lowest(king), ~position.turn);
}

class Search {
  public:
    explicit Search(QuiescenceStack& stack) : stack_(stack) { stack_.visited = 0; }

    int search(int ply, int alpha, int beta);

  private:
    using Node = QuiescenceStack::Node;

    int search_evasions(int ply, int alpha, int beta);
    int search_captures(int ply, int alpha, int beta);
    bool try_move(int ply, Move move, int& alpha, int beta, int& best);
    int static_value(int ply);
    const Accumulator& accumulator(int ply);
    Node& node(int ply) { return stack_.nodes[static_cast<std::size_t>(ply)]; }

    QuiescenceStack& stack_;
};

const Accumulator& Search::accumulator(int ply) {
    Node& here = node(ply);
    if (!here.ready) {
        stack_.network.update(node(ply - 1).position, here.move, here.position, accumulator(ply - 1), here.accumulator);
        here.ready = true;
    }
    return here.accumulator;
}

int Search::static_value(int ply) {
    const int value = stack_.network.value(node(ply).position, accumulator(ply));
    return std::clamp(value, -kLargestStatic, kLargestStatic);
}

int Search::search(int ply, int alpha, int beta) {
    ++stack_.visited;
    node(ply).leaf = node(ply).position;
    if (king_hangs(node(ply).position)) return kWon - ply;
    if (ply == QuiescenceStack::kMostPlies || stack_.visited >= stack_.limits.nodes) return static_value(ply);
    if (ply <= stack_.limits.evasions && attacked(node(ply).position)) return search_evasions(ply, alpha, beta);
    return search_captures(ply, alpha, beta);
}

// Plays the move and keeps its value if it is the best; true if that ends the search of this position.
bool Search::try_move(int ply, Move move, int& alpha, int beta, int& best) {
    Node& next = node(ply + 1);
    next.position = node(ply).position;
    next.position.play(move);
    next.move = move;
    next.ready = false;
    const int value = -search(ply + 1, -beta, -alpha);
    if (value <= best) return false;
    best = value;
    if (value > alpha) {
        alpha = value;
        node(ply).leaf = next.leaf;
    }
    return alpha >= beta;
}

int Search::search_evasions(int ply, int alpha, int beta) {
    const Position& position = node(ply).position;
    MoveList moves;
    chess::generate(position, moves);
    Picker picker(moves, [&](Move move) {
        const int kind = position.kind_at(move.from());
        return takes(position, move)
                   ? 100'000 + 8 * gain_of(position, move) - kPieceValue[static_cast<std::size_t>(kind)]
                   : (kind == chess::kKing ? 10 : -kind);
    });
    int best = -kWon + ply + 1, quiet = 0, score;
    for (Move move; picker.next(move, score);) {
        if (score < 50'000 && quiet >= stack_.limits.quiet_evasions) break;
        Position after = position;
        after.play(move);
        if (king_hangs(after)) continue;
        quiet += score < 50'000;
        if (try_move(ply, move, alpha, beta, best)) break;
    }
    return best;
}

int Search::search_captures(int ply, int alpha, int beta) {
    const Position& position = node(ply).position;
    const int still = static_value(ply);
    int best = still;
    if (best >= beta) return best;
    alpha = std::max(alpha, best);
    MoveList moves;
    list_captures<Sliders>(position, moves);
    Picker picker(
        moves, [&](Move move) { return 8 * gain_of(position, move) - kPieceValue[position.kind_at(move.from())] / 8; });
    int tried = 0, score;
    for (Move move; picker.next(move, score);) {
        if (ply > stack_.limits.recaptures_from && move.to() != node(ply).move.to()) continue;
        // Neither the victim nor what is left of the margin could raise alpha.
        const int hope = still + in_value_units(gain_of(position, move) + stack_.limits.margin);
        if (hope <= alpha) {
            best = std::max(best, hope);
            continue;
        }
        if (!exchange_is_won<Sliders>(position, move, 0)) continue;
        if (tried++ >= stack_.limits.captures) break;
        if (try_move(ply, move, alpha, beta, best)) return best;
    }
    return best;
}

int search(QuiescenceStack& stack) { return Search(stack).search(1, -kWon, kWon); }

}  // namespace

extern const QuiescenceKernels MURK_JOIN(quiescence_, MURK_ISA);
const QuiescenceKernels MURK_JOIN(quiescence_, MURK_ISA) = {search};

}  // namespace murk::eval
