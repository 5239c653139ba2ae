#include "solve/payoff_matrix.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace murk {
namespace {

// Estimated cost in cycles, fitted on Leduc, liar's dice, goofspiel and dark hex. Bytes weigh more once the
// matrix no longer fits the second-level cache.
struct CostModel {
    double per_byte;
    double wide(std::size_t columns) const { return 6.0 + static_cast<double>(columns) * (1.0 + 36.0 * per_byte); }
    double half(std::size_t columns) const { return 5.0 + static_cast<double>(columns) * (1.0 + 20.0 * per_byte); }
    double sparse(std::size_t columns) const { return 4.0 + static_cast<double>(columns) * (1.0 + 8.0 * per_byte); }
};

constexpr double kRounding = 4 * std::numeric_limits<double>::epsilon();

constexpr std::size_t kResident = 60'000;  // entries that stay close to the core

struct Cut {
    double cost;
    std::size_t from;
    std::uint8_t width;
};

struct RowRange {
    std::size_t kernel_row;
    std::vector<SequenceId> sequences;
};

// Rows of each (group, action), in kernel order.
std::vector<RowRange> row_ranges(const Treeplex& rows, const std::vector<SequenceId>& sequence_at) {
    std::vector<RowRange> ranges;
    ranges.push_back({0, {0}});
    for (const kernels::Group& group : rows.groups) {
        for (std::int32_t a = 0; a < group.actions; ++a) {
            RowRange range{static_cast<std::size_t>(group.base + a * group.stride), {}};
            for (std::int32_t i = 0; i < group.slots; ++i) range.sequences.push_back(sequence_at[range.kernel_row + i]);
            ranges.push_back(std::move(range));
        }
    }
    return ranges;
}

}  // namespace

SparseRows transpose(const SparseRows& matrix, std::size_t num_columns) {
    SparseRows out;
    out.start.assign(num_columns + 1, 0);
    out.column.resize(matrix.entries());
    out.value.resize(matrix.entries());
    for (const std::int32_t c : matrix.column) ++out.start[c + 1];
    for (std::size_t c = 0; c < num_columns; ++c) out.start[c + 1] += out.start[c];
    std::vector<std::int64_t> next(out.start.begin(), out.start.end() - 1);
    for (std::size_t r = 0; r < matrix.rows(); ++r) {
        for (std::int64_t k = matrix.start[r]; k < matrix.start[r + 1]; ++k) {
            const std::int64_t at = next[matrix.column[k]]++;
            out.column[at] = static_cast<std::int32_t>(r);
            out.value[at] = matrix.value[k];
        }
    }
    out.row_unit = matrix.column_unit;
    out.column_unit = matrix.row_unit;
    return out;
}

PayoffMatrix::PayoffMatrix(const SparseRows& matrix, const Treeplex& rows, const Treeplex& columns, double sign) {
    std::vector<SequenceId> sequence_at(rows.size, kNone);
    for (std::size_t s = 0; s < rows.num_sequences; ++s) sequence_at[rows.to_kernel[s]] = static_cast<SequenceId>(s);
    const CostModel model{matrix.entries() > kResident ? 1.0 / 12 : 1.0 / 48};
    std::vector<std::int64_t> seen(columns.num_sequences, -1);
    std::int64_t stamp = 0;
    auto row_size = [&](SequenceId s) { return static_cast<std::size_t>(matrix.start[s + 1] - matrix.start[s]); };

    std::vector<double> values;
    std::vector<std::int32_t> indices;
    std::vector<std::int32_t> shared;
    std::vector<std::int32_t> slot_of(columns.num_sequences, 0);
    auto emit = [&](const RowRange& range, std::size_t from, std::size_t to, std::uint8_t width) {
        shared.clear();
        ++stamp;
        for (std::size_t i = from; i < to; ++i) {
            const SequenceId s = range.sequences[i];
            for (std::int64_t k = matrix.start[s]; k < matrix.start[s + 1]; ++k) {
                if (seen[matrix.column[k]] == stamp) continue;
                seen[matrix.column[k]] = stamp;
                shared.push_back(matrix.column[k]);
            }
        }
        if (shared.empty()) return;
        std::sort(shared.begin(), shared.end());
        kernels::Block block{static_cast<std::int32_t>(range.kernel_row + from),
                             static_cast<std::uint8_t>(to - from),
                             width,
                             static_cast<std::int32_t>(shared.size()),
                             static_cast<std::int64_t>(values.size()),
                             static_cast<std::int64_t>(indices.size()),
                             1.0};
        for (std::size_t j = 0; j < shared.size(); ++j) {
            slot_of[shared[j]] = static_cast<std::int32_t>(j);
            indices.push_back(columns.to_kernel[shared[j]]);
        }
        values.resize(values.size() + shared.size() * width, 0.0);
        double* out = values.data() + block.values;
        for (std::size_t i = from; i < to; ++i) {
            const SequenceId s = range.sequences[i];
            for (std::int64_t k = matrix.start[s]; k < matrix.start[s + 1]; ++k)
                out[static_cast<std::size_t>(slot_of[matrix.column[k]]) * width + (i - from)] = sign * matrix.value[k];
        }
        blocks_.push_back(block);
    };

    for (const RowRange& range : row_ranges(rows, sequence_at)) {
        const std::size_t n = range.sequences.size();
        std::vector<Cut> best(n + 1, {std::numeric_limits<double>::infinity(), 0, 1});
        best[0].cost = 0.0;
        for (std::size_t from = 0; from < n; ++from) {
            const std::size_t single = row_size(range.sequences[from]);
            const double sparse = best[from].cost + (single == 0 ? 0.0 : model.sparse(single));
            if (sparse < best[from + 1].cost) best[from + 1] = {sparse, from, 1};
            if (single == 0) continue;
            ++stamp;
            std::size_t distinct = 0;
            for (std::size_t to = from + 1; to <= std::min(n, from + kLanes); ++to) {
                const SequenceId s = range.sequences[to - 1];
                for (std::int64_t k = matrix.start[s]; k < matrix.start[s + 1]; ++k) {
                    if (seen[matrix.column[k]] == stamp) continue;
                    seen[matrix.column[k]] = stamp;
                    ++distinct;
                }
                if (to - from < 2) continue;
                const bool half = to - from <= kLanes / 2;
                const double cost = best[from].cost + (half ? model.half(distinct) : model.wide(distinct));
                if (cost < best[to].cost) best[to] = {cost, from, static_cast<std::uint8_t>(half ? 4 : 8)};
            }
        }
        std::vector<std::size_t> ends;
        for (std::size_t to = n; to > 0; to = best[to].from) ends.push_back(to);
        std::reverse(ends.begin(), ends.end());
        for (const std::size_t to : ends) emit(range, best[to].from, to, best[to].width);
    }

    store(values, [&](const kernels::Block& block) {
        double unit = std::numeric_limits<double>::infinity();
        for (int r = 0; r < block.rows; ++r) unit = std::min(unit, matrix.row_unit[sequence_at[block.row + r]]);
        return unit;
    });
    indices_ = AlignedArray<std::int32_t>(indices.size());
    std::copy(indices.begin(), indices.end(), indices_.begin());
    work_.push_back(0);
    for (const kernels::Block& block : blocks_)
        work_.push_back(work_.back() + 4 + static_cast<std::int64_t>(block.columns) * (block.width + 1));
}

template <class UnitOf>
void PayoffMatrix::store(const std::vector<double>& values, UnitOf&& unit_of) {
    std::vector<float> narrow(values.size());
    std::vector<double> scale;
    bool fits = true;
    for (const kernels::Block& block : blocks_) {
        const double unit = unit_of(block);
        scale.push_back(unit);
        const std::int64_t end = block.values + static_cast<std::int64_t>(block.columns) * block.width;
        for (std::int64_t k = block.values; fits && k < end; ++k) {
            narrow[k] = static_cast<float>(values[k] / unit);
            fits = std::abs(static_cast<double>(narrow[k]) * unit - values[k]) <= kRounding * std::abs(values[k]);
        }
    }
    if (!fits) {
        wide_ = AlignedArray<double>(values.size());
        std::copy(values.begin(), values.end(), wide_.begin());
        return;
    }
    narrow_ = AlignedArray<float>(narrow.size());
    std::copy(narrow.begin(), narrow.end(), narrow_.begin());
    for (std::size_t b = 0; b < blocks_.size(); ++b) blocks_[b].scale = scale[b];
}

void PayoffMatrix::multiply(const kernels::Kernels& k, const double* in, const double* base, double* out,
                            std::size_t part, std::size_t parts) const {
    auto bound = [&](std::size_t i) -> std::size_t {
        if (i == 0) return 0;
        if (i == parts) return blocks_.size();
        const auto target = static_cast<std::int64_t>(static_cast<double>(work_.back()) * static_cast<double>(i) /
                                                      static_cast<double>(parts));
        return static_cast<std::size_t>(std::lower_bound(work_.begin(), work_.end(), target) - work_.begin());
    };
    const std::size_t begin = bound(part);
    const std::size_t end = bound(part + 1);
    if (begin >= end) return;
    const std::int64_t limit = end < blocks_.size() ? blocks_[end].row : std::numeric_limits<std::int64_t>::max();
    k.multiply(blocks_.data() + begin, blocks_.data() + end, limit,
               {is_narrow() ? narrow_.data() : nullptr, wide_.data()}, indices_.data(), in, base, out);
}

}  // namespace murk
