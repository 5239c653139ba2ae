// The weak evaluator of the 2025 paper's ablation: material, and how many squares a side sees.
#pragma once

#include "eval/evaluator.h"

namespace murk::eval {

// The squares that a side's pieces stand on or can move to.
chess::Bitboard seen_squares(const chess::Position& position, chess::Colour side);
// Pawn 1, knight and bishop 3, rook 5, queen 9: White's less Black's.
int material_balance(const chess::Position& position);

class Simple final : public Evaluator {
  public:
    // A square seen is worth `square` pawns; a lead of `tau` pawns is tanh(1).
    explicit Simple(double square = 0.05, double tau = 6.0) : square_(square), tau_(tau) {}

    std::string name() const override { return "simple"; }
    std::vector<std::pair<std::string, std::string>> parameters() const override;
    std::string licence() const override { return "MIT"; }

  protected:
    void open_values(std::span<const Request> requests) const override;

  private:
    double square_, tau_;
};

}  // namespace murk::eval
