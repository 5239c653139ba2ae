#include "search/program.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace murk::search {
namespace {

constexpr double kTieBreak = 1e-6;  // what nobody reaches counts a little
constexpr double kTrembling = 1.001;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

Program::Program(const Trunk& trunk, int player) : trunk_(trunk), player_(player), sign_(player == kMax ? 1.0 : -1.0) {
    update();
}

void Program::update() {
    add_infosets();
    add_nodes();
}

void Program::add_infosets() {
    const int other = 1 - player_;
    const InfosetTable& own = trunk_.tree().infosets(player_);
    for (std::size_t i = seen_infosets_[player_]; i < own.size(); ++i) {
        row_of_infoset_.push_back(kNone);
        if (own.num_actions[i] == 0) continue;
        const auto flow = static_cast<std::int32_t>(rows_++);
        row_of_infoset_.back() = flow;
        is_flow_.push_back(1);
        entry(flow, column_of_sequence_[own.parent_sequence[i]], -1.0);
        for (std::int32_t a = 0; a < own.num_actions[i]; ++a) {
            const auto column = static_cast<std::int32_t>(columns_++);
            column_of_sequence_.push_back(column);
            is_value_.push_back(0);
            cost_.push_back(0.0);
            entry(flow, column, 1.0);
        }
    }
    seen_infosets_[player_] = own.size();
    const InfosetTable& theirs = trunk_.tree().infosets(other);
    for (std::size_t i = seen_infosets_[other]; i < theirs.size(); ++i) {
        column_of_infoset_.push_back(kNone);
        if (theirs.num_actions[i] == 0) continue;
        const auto value = static_cast<std::int32_t>(columns_++);
        column_of_infoset_.back() = value;
        is_value_.push_back(1);
        const std::int32_t parent = row_of_sequence_[theirs.parent_sequence[i]];
        cost_.push_back(parent == kNone ? 1.0 : 0.0);
        if (parent != kNone) entry(parent, value, 1.0);
        const bool gadget = trunk_.has_gadget() && other == kMin && i == 0;
        for (std::int32_t a = 0; a < theirs.num_actions[i]; ++a) {
            const auto row = static_cast<std::int32_t>(rows_++);
            row_of_sequence_.push_back(row);
            is_flow_.push_back(0);
            entry(row, value, -1.0);
            if (!gadget) continue;
            for (std::vector<std::int32_t>* columns : {&shortfall_, &surplus_}) {
                const auto column = static_cast<std::int32_t>(columns_++);
                columns->push_back(column);
                is_value_.push_back(1);
                cost_.push_back(0.0);
                entry(row, column, -1.0);
            }
        }
    }
    seen_infosets_[other] = theirs.size();
}

void Program::add_nodes() {
    const Tree& tree = trunk_.tree();
    for (std::size_t i = seen_nodes_; i < tree.size(); ++i) {
        const auto h = static_cast<NodeId>(i);
        const NodeId up = tree.parent(h);
        const double before = up == kNone ? 0.0 : trunk_.value(up);
        const double payoff = sign_ * tree.chance_reach(h) * (trunk_.value(h) - before);
        if (payoff == 0.0) continue;
        largest_ = std::max(largest_, std::abs(payoff));
        const SequenceId mine = tree.sequence(player_, h), theirs = tree.sequence(1 - player_, h);
        const std::int32_t column = column_of_sequence_[mine], row = row_of_sequence_[theirs];
        if (row == kNone)
            cost_[column] += payoff;
        else
            entry(row, column, payoff);
    }
    seen_nodes_ = tree.size();
}

ProgramArrays Program::arrays(Gadget gadget, double unit, double tremble) const {
    ProgramArrays out;
    const int other = 1 - player_;
    out.cost = cost_;
    out.column_lower.assign(columns_, 0.0);
    out.column_upper.assign(columns_, kInfinity);
    for (std::size_t c = 0; c < columns_; ++c) {
        if (is_value_[c] != 0)
            out.column_lower[c] = -kInfinity;
        else
            out.cost[c] /= unit;
    }
    out.column_lower[0] = out.column_upper[0] = 1.0;
    out.row_lower.assign(rows_, 0.0);
    out.row_upper.assign(rows_, kInfinity);
    for (std::size_t r = 0; r < rows_; ++r)
        if (is_flow_[r] != 0) out.row_upper[r] = 0.0;
    for (const auto& [s, payoff] : trunk_.tree().extra(player_))
        out.cost[column_of_sequence_[s]] += sign_ * payoff / unit;
    for (const auto& [t, payoff] : trunk_.tree().extra(other)) {
        if (t == 0)
            out.offset += sign_ * payoff / unit;
        else
            out.row_lower[row_of_sequence_[t]] -= sign_ * payoff / unit;
    }
    if (gadget != Gadget::kPlain) {
        const std::size_t count = trunk_.roots().size();
        const double share = 1.0 / static_cast<double>(count);
        const bool resolve = gadget == Gadget::kResolve;
        if (player_ == kMin) {
            for (std::size_t i = 1; i <= count; ++i) out.column_lower[column_of_sequence_[i]] = tremble * share;
            if (resolve) {
                for (std::size_t i = 1; i <= count; ++i) out.column_upper[column_of_sequence_[i]] = share;
                out.row_lower[row_of_infoset_[0]] = -1.0;  // what is missing from 1 exits
            }
        } else {
            const std::int32_t value = column_of_infoset_[0];
            if (resolve) out.column_lower[value] = out.column_upper[value] = 0.0;
            out.cost[value] = resolve ? 0.0 : 1.0;
            for (const std::int32_t column : shortfall_) {
                out.cost[column] = resolve ? share : 0.0;
                out.column_upper[column] = 0.0;
                if (!resolve) out.column_lower[column] = 0.0;
            }
            for (const std::int32_t column : surplus_) {
                out.cost[column] = tremble * share;
                out.column_lower[column] = 0.0;
                if (tremble == 0.0) out.column_upper[column] = 0.0;
            }
        }
    }
    // Counting sort by rows, then entries of one row at the same column are added up.
    std::vector<std::int32_t> start(rows_ + 1, 0);
    for (const std::int32_t r : row_) ++start[static_cast<std::size_t>(r) + 1];
    for (std::size_t r = 0; r < rows_; ++r) start[r + 1] += start[r];
    std::vector<std::int32_t> index(row_.size()), next(start.begin(), start.end() - 1);
    std::vector<double> value(row_.size());
    for (std::size_t k = 0; k < row_.size(); ++k) {
        const std::int32_t at = next[row_[k]]++;
        index[at] = column_[k];
        const bool payoff = is_flow_[row_[k]] == 0 && is_value_[column_[k]] == 0;
        value[at] = payoff ? entry_[k] / unit : entry_[k];
    }
    std::vector<std::int32_t> place(columns_, kNone);
    out.start.push_back(0);
    for (std::size_t r = 0; r < rows_; ++r) {
        const auto begin = static_cast<std::int32_t>(out.index.size());
        for (std::int32_t k = start[r]; k < start[r + 1]; ++k) {
            if (place[index[k]] >= begin) {
                out.value[place[index[k]]] += value[k];
            } else {
                place[index[k]] = static_cast<std::int32_t>(out.index.size());
                out.index.push_back(index[k]);
                out.value.push_back(value[k]);
            }
        }
        out.start.push_back(static_cast<std::int32_t>(out.index.size()));
    }
    return out;
}

void Program::new_basis(std::size_t first_column, std::size_t first_row, std::size_t first_node,
                        const std::array<std::span<const double>, kNumPlayers>& last, std::vector<std::int8_t>& columns,
                        std::vector<std::int8_t>& rows) const {
    const Tree& tree = trunk_.tree();
    const auto weight = [&](int p, SequenceId s) {
        return kTieBreak + (static_cast<std::size_t>(s) < last[p].size() ? last[p][s] : 0.0);
    };
    std::vector<double> own_worth(tree.infosets(player_).num_sequences(), 0.0);
    std::vector<double> other_worth(tree.infosets(1 - player_).num_sequences(), 0.0);
    for (std::size_t i = first_node; i < tree.size(); ++i) {
        const auto h = static_cast<NodeId>(i);
        const double payoff = sign_ * tree.chance_reach(h) * trunk_.value(h);
        const SequenceId mine = tree.sequence(player_, h), theirs = tree.sequence(1 - player_, h);
        own_worth[mine] += payoff * weight(1 - player_, theirs);
        other_worth[theirs] -= payoff * weight(player_, mine);
    }
    const auto status = [](BasisStatus s) { return static_cast<std::int8_t>(s); };
    columns.assign(columns_ - first_column, status(BasisStatus::kLower));
    rows.assign(rows_ - first_row, status(BasisStatus::kBasic));
    // At a new infoset of hers one action carries its flow; at one of the other's the value is held by one row.
    const InfosetTable& own = trunk_.tree().infosets(player_);
    for (std::size_t i = 0; i < own.size(); ++i) {
        const std::int32_t flow = row_of_infoset_[i];
        if (flow == kNone || static_cast<std::size_t>(flow) < first_row) continue;
        SequenceId best = own.first_sequence[i];
        for (SequenceId s = best; s < own.first_sequence[i] + own.num_actions[i]; ++s)
            if (own_worth[s] > own_worth[best]) best = s;
        columns[static_cast<std::size_t>(column_of_sequence_[best]) - first_column] = status(BasisStatus::kBasic);
        rows[static_cast<std::size_t>(flow) - first_row] = status(BasisStatus::kLower);
    }
    const InfosetTable& theirs = trunk_.tree().infosets(1 - player_);
    for (std::size_t i = 0; i < theirs.size(); ++i) {
        const std::int32_t value = column_of_infoset_[i];
        if (value == kNone || static_cast<std::size_t>(value) < first_column) continue;
        SequenceId best = theirs.first_sequence[i];
        for (SequenceId t = best; t < theirs.first_sequence[i] + theirs.num_actions[i]; ++t)
            if (other_worth[t] > other_worth[best]) best = t;
        columns[static_cast<std::size_t>(value) - first_column] = status(BasisStatus::kBasic);
        rows[static_cast<std::size_t>(row_of_sequence_[best]) - first_row] = status(BasisStatus::kLower);
    }
}

std::array<std::vector<double>, kNumPlayers> Program::strategies(std::span<const double> column_value,
                                                                 std::span<const double> row_dual, Gadget gadget,
                                                                 double tolerance, double tremble) const {
    std::array<std::vector<double>, kNumPlayers> out;
    for (int p = 0; p < kNumPlayers; ++p) {
        const InfosetTable& table = trunk_.tree().infosets(p);
        std::vector<double>& s = out[p];
        s.assign(p == player_ ? column_of_sequence_.size() : row_of_sequence_.size(), 0.0);
        s[0] = 1.0;
        for (std::size_t i = 1; i < s.size(); ++i) {
            const double raw = p == player_ ? column_value[column_of_sequence_[i]] : row_dual[row_of_sequence_[i]];
            s[i] = raw > tolerance ? raw : 0.0;
        }
        // What is entered by trembling alone is not entered.
        if (p == kMin && gadget != Gadget::kPlain && tremble > 0.0) {
            const std::size_t count = trunk_.roots().size();
            const double least = kTrembling * tremble / static_cast<double>(count);
            for (std::size_t i = 1; i <= count; ++i)
                if (s[i] <= least) s[i] = 0.0;
        }
        const std::size_t infosets = p == player_ ? row_of_infoset_.size() : column_of_infoset_.size();
        for (std::size_t i = 0; i < infosets; ++i) {
            if (table.num_actions[i] == 0) continue;
            if (p == kMin && i == 0 && gadget == Gadget::kResolve) continue;
            const SequenceId first = table.first_sequence[i], end = first + table.num_actions[i];
            const double parent = s[table.parent_sequence[i]];
            double sum = 0.0;
            for (SequenceId k = first; k < end; ++k) sum += s[k];
            for (SequenceId k = first; k < end; ++k)
                s[k] = parent == 0.0 ? 0.0 : sum > 0.0 ? s[k] * (parent / sum) : parent / table.num_actions[i];
        }
    }
    return out;
}

}  // namespace murk::search
