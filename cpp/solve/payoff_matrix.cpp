#include "solve/payoff_matrix.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace murk {
namespace {

// Estimated cost in cycles, fitted on Leduc, liar's dice, goofspiel and dark hex. Bytes weigh more once the
// matrix no longer fits the second-level cache.
struct CostModel {
    double per_byte;
    double wide(std::size_t columns) const { return 4.0 + static_cast<double>(columns) * (1.0 + 36.0 * per_byte); }
    double half(std::size_t columns) const { return 3.5 + static_cast<double>(columns) * (1.0 + 20.0 * per_byte); }
    double sparse(std::size_t columns) const { return 4.0 + static_cast<double>(columns) * (1.0 + 8.0 * per_byte); }
};

constexpr double kRounding = 4 * std::numeric_limits<double>::epsilon();
constexpr double kWhole = 1 << 24;  // whole numbers up to here are floats

constexpr std::size_t kResident = 60'000;  // entries that stay close to the core

// Consecutive rows that become one block.
struct Plan {
    std::int32_t row;  // kernel index of the first
    std::uint8_t rows;
    std::uint8_t width;
    std::int32_t columns;
};

// Marks numbers as seen, and forgets them all at once.
class Stamps {
  public:
    explicit Stamps(std::size_t size) : seen_(size, 0) {}
    void clear() { ++stamp_; }
    bool insert(std::int32_t i) {
        if (seen_[i] == stamp_) return false;
        seen_[i] = stamp_;
        return true;
    }

  private:
    std::vector<std::int64_t> seen_;
    std::int64_t stamp_ = 0;
};

// Cuts `sequences`, which stand in consecutive kernel rows from `row` on, into blocks of least total cost.
class Cutter {
  public:
    Cutter(const SparseRows& matrix, std::size_t num_columns)
        : matrix_(matrix), model_{matrix.entries() > kResident ? 1.0 / 12 : 1.0 / 48}, stamps_(num_columns) {}

    void cut(std::size_t row, std::span<const SequenceId> sequences, std::vector<Plan>& plans) {
        const std::size_t n = sequences.size();
        best_.assign(n + 1, {std::numeric_limits<double>::infinity(), 0, 1, 0});
        best_[0].cost = 0.0;
        for (std::size_t from = 0; from < n; ++from) extend(from, sequences);
        std::size_t first = plans.size();
        for (std::size_t to = n; to > 0; to = best_[to].from) {
            const Cut& cut = best_[to];
            if (cut.columns > 0)
                plans.push_back({static_cast<std::int32_t>(row + cut.from), static_cast<std::uint8_t>(to - cut.from),
                                 cut.width, cut.columns});
        }
        std::reverse(plans.begin() + static_cast<std::ptrdiff_t>(first), plans.end());
    }

  private:
    struct Cut {
        double cost;
        std::size_t from;
        std::uint8_t width;
        std::int32_t columns;
    };

    void offer(std::size_t to, const Cut& cut) {
        if (cut.cost < best_[to].cost) best_[to] = cut;
    }

    // All blocks that start at row `from`.
    void extend(std::size_t from, std::span<const SequenceId> sequences) {
        const double before = best_[from].cost;
        std::int32_t distinct = 0;
        stamps_.clear();
        for (std::size_t to = from + 1; to <= std::min(sequences.size(), from + kLanes); ++to) {
            const SequenceId s = sequences[to - 1];
            for (std::int64_t k = matrix_.start[s]; k < matrix_.start[s + 1]; ++k)
                distinct += stamps_.insert(matrix_.column[k]);
            const auto columns = static_cast<std::size_t>(distinct);
            if (to == from + 1) {
                offer(to, {before + (distinct == 0 ? 0.0 : model_.sparse(columns)), from, 1, distinct});
                if (distinct == 0) return;
            } else if (to <= from + kLanes / 2) {
                offer(to, {before + model_.half(columns), from, 4, distinct});
            } else {
                offer(to, {before + model_.wide(columns), from, 8, distinct});
            }
        }
    }

    const SparseRows& matrix_;
    const CostModel model_;
    Stamps stamps_;
    std::vector<Cut> best_;
};

// The blocks of a matrix.
std::vector<Plan> plan_blocks(const SparseRows& matrix, const Treeplex& rows, std::size_t num_columns) {
    std::vector<Plan> plans;
    Cutter cutter(matrix, num_columns);
    cutter.cut(0, std::span(rows.from_kernel).first(1), plans);
    for (const kernels::Group& group : rows.groups) {
        for (std::int32_t a = 0; a < group.actions; ++a) {
            const auto row = static_cast<std::size_t>(group.base + a * group.stride);
            cutter.cut(row, std::span(rows.from_kernel).subspan(row, group.slots), plans);
        }
    }
    return plans;
}

std::span<double> values_of(const kernels::Block& block, std::vector<double>& values) {
    return std::span(values).subspan(block.values, static_cast<std::size_t>(block.columns) * block.width);
}

// Makes every value a multiple of its block's unit, which becomes the block's scale. False, and nothing changed, unless
// all multiples are floats.
bool express_in_units(std::span<kernels::Block> blocks, std::span<const double> units, std::vector<double>& values) {
    std::vector<double> multiples(values.size());
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        const std::span<const double> from = values_of(blocks[b], values);
        const std::span<double> to = values_of(blocks[b], multiples);
        for (std::size_t k = 0; k < from.size(); ++k) {
            to[k] = static_cast<float>(from[k] / units[b]);
            if (!(std::abs(to[k] * units[b] - from[k]) <= kRounding * std::abs(from[k]))) return false;
        }
    }
    values.swap(multiples);
    for (std::size_t b = 0; b < blocks.size(); ++b) blocks[b].scale = units[b];
    return true;
}

// Divides whole numbers by the largest one that leaves them whole, and by -1 if the first is negative. Returns that
// divisor, or 1 if they are not whole: then they stay what they are.
double take_factor(std::span<double> values) {
    std::int64_t common = 0;
    for (const double v : values) {
        if (v != std::floor(v) || std::abs(v) > kWhole) return 1.0;
        common = std::gcd(common, static_cast<std::int64_t>(v));
    }
    const auto first = std::find_if(values.begin(), values.end(), [](double v) { return v != 0.0; });
    if (first == values.end()) return 1.0;
    const auto factor = static_cast<double>(*first > 0.0 ? common : -common);
    for (double& v : values) v = v == 0.0 ? 0.0 : v / factor;
    return factor;
}

// Blocks of a game are few up to a factor: who wins a showdown is the same whatever the bets were. So equal ones are
// stored once, and most products run on values that never leave the first-level cache.
class Patterns {
  public:
    // Where these values stand among `values`.
    std::int64_t intern(std::span<const double> block) {
        const std::string_view bytes(reinterpret_cast<const char*>(block.data()), block.size_bytes());
        const auto [at, is_new] = places_.try_emplace(std::string(bytes), static_cast<std::int64_t>(values_.size()));
        if (is_new) values_.insert(values_.end(), block.begin(), block.end());
        return at->second;
    }
    const std::vector<double>& values() const { return values_; }

  private:
    std::unordered_map<std::string, std::int64_t> places_;
    std::vector<double> values_;
};

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
    std::vector<double> values;
    std::vector<double> units;
    std::vector<std::int32_t> indices;
    std::vector<std::int32_t> shared;
    std::vector<std::int32_t> slot_of(columns.num_sequences, 0);
    Stamps stamps(columns.num_sequences);
    for (const Plan& plan : plan_blocks(matrix, rows, columns.num_sequences)) {
        const auto sequences = std::span(rows.from_kernel).subspan(plan.row, plan.rows);
        double unit = std::numeric_limits<double>::infinity();
        shared.clear();
        stamps.clear();
        for (const SequenceId s : sequences) {
            unit = std::min(unit, matrix.row_unit[s]);
            for (std::int64_t k = matrix.start[s]; k < matrix.start[s + 1]; ++k)
                if (stamps.insert(matrix.column[k])) shared.push_back(matrix.column[k]);
        }
        std::sort(shared.begin(), shared.end());
        blocks_.push_back({plan.row, plan.rows, plan.width, plan.columns, 1, static_cast<std::int64_t>(values.size()),
                           static_cast<std::int64_t>(indices.size()), 1.0});
        units.push_back(unit);
        for (std::size_t j = 0; j < shared.size(); ++j) {
            slot_of[shared[j]] = static_cast<std::int32_t>(j);
            indices.push_back(shared[j]);
        }
        const std::size_t offset = values.size();
        values.resize(offset + shared.size() * plan.width, 0.0);
        for (std::size_t i = 0; i < sequences.size(); ++i)
            for (std::int64_t k = matrix.start[sequences[i]]; k < matrix.start[sequences[i] + 1]; ++k)
                values[offset + static_cast<std::size_t>(slot_of[matrix.column[k]]) * plan.width + i] =
                    sign * matrix.value[k];
    }
    store(std::move(values), units);
    arrange(indices, columns);
    find_empty(rows.size);
    work_.push_back(0);
    for (const kernels::Block& block : blocks_)
        work_.push_back(work_.back() + 4 + static_cast<std::int64_t>(block.columns) * (block.width + 1));
}

// Alike blocks stand together, so that the processor can foresee how long each of them is, and equal values are read
// once for all of them.
void PayoffMatrix::arrange(const std::vector<std::int32_t>& indices, const Treeplex& columns) {
    auto shape = [](const kernels::Block& b) { return std::tuple(b.width, b.columns, b.rows); };
    std::stable_sort(blocks_.begin(), blocks_.end(), [&](const kernels::Block& a, const kernels::Block& b) {
        return std::pair(shape(a), a.values) < std::pair(shape(b), b.values);
    });
    for (std::size_t b = blocks_.size(); b-- > 1;)
        if (shape(blocks_[b]) == shape(blocks_[b - 1])) blocks_[b - 1].alike = blocks_[b].alike + 1;
    indices_ = AlignedArray<std::int32_t>(indices.size());
    sequence_indices_ = AlignedArray<std::int32_t>(indices.size());
    std::int64_t next = 0;
    for (kernels::Block& block : blocks_) {
        const std::int64_t from = std::exchange(block.indices, next);
        for (std::int64_t k = from; k < from + block.columns; ++k, ++next) {
            sequence_indices_[next] = indices[k];
            indices_[next] = columns.to_kernel[indices[k]];
        }
    }
}

void PayoffMatrix::find_empty(std::size_t num_rows) {
    std::vector<std::uint8_t> covered(num_rows, 0);
    for (const kernels::Block& block : blocks_) std::fill_n(covered.begin() + block.row, block.rows, 1);
    for (std::size_t row = 0; row < num_rows;) {
        std::size_t end = row;
        while (end < num_rows && !covered[end]) ++end;
        if (end > row) empty_.emplace_back(static_cast<std::int32_t>(row), static_cast<std::int32_t>(end));
        row = end + 1;
    }
}

void PayoffMatrix::clear(const double* base, double* out) const {
    for (const auto& [begin, end] : empty_) {
        if (base != nullptr) {
            std::copy(base + begin, base + end, out + begin);
        } else {
            std::fill(out + begin, out + end, 0.0);
        }
    }
}

void PayoffMatrix::store(std::vector<double> values, const std::vector<double>& units) {
    // Sums of small whole numbers are exact, so that what is equal in the game stays equal, which regret minimisers
    // gain much from.
    const bool whole = express_in_units(blocks_, units, values);
    Patterns patterns;
    for (kernels::Block& block : blocks_) {
        const std::span<double> own = values_of(block, values);
        if (whole) block.scale *= take_factor(own);
        block.values = patterns.intern(own);
    }
    values_ = Vector(patterns.values().size());
    std::copy(patterns.values().begin(), patterns.values().end(), values_.begin());
}

void PayoffMatrix::multiply(const kernels::Kernels& k, const double* in, const double* base, double* out,
                            std::size_t part, std::size_t parts, bool by_sequence) const {
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
    k.multiply(blocks_.data() + begin, blocks_.data() + end, values_.data(),
               (by_sequence ? sequence_indices_ : indices_).data(), in, base, out);
}

}  // namespace murk
