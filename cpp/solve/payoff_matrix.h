// The payoff matrix as one player sees it: rows are her sequences, columns her opponent's, values what she
// wins.
//
// Terminal nodes of one public situation form a dense little matrix, so rows are cut into blocks of up to
// eight that share their columns: a block needs one column number and one broadcast for eight
// multiplications. Rows that share nothing stay plain sparse rows. The cut with the least estimated cost is
// found by dynamic programming. Blocks whose values are the same up to a factor share them.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "solve/aligned.h"
#include "solve/kernels.h"
#include "solve/treeplex.h"

namespace murk {

// Compressed rows; columns ascend within a row. `unit` is the smallest chance reach of a terminal node in
// each row and column: payoffs are usually small whole multiples of it.
struct SparseRows {
    std::vector<std::int64_t> start;
    std::vector<std::int32_t> column;
    std::vector<double> value;
    std::vector<double> row_unit;
    std::vector<double> column_unit;
    std::size_t rows() const { return start.size() - 1; }
    std::size_t entries() const { return column.size(); }
};

SparseRows transpose(const SparseRows& matrix, std::size_t num_columns);

class PayoffMatrix {
  public:
    // `matrix` is in the tree's numbering; `sign` is +1 for MAX and -1 for MIN.
    PayoffMatrix(const SparseRows& matrix, const Treeplex& rows, const Treeplex& columns, double sign);

    // out = base + A in for the rows that have entries, of part `part` of `parts` (each row belongs to one part).
    // `in` is in kernel order, or in the tree's own if `by_sequence` says so. A base of nullptr is one of zeros.
    void multiply(const kernels::Kernels& k, const double* in, const double* base, double* out, std::size_t part = 0,
                  std::size_t parts = 1, bool by_sequence = false) const;

    // out = base for the rows that have none.
    void clear(const double* base, double* out) const;

    std::size_t stored_values() const { return values_.size(); }
    std::size_t bytes() const {
        return values_.size() * sizeof(double) + 2 * indices_.size() * sizeof(std::int32_t) +
               blocks_.size() * sizeof(kernels::Block);
    }
    std::size_t num_blocks() const { return blocks_.size(); }

  private:
    void store(std::vector<double> values, const std::vector<double>& units);
    void arrange(const std::vector<std::int32_t>& indices, const Treeplex& columns);
    void find_empty(std::size_t num_rows);

    std::vector<kernels::Block> blocks_;
    Vector values_;
    AlignedArray<std::int32_t> indices_;
    AlignedArray<std::int32_t> sequence_indices_;               // the same columns in the tree's numbering
    std::vector<std::pair<std::int32_t, std::int32_t>> empty_;  // ranges of rows without entries
    std::vector<std::int64_t> work_;                            // running cost, to cut the blocks into equal parts
};

}  // namespace murk
