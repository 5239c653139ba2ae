// The value function of dark chess: one number in [-1, 1] for every legal move, from the mover's side.
//
// An evaluator is asked only about what the rules leave open. They decide three kinds of move by themselves: one that
// captures the king is worth +1, one after which the own king can be captured -1, and one that leaves the opponent no
// move +1. `Evaluator::values` applies them, so that no engine, net or plug-in ever has a say in them; an
// implementation sees the other moves alone, through `open_values`.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "chess/position.h"

namespace murk::eval {

// What the rules alone say a move is worth to the side that plays it, or nothing if they do not decide. If `child` is
// given it receives the position after the move.
std::optional<float> decided_value(const chess::Position& position, chess::Move move, chess::Position* child = nullptr);

// Can a piece of `by` capture on `square`? The king's square of the side to move may be asked for as well.
bool is_attacked(const chess::Position& position, chess::Square square, chess::Colour by);
// Can the side to move capture the king at once?
bool can_capture_king(const chess::Position& position);
// Could the opponent capture the king of the side to move, were it its turn ("in check")?
bool king_attacked(const chess::Position& position);

// One position and some of its legal moves. The spans are the caller's: `values` has one place for each of `moves`.
struct Request {
    chess::Position position;
    std::span<const chess::Move> moves;
    std::span<float> values;
};

// Any number of threads may call the methods of one evaluator at the same time.
class Evaluator {
  public:
    virtual ~Evaluator() = default;
    Evaluator() = default;
    Evaluator(const Evaluator&) = delete;
    Evaluator& operator=(const Evaluator&) = delete;

    // The value of each move of each request, in place.
    void values(std::span<const Request> requests) const;
    // The same for one position.
    void values(const chess::Position& position, std::span<const chess::Move> moves, std::span<float> out) const;

    // The same where the caller has made sure that the rules decide nothing, as `open_values` says.
    void undecided_values(const chess::Position& position, std::span<const chess::Move> moves,
                          std::span<float> out) const;
    // Is a move always worth the same as any other that leads to the same position? Then it may be remembered.
    virtual bool values_positions() const { return false; }

    virtual std::string name() const = 0;
    // What the values depend on, in words: version, depth, tau, ...
    virtual std::vector<std::pair<std::string, std::string>> parameters() const = 0;
    // The licence of what computes the values, as an SPDX identifier ("MIT", "GPL-3.0-or-later").
    virtual std::string licence() const = 0;

  protected:
    // As `values`, for moves that the rules do not decide: both kings stand after them, the mover's king cannot be
    // captured at once and the opponent has a move. Results are clamped to [-1, 1] by the caller.
    virtual void open_values(std::span<const Request> requests) const = 0;
};

}  // namespace murk::eval
