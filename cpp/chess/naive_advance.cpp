// The belief step as one would first write it: make each child, compute its view, compare, drop what is there already.
#include <algorithm>
#include <vector>

#include "chess/position_set.h"

namespace murk::chess {
namespace {

// An open-addressing table that doubles.
class SeenBefore {
  public:
    SeenBefore() : table_(1024) {}

    void insert(const PackedBoard& board) {
        if (2 * size_ >= table_.size()) grow();
        size_ += place(board);
    }
    std::vector<PackedBoard> sorted() const {
        std::vector<PackedBoard> boards;
        for (const PackedBoard& board : table_)
            if (board.codes != 0) boards.push_back(board);
        std::sort(boards.begin(), boards.end(), comes_before);
        return boards;
    }

  private:
    bool place(const PackedBoard& board) {
        std::size_t at = hash_of(board) & (table_.size() - 1);
        for (; table_[at].codes != 0; at = (at + 1) & (table_.size() - 1))
            if (table_[at] == board) return false;
        table_[at] = board;
        return true;
    }
    void grow() {
        std::vector<PackedBoard> old(2 * table_.size());
        old.swap(table_);
        for (const PackedBoard& board : old)
            if (board.codes != 0) place(board);
    }

    std::vector<PackedBoard> table_;
    std::size_t size_ = 0;
};

bool looks_like(const Position& position, const Observation& observation) {
    const Colour us = observation.colour;
    if (visible_squares(position, us) != observation.visible) return false;
    for (std::size_t kind = 0; kind < kNumKinds; ++kind) {
        if ((position.kinds[kind] & position.colours[us]) != observation.own[kind]) return false;
        if ((position.kinds[kind] & position.colours[~us] & observation.visible) != observation.seen[kind])
            return false;
    }
    Observation view = observe(position, us);
    view.captured = observation.captured;
    return view == observation;
}

template <class Moves>
PositionSet advance(const PositionSet& set, const Observation& observation, Moves&& moves_of) {
    SeenBefore children;
    PositionSet next;
    next.known = {observation.own,      set.known.colour,       observation.turn,
                  observation.castling, observation.en_passant, observation.winner};
    for (const PackedBoard& board : set.boards) {
        const Position position = unpack(set.known, board);
        MoveList moves;
        moves_of(position, moves);
        for (const Move move : moves) {
            Position child = position;
            child.play(move);
            if (!looks_like(child, observation)) continue;
            children.insert(pack_opponent(child, ~set.known.colour));
        }
    }
    const std::vector<PackedBoard> boards = children.sorted();
    if (boards.empty()) return next;
    next.boards = BoardBuffer(boards.size());
    std::copy(boards.begin(), boards.end(), next.boards.data());
    return next;
}

}  // namespace

PositionSet after_own_move_naive(const PositionSet& set, Move move, const Observation& observation) {
    PositionSet next = advance(set, observation, [&](const Position&, MoveList& moves) { moves.push_back(move); });
    const bool pawn = (set.known.own[kPawn] >> move.from() & 1) != 0;
    const int step = move.to() - move.from();
    if (pawn && (step == 16 || step == -16)) next.known.en_passant = static_cast<std::uint8_t>(move.from() + step / 2);
    return next;
}

PositionSet after_opponent_move_naive(const PositionSet& set, const Observation& observation) {
    return advance(set, observation, [](const Position& position, MoveList& moves) { generate(position, moves); });
}

}  // namespace murk::chess
