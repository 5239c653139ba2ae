#include "eval/quiescence.h"

#include <algorithm>
#include <utility>

#include "eval/evaluator.h"
#include "eval/exchange.h"

namespace murk::eval {

using chess::Move;
using chess::MoveList;
using chess::Position;

namespace {

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

}  // namespace

void Quiescence::set_parent(const Position& position) {
    Node& parent = node(0);
    parent.position = position;
    network_.refresh(position, parent.accumulator);
    parent.ready = true;
}

int Quiescence::value_after(Move move) {
    node(1).position = node(0).position;
    node(1).position.play(move);
    node(1).move = move;
    node(1).ready = false;
    return run();
}

int Quiescence::value_here() {
    node(1).position = node(0).position;
    node(1).accumulator = node(0).accumulator;
    node(1).ready = true;
    return run();
}

int Quiescence::run() {
    visited_ = 0;
    return search(1, -kWon, kWon);
}

const Accumulator& Quiescence::accumulator(int ply) {
    Node& here = node(ply);
    if (!here.ready) {
        network_.update(node(ply - 1).position, here.move, here.position, accumulator(ply - 1), here.accumulator);
        here.ready = true;
    }
    return here.accumulator;
}

int Quiescence::static_value(int ply) {
    return std::clamp(network_.value(node(ply).position, accumulator(ply)), -kLargestStatic, kLargestStatic);
}

int Quiescence::search(int ply, int alpha, int beta) {
    ++visited_;
    node(ply).leaf = node(ply).position;
    if (can_capture_king(node(ply).position)) return kWon - ply;
    if (ply == kMostPlies || visited_ >= limits_.nodes) return static_value(ply);
    if (ply <= limits_.evasions && king_attacked(node(ply).position)) return search_evasions(ply, alpha, beta);
    return search_captures(ply, alpha, beta);
}

// Plays the move and keeps its value if it is the best; true if that ends the search of this position.
bool Quiescence::try_move(int ply, Move move, int& alpha, int beta, int& best) {
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

int Quiescence::search_evasions(int ply, int alpha, int beta) {
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
        if (score < 50'000 && quiet >= limits_.quiet_evasions) break;
        Position after = position;
        after.play(move);
        if (can_capture_king(after)) continue;
        quiet += score < 50'000;
        if (try_move(ply, move, alpha, beta, best)) break;
    }
    return best;
}

int Quiescence::search_captures(int ply, int alpha, int beta) {
    const Position& position = node(ply).position;
    const int still = static_value(ply);
    int best = still;
    if (best >= beta) return best;
    alpha = std::max(alpha, best);
    MoveList moves;
    generate_captures(position, moves);
    Picker picker(
        moves, [&](Move move) { return 8 * gain_of(position, move) - kPieceValue[position.kind_at(move.from())] / 8; });
    int tried = 0, score;
    for (Move move; picker.next(move, score);) {
        if (ply > limits_.recaptures_from && move.to() != node(ply).move.to()) continue;
        // Neither the victim nor what is left of the margin could raise alpha.
        const int hope = still + in_value_units(gain_of(position, move) + limits_.margin);
        if (hope <= alpha) {
            best = std::max(best, hope);
            continue;
        }
        if (!exchange_wins(position, move, 0)) continue;
        if (tried++ >= limits_.captures) break;
        if (try_move(ply, move, alpha, beta, best)) return best;
    }
    return best;
}

}  // namespace murk::eval
