// The sequence-form linear program of a trunk, which grows with it.
//
// Columns and rows are only ever appended, so that the basis of one solution is the start of the next. Variables are
// the realisation plan p of one player (column 0: her empty sequence, fixed to 1) and a free value v for each infoset
// of the other; everything is from her own side, so the program is a maximisation (see solve/lp_assembly.h).
//
// Entries are appended, too: a node that is expanded keeps its payoff, and each child pays the difference to its
// parent. As the actions at a node share its probability, that is the same game. So a solver has to be told of new
// columns and new rows alone, but for one case: a node is expanded whose infosets both have been there before, and its
// children pay at old rows and old columns, where a solver would have to shift all its entries for each of them. Such a
// node gets a column and a row of its own. If our player acts there, it is a value v_h <= sum of the payoffs, which
// counts in the old row; if the other acts, a copy of the old column. (Where nature acts, an old entry changes.)
//
// Both gadgets are one program with other bounds. From the opponent's side her entry sequences e_1 .. e_N add up to 1
// (maxmargin), or are at most 1/N each (resolve: the rest exits, which pays 0). From ours, the row of e_i reads "margin
// of i >= v + w_i": v is free and w = 0 in maxmargin; v = 0 and w_i <= 0 costs 1/N in resolve.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "search/trunk.h"

namespace murk::search {

enum class Gadget : std::uint8_t { kPlain, kMaxmargin, kResolve };

// Objective and bounds. The entries are the same for all gadgets.
struct ProgramVectors {
    double offset = 0.0;
    std::vector<double> cost, column_lower, column_upper, row_lower, row_upper;
};

struct SparseEntries {
    std::vector<std::int32_t> start, index;
    std::vector<double> value;
};

// How far a solver has been told of a program.
struct ProgramMark {
    std::size_t columns = 0, rows = 0, entries = 0;
};

struct ProgramGrowth {
    SparseEntries columns;  // of each new column, in old rows
    SparseEntries rows;     // of each new row, in all columns
    // Entries in old rows and columns, by (row, column), and what they are now.
    std::vector<std::pair<std::int32_t, std::int32_t>> changed;
    std::vector<double> changed_value;
};

// Where the program has the parts of the game: by sequence and by infoset, kNone where there is nothing.
struct ProgramPlaces {
    std::vector<std::int32_t> column_of_sequence, row_of_sequence, column_of_infoset, row_of_infoset;
};

// Where a simplex method may begin with columns or rows that are new.
enum class BasisStatus : std::int8_t { kLower = 0, kBasic = 1, kUpper = 2, kZero = 3 };

struct ProgramBasis {
    std::vector<std::int8_t> columns, rows;  // of BasisStatus
};

class Program {
  public:
    Program(const Trunk& trunk, int player);

    int player() const { return player_; }
    std::size_t num_columns() const { return columns_; }
    std::size_t num_rows() const { return rows_; }
    ProgramMark mark() const { return {columns_, rows_, row_.size()}; }
    const ProgramPlaces& places() const { return places_; }

    // Takes in what the trunk has got since the last time.
    void update();
    // `unit` divides payoffs. With `tremble` the opponent enters each root of the gadget with at least that probability
    // (times 1/N): of the many optima, one that does well at every root, not only at the worst.
    ProgramVectors vectors(Gadget gadget, double unit, double tremble) const;
    // What is new since a mark, entries at the same place added up; from {} on, the whole program by rows.
    ProgramGrowth growth(const ProgramMark& since, double unit) const;
    // A basis for all columns and rows from these on: at each new infoset the action that is best against the other
    // player's part of the last solution, as far as the nodes from `first_node` on tell.
    ProgramBasis new_basis(std::size_t first_column, std::size_t first_row, std::size_t first_node,
                           const std::array<std::span<const double>, kNumPlayers>& last) const;
    // Both players' sequence forms from column values and row duals, MAX's first: rounding is cleared, and each infoset
    // adds up to its parent.
    std::array<std::vector<double>, kNumPlayers> strategies(std::span<const double> column_value,
                                                            std::span<const double> row_dual, Gadget gadget,
                                                            double tolerance, double tremble) const;
    double largest_payoff() const { return largest_; }

  private:
    void add_own_infosets();
    void add_other_infosets();
    void add_nodes();
    void add_children(NodeId first, std::int32_t count);
    void add_value_of(NodeId first, std::int32_t count);
    void add_copy_for(NodeId first, std::int32_t count);
    void apply_gadget(Gadget gadget, double tremble, ProgramVectors& out) const;
    std::int32_t add_column(bool is_value, double cost = 0.0);
    std::int32_t add_row(bool is_flow);
    void entry(std::int32_t row, std::int32_t column, double value) {
        row_.push_back(row);
        column_.push_back(column);
        entry_.push_back(value);
    }
    double scaled(std::size_t k, double unit) const {
        return is_flow_[row_[k]] == 0 && is_value_[column_[k]] == 0 ? entry_[k] / unit : entry_[k];
    }
    std::array<std::vector<double>, 2> worth_of_new(std::size_t first_node,
                                                    const std::array<std::span<const double>, kNumPlayers>& last) const;
    void normalise(int player, Gadget gadget, std::vector<double>& strategy) const;
    std::int32_t column_at(NodeId h) const;  // of our player's sequence
    std::int32_t row_at(NodeId h) const;     // of the other's
    double payoff(NodeId h) const;
    void sum_changed(const ProgramMark& since, double unit, ProgramGrowth& out) const;

    const Trunk& trunk_;
    int player_;
    double sign_;
    std::size_t columns_ = 1, rows_ = 0;
    ProgramMark before_;  // the last update
    std::size_t seen_nodes_ = 0;
    std::array<std::size_t, kNumPlayers> seen_infosets_{};
    ProgramPlaces places_{{0}, {kNone}, {}, {}};  // the row of the other's empty sequence is the objective
    std::vector<std::uint8_t> is_value_{0};       // columns that are values of infosets
    std::vector<std::uint8_t> is_flow_;           // rows that are equations
    std::vector<double> cost_{0.0};               // payoffs; values of infosets at the top count 1
    std::vector<std::int32_t> row_, column_;
    std::vector<double> entry_;
    std::vector<std::int32_t> shortfall_, surplus_;                // the columns w and z, from our side
    std::vector<std::pair<std::int32_t, std::int32_t>> of_nodes_;  // column and row of a node of its own
    double largest_ = 0.0;
};

}  // namespace murk::search
