#include "solve/lp_assembly.h"

#include <limits>

namespace murk {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class RowWriter {
  public:
    explicit RowWriter(LinearProgram& lp) : lp_(lp) { lp_.start.push_back(0); }
    void entry(std::int32_t column, double value) {
        lp_.index.push_back(column);
        lp_.value.push_back(value);
    }
    void finish(double lower, double upper) {
        lp_.start.push_back(static_cast<std::int32_t>(lp_.index.size()));
        lp_.row_lower.push_back(lower);
        lp_.row_upper.push_back(upper);
        ++lp_.num_rows;
    }

  private:
    LinearProgram& lp_;
};

}  // namespace

LinearProgram assemble_lp(const SequenceForm& game, int player, std::span<const double> lower) {
    const int other = 1 - player;
    const double sign = player == kMax ? 1.0 : -1.0;
    const auto& own = game.constraints(player);
    const auto& theirs = game.constraints(other);
    const std::size_t num_own = game.treeplex(player).num_sequences;
    const std::size_t num_theirs = game.treeplex(other).num_sequences;
    // Rows of `payoff` are the opponent's sequences: one constraint each.
    const SparseRows payoff = player == kMax ? transpose(game.matrix(), num_theirs) : game.matrix();
    const std::vector<double>& extra_own = game.extra_by_sequence(player);
    const std::vector<double>& extra_theirs = game.extra_by_sequence(other);

    std::vector<std::int32_t> value_column(num_theirs,
                                           kNone);             // opponent sequence -> column of its infoset's value
    std::vector<std::vector<std::int32_t>> below(num_theirs);  // opponent sequence -> columns of the infosets after it
    for (std::size_t j = 0; j < theirs.size(); ++j) {
        const auto column = static_cast<std::int32_t>(num_own + j);
        for (std::int32_t a = 0; a < theirs[j].actions; ++a) value_column[theirs[j].first + a] = column;
        below[theirs[j].parent].push_back(column);
    }

    LinearProgram lp;
    lp.num_columns = static_cast<std::int32_t>(num_own + theirs.size());
    lp.num_opponent_rows = static_cast<std::int32_t>(num_theirs - 1);
    lp.offset = sign * extra_theirs[0];
    lp.cost.assign(lp.num_columns, 0.0);
    for (std::size_t s = 0; s < num_own; ++s) lp.cost[s] = sign * extra_own[s];
    for (std::int64_t k = payoff.start[0]; k < payoff.start[1]; ++k)
        lp.cost[payoff.column[k]] += sign * payoff.value[k];
    for (const std::int32_t column : below[0]) lp.cost[column] = 1.0;
    lp.column_lower.assign(lp.num_columns, -kInfinity);
    lp.column_upper.assign(lp.num_columns, kInfinity);
    for (std::size_t s = 0; s < num_own; ++s) lp.column_lower[s] = 0.0;
    lp.column_lower[0] = lp.column_upper[0] = 1.0;

    RowWriter rows(lp);
    for (std::size_t t = 1; t < num_theirs; ++t) {
        for (std::int64_t k = payoff.start[t]; k < payoff.start[t + 1]; ++k)
            rows.entry(payoff.column[k], sign * payoff.value[k]);
        for (const std::int32_t column : below[t]) rows.entry(column, 1.0);
        rows.entry(value_column[t], -1.0);
        rows.finish(-sign * extra_theirs[t], kInfinity);
    }
    for (const auto& c : own) {
        rows.entry(c.parent, -1.0);
        for (std::int32_t a = 0; a < c.actions; ++a) rows.entry(c.first + a, 1.0);
        rows.finish(0.0, 0.0);
    }
    if (!lower.empty()) {
        for (const auto& c : own) {
            for (std::int32_t a = 0; a < c.actions; ++a) {
                if (!(lower[c.first + a] > 0.0)) continue;
                rows.entry(c.parent, -lower[c.first + a]);
                rows.entry(c.first + a, 1.0);
                rows.finish(0.0, kInfinity);
            }
        }
    }
    return lp;
}

}  // namespace murk
