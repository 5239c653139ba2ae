// The draws a player may fear: what she has seen before in this game, and for how long nothing irreversible.
//
// A player does not know whether the position is the same when she sees the same. A view for the third time could be a
// draw, and so could the fiftieth move without a capture or pawn move that she has noticed; what could be drawn is
// worth nothing more than a draw to her (Appendix of [ZS21]).
#pragma once

#include <unordered_map>

#include "chess/observation.h"
#include "search/growing/game.h"

namespace murk::growing {

// What a player sees, without the note of what was just captured: her pieces tell her.
inline Key view_of(chess::Observation seen) {
    seen.captured = chess::kNoSquare;
    return seen.key();
}

class Draws {
  public:
    explicit Draws(chess::Colour we) : we_(we) {}

    // After every ply; `own` is her move if it was hers.
    void observe(const chess::Observation& seen, chess::Move own) {
        if (is_irreversible(seen, own)) {
            quiet_ = num_feared_ = 0;
            views_.clear();
        } else {
            ++quiet_;
        }
        num_feared_ += ++views_[view_of(seen)] == kSeenBefore;
        last_ = seen;
    }

    // How much there is to fear; a change means that what was expected of positions no longer holds.
    int feared() const { return num_feared_ + (quiet_ >= kQuietPlies ? 1 : 0); }
    // Whether a position, the next after what she sees now or further on, could be drawn.
    bool could_be_drawn(const chess::Position& before, chess::Move move, const chess::Position& after) const {
        if (num_feared_ > 0) {
            const auto it = views_.find(view_of(observe_as(after)));
            if (it != views_.end() && it->second >= kSeenBefore) return true;
        }
        return quiet_ >= kQuietPlies && before.kind_at(move.from()) != chess::kPawn &&
               chess::captured_square(before, move) == chess::kNoSquare;
    }

  private:
    static constexpr int kSeenBefore = 2;
    static constexpr int kQuietPlies = 96;  // two moves are left to do something about it

    chess::Observation observe_as(const chess::Position& position) const { return chess::observe(position, we_); }

    bool is_irreversible(const chess::Observation& seen, chess::Move own) const {
        using chess::Bitboard;
        if (own) {
            const Bitboard from = Bitboard{1} << own.from(), to = Bitboard{1} << own.to();
            return ((last_.own[chess::kPawn] & from) | (chess::all_of(last_.seen) & to)) != 0;
        }
        if (chess::count(chess::all_of(seen.own)) < chess::count(chess::all_of(last_.own))) return true;
        return ((seen.seen[chess::kPawn] ^ last_.seen[chess::kPawn]) & seen.visible & last_.visible) != 0;
    }

    chess::Colour we_;
    std::unordered_map<Key, int> views_;
    chess::Observation last_;
    int quiet_ = -1;      // the first view is no ply
    int num_feared_ = 0;  // views that must not come again
};

}  // namespace murk::growing
