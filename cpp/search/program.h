// The sequence-form linear program of a trunk, which grows with it.
//
// Columns and rows are only ever appended, so that the basis of one solution is the start of the next. Variables are
// the realisation plan p of one player (column 0: her empty sequence, fixed to 1) and a free value v for each infoset
// of the other; everything is from her own side, so the program is a maximisation (see solve/lp_assembly.h).
//
// Entries are only ever added to, too: a node that is expanded keeps its payoff, and each child pays the difference to
// its parent. As the actions at a node share its probability, that is the same game.
//
// Both gadgets are one program with other bounds. From the opponent's side her entry sequences e_1 .. e_N add up to 1
// (maxmargin), or are at most 1/N each (resolve: the rest exits, which pays 0). From ours, the row of e_i reads "margin
// of i >= v + w_i": v is free and w = 0 in maxmargin; v = 0 and w_i <= 0 costs 1/N in resolve.
#pragma once

#include <cstdint>
#include <vector>

#include "search/trunk.h"

namespace murk::search {

enum class Gadget : std::uint8_t { kPlain, kMaxmargin, kResolve };

struct ProgramArrays {
    double offset = 0.0;
    std::vector<double> cost, column_lower, column_upper, row_lower, row_upper;
    std::vector<std::int32_t> start, index;  // by rows
    std::vector<double> value;
};

// Where a simplex method may begin with columns or rows that are new.
enum class BasisStatus : std::int8_t { kLower = 0, kBasic = 1, kUpper = 2, kZero = 3 };

class Program {
  public:
    Program(const Trunk& trunk, int player);

    int player() const { return player_; }
    std::size_t num_columns() const { return columns_; }
    std::size_t num_rows() const { return rows_; }
    std::size_t num_entries() const { return row_.size(); }

    // Takes in what the trunk has got since the last time.
    void update();
    // The whole program, entries at the same place added up. `unit` divides payoffs. With `tremble` the opponent enters
    // each root of the gadget with at least that probability (times 1/N): of the many optima, one that does well at
    // every root, not only at the worst.
    ProgramArrays arrays(Gadget gadget, double unit, double tremble) const;
    // A basis for all columns and rows from these on: at each new infoset the action that is best against the other
    // player's part of the last solution, as far as the nodes from `first_node` on tell.
    void new_basis(std::size_t first_column, std::size_t first_row, std::size_t first_node,
                   const std::array<std::span<const double>, kNumPlayers>& last, std::vector<std::int8_t>& columns,
                   std::vector<std::int8_t>& rows) const;
    // Both players' sequence forms from column values and row duals, MAX's first: rounding is cleared, and each infoset
    // adds up to its parent.
    std::array<std::vector<double>, kNumPlayers> strategies(std::span<const double> column_value,
                                                            std::span<const double> row_dual, Gadget gadget,
                                                            double tolerance, double tremble) const;
    double largest_payoff() const { return largest_; }

  private:
    void add_infosets();
    void add_nodes();
    void entry(std::int32_t row, std::int32_t column, double value) {
        row_.push_back(row);
        column_.push_back(column);
        entry_.push_back(value);
    }

    const Trunk& trunk_;
    int player_;
    double sign_;
    std::size_t columns_ = 1, rows_ = 0;
    std::size_t seen_nodes_ = 0;
    std::array<std::size_t, kNumPlayers> seen_infosets_{};
    std::vector<std::int32_t> column_of_sequence_{0};               // own sequences
    std::vector<std::int32_t> row_of_sequence_{kNone};              // the other's; the empty one's row is the objective
    std::vector<std::int32_t> column_of_infoset_, row_of_infoset_;  // kNone where nobody acts
    std::vector<std::uint8_t> is_value_{0};                         // columns that are values of infosets
    std::vector<std::uint8_t> is_flow_;                             // rows that are equations
    std::vector<double> cost_{0.0};                                 // payoffs; values of infosets at the top count 1
    std::vector<std::int32_t> row_, column_;
    std::vector<double> entry_;
    std::vector<std::int32_t> shortfall_, surplus_;  // the columns w and z, from our side
    double largest_ = 0.0;
};

}  // namespace murk::search
