#include "search/program.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace murk::search {
namespace {

constexpr double kTieBreak = 1e-6;  // what nobody reaches counts a little
constexpr double kTrembling = 1.001;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Entry {
    std::int32_t line, across;
    double value;
};

// Entries by line (a row, or a column), those at the same place added up.
SparseEntries compressed(const std::vector<Entry>& entries, std::size_t lines, std::size_t width) {
    std::vector<std::int32_t> start(lines + 1, 0);
    for (const Entry& e : entries) ++start[static_cast<std::size_t>(e.line) + 1];
    for (std::size_t i = 0; i < lines; ++i) start[i + 1] += start[i];
    std::vector<Entry> sorted(entries.size());
    std::vector<std::int32_t> next(start.begin(), start.end() - 1);
    for (const Entry& e : entries) sorted[next[e.line]++] = e;
    SparseEntries out;
    out.index.reserve(entries.size());
    out.value.reserve(entries.size());
    std::vector<std::int32_t> place(width, kNone);
    out.start.push_back(0);
    for (std::size_t i = 0; i < lines; ++i) {
        const auto begin = static_cast<std::int32_t>(out.index.size());
        for (std::int32_t k = start[i]; k < start[i + 1]; ++k) {
            const Entry& e = sorted[k];
            if (place[e.across] >= begin) {
                out.value[place[e.across]] += e.value;
                continue;
            }
            place[e.across] = static_cast<std::int32_t>(out.index.size());
            out.index.push_back(e.across);
            out.value.push_back(e.value);
        }
        out.start.push_back(static_cast<std::int32_t>(out.index.size()));
    }
    return out;
}

// The sequence of an infoset that is worth most; the first of equals.
SequenceId best_action(const InfosetTable& table, std::size_t infoset, const std::vector<double>& worth) {
    SequenceId best = table.first_sequence[infoset];
    for (SequenceId s = best; s < table.first_sequence[infoset] + table.num_actions[infoset]; ++s)
        if (worth[s] > worth[best]) best = s;
    return best;
}

}  // namespace

Program::Program(const Trunk& trunk, int player) : trunk_(trunk), player_(player), sign_(player == kMax ? 1.0 : -1.0) {
    update();
}

void Program::update() {
    before_ = mark();
    add_own_infosets();
    add_other_infosets();
    add_nodes();
}

std::int32_t Program::add_column(bool is_value, double cost) {
    is_value_.push_back(is_value ? 1 : 0);
    cost_.push_back(cost);
    return static_cast<std::int32_t>(columns_++);
}

std::int32_t Program::add_row(bool is_flow) {
    is_flow_.push_back(is_flow ? 1 : 0);
    return static_cast<std::int32_t>(rows_++);
}

void Program::add_own_infosets() {
    const InfosetTable& own = trunk_.tree().infosets(player_);
    for (std::size_t i = seen_infosets_[player_]; i < own.size(); ++i) {
        places_.row_of_infoset.push_back(kNone);
        if (own.num_actions[i] == 0) continue;
        const std::int32_t flow = places_.row_of_infoset.back() = add_row(true);
        entry(flow, places_.column_of_sequence[own.parent_sequence[i]], -1.0);
        for (std::int32_t a = 0; a < own.num_actions[i]; ++a) {
            places_.column_of_sequence.push_back(add_column(false));
            entry(flow, places_.column_of_sequence.back(), 1.0);
        }
    }
    seen_infosets_[player_] = own.size();
}

void Program::add_other_infosets() {
    const int other = 1 - player_;
    const InfosetTable& theirs = trunk_.tree().infosets(other);
    for (std::size_t i = seen_infosets_[other]; i < theirs.size(); ++i) {
        places_.column_of_infoset.push_back(kNone);
        if (theirs.num_actions[i] == 0) continue;
        const std::int32_t parent = places_.row_of_sequence[theirs.parent_sequence[i]];
        const std::int32_t value = places_.column_of_infoset.back() = add_column(true, parent == kNone ? 1.0 : 0.0);
        if (parent != kNone) entry(parent, value, 1.0);
        const bool gadget = trunk_.has_gadget() && other == kMin && i == 0;
        for (std::int32_t a = 0; a < theirs.num_actions[i]; ++a) {
            const std::int32_t row = add_row(false);
            places_.row_of_sequence.push_back(row);
            entry(row, value, -1.0);
            if (!gadget) continue;
            for (std::vector<std::int32_t>* columns : {&shortfall_, &surplus_}) {
                columns->push_back(add_column(true));
                entry(row, columns->back(), -1.0);
            }
        }
    }
    seen_infosets_[other] = theirs.size();
}

std::int32_t Program::column_at(NodeId h) const {
    return places_.column_of_sequence[trunk_.tree().sequence(player_, h)];
}

std::int32_t Program::row_at(NodeId h) const { return places_.row_of_sequence[trunk_.tree().sequence(1 - player_, h)]; }

// What a node pays beyond its parent.
double Program::payoff(NodeId h) const {
    const NodeId up = trunk_.tree().parent(h);
    const double before = up == kNone ? 0.0 : trunk_.value(up);
    return sign_ * trunk_.tree().chance_reach(h) * (trunk_.value(h) - before);
}

void Program::add_nodes() {
    const Tree& tree = trunk_.tree();
    while (seen_nodes_ < tree.size()) {
        const auto first = static_cast<NodeId>(seen_nodes_);
        const NodeId up = tree.parent(first);
        const std::int32_t count = up == kNone ? 1 : tree.num_children(up);
        add_children(first, count);
        seen_nodes_ += static_cast<std::size_t>(count);
    }
}

void Program::add_children(NodeId first, std::int32_t count) {
    const Tree& tree = trunk_.tree();
    bool pays = false;
    for (NodeId h = first; h < first + count; ++h) {
        pays |= payoff(h) != 0.0;
        largest_ = std::max(largest_, std::abs(payoff(h)));
    }
    if (!pays) return;
    // Siblings share a row or a column, and what they differ in is of one infoset: they are all old or all new.
    const std::int32_t row = row_at(first);
    const bool old = row != kNone && static_cast<std::size_t>(row) < before_.rows &&
                     static_cast<std::size_t>(column_at(first)) < before_.columns;
    const int actor = tree.parent(first) == kNone ? kNature : tree.player(tree.parent(first));
    if (old && actor == player_) return add_value_of(first, count);
    if (old && actor != kNature) return add_copy_for(first, count);
    for (NodeId h = first; h < first + count; ++h) {
        if (payoff(h) == 0.0) continue;
        if (row_at(h) == kNone)
            cost_[column_at(h)] += payoff(h);
        else
            entry(row_at(h), column_at(h), payoff(h));
    }
}

void Program::add_value_of(NodeId first, std::int32_t count) {
    const std::int32_t value = add_column(true), row = add_row(false);
    of_nodes_.emplace_back(value, row);
    entry(row_at(first), value, 1.0);
    entry(row, value, -1.0);
    for (NodeId h = first; h < first + count; ++h)
        if (payoff(h) != 0.0) entry(row, column_at(h), payoff(h));
}

void Program::add_copy_for(NodeId first, std::int32_t count) {
    const std::int32_t copy = add_column(false), row = add_row(true);
    of_nodes_.emplace_back(copy, row);
    entry(row, column_at(first), -1.0);
    entry(row, copy, 1.0);
    for (NodeId h = first; h < first + count; ++h)
        if (payoff(h) != 0.0) entry(row_at(h), copy, payoff(h));
}

ProgramVectors Program::vectors(Gadget gadget, double unit, double tremble) const {
    ProgramVectors out;
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
        out.cost[places_.column_of_sequence[s]] += sign_ * payoff / unit;
    for (const auto& [t, payoff] : trunk_.tree().extra(1 - player_)) {
        if (t == 0)
            out.offset += sign_ * payoff / unit;
        else
            out.row_lower[places_.row_of_sequence[t]] -= sign_ * payoff / unit;
    }
    if (gadget != Gadget::kPlain) apply_gadget(gadget, tremble, out);
    return out;
}

void Program::apply_gadget(Gadget gadget, double tremble, ProgramVectors& out) const {
    const std::size_t count = trunk_.roots().size();
    const double share = 1.0 / static_cast<double>(count);
    const bool resolve = gadget == Gadget::kResolve;
    if (player_ == kMin) {
        for (std::size_t i = 1; i <= count; ++i) {
            const std::int32_t entered = places_.column_of_sequence[i];
            out.column_lower[entered] = tremble * share;
            if (resolve) out.column_upper[entered] = share;
        }
        if (resolve) out.row_lower[places_.row_of_infoset[0]] = -1.0;  // what is missing from 1 exits
        return;
    }
    const std::int32_t value = places_.column_of_infoset[0];
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

ProgramGrowth Program::growth(const ProgramMark& since, double unit) const {
    ProgramGrowth out;
    std::vector<Entry> by_column, by_row;
    for (std::size_t k = since.entries; k < row_.size(); ++k) {
        const auto row = static_cast<std::size_t>(row_[k]), column = static_cast<std::size_t>(column_[k]);
        if (row >= since.rows)
            by_row.push_back({row_[k] - static_cast<std::int32_t>(since.rows), column_[k], scaled(k, unit)});
        else if (column >= since.columns)
            by_column.push_back({column_[k] - static_cast<std::int32_t>(since.columns), row_[k], scaled(k, unit)});
        else
            out.changed.emplace_back(row_[k], column_[k]);
    }
    out.columns = compressed(by_column, columns_ - since.columns, rows_);
    out.rows = compressed(by_row, rows_ - since.rows, columns_);
    if (!out.changed.empty()) sum_changed(since, unit, out);
    return out;
}

void Program::sum_changed(const ProgramMark& since, double unit, ProgramGrowth& out) const {
    std::sort(out.changed.begin(), out.changed.end());
    out.changed.erase(std::unique(out.changed.begin(), out.changed.end()), out.changed.end());
    out.changed_value.assign(out.changed.size(), 0.0);
    for (std::size_t k = 0; k < row_.size(); ++k) {
        const std::pair at{row_[k], column_[k]};
        if (static_cast<std::size_t>(at.first) >= since.rows || static_cast<std::size_t>(at.second) >= since.columns)
            continue;
        const auto place = std::lower_bound(out.changed.begin(), out.changed.end(), at);
        if (place != out.changed.end() && *place == at)
            out.changed_value[static_cast<std::size_t>(place - out.changed.begin())] += scaled(k, unit);
    }
}

// What each sequence, our player's and the other's, is worth against the last solution by the new nodes alone.
std::array<std::vector<double>, 2> Program::worth_of_new(
    std::size_t first_node, const std::array<std::span<const double>, kNumPlayers>& last) const {
    const Tree& tree = trunk_.tree();
    const auto weight = [&](int p, SequenceId s) {
        return kTieBreak + (static_cast<std::size_t>(s) < last[p].size() ? last[p][s] : 0.0);
    };
    std::array<std::vector<double>, 2> worth{
        std::vector<double>(tree.infosets(player_).num_sequences(), 0.0),
        std::vector<double>(tree.infosets(1 - player_).num_sequences(), 0.0),
    };
    for (std::size_t i = first_node; i < tree.size(); ++i) {
        const auto h = static_cast<NodeId>(i);
        const double payoff = sign_ * tree.chance_reach(h) * trunk_.value(h);
        const SequenceId mine = tree.sequence(player_, h), theirs = tree.sequence(1 - player_, h);
        worth[0][mine] += payoff * weight(1 - player_, theirs);
        worth[1][theirs] -= payoff * weight(player_, mine);
    }
    return worth;
}

ProgramBasis Program::new_basis(std::size_t first_column, std::size_t first_row, std::size_t first_node,
                                const std::array<std::span<const double>, kNumPlayers>& last) const {
    const auto worth = worth_of_new(first_node, last);
    ProgramBasis basis;
    basis.columns.assign(columns_ - first_column, static_cast<std::int8_t>(BasisStatus::kLower));
    basis.rows.assign(rows_ - first_row, static_cast<std::int8_t>(BasisStatus::kBasic));
    // A column takes the place of a row in the basis.
    const auto exchange = [&](std::int32_t column, std::int32_t row) {
        basis.columns[static_cast<std::size_t>(column) - first_column] = static_cast<std::int8_t>(BasisStatus::kBasic);
        basis.rows[static_cast<std::size_t>(row) - first_row] = static_cast<std::int8_t>(BasisStatus::kLower);
    };
    // At a new infoset of hers one action carries its flow; at one of the other's the value is held by one row.
    const InfosetTable& own = trunk_.tree().infosets(player_);
    for (std::size_t i = 0; i < own.size(); ++i) {
        const std::int32_t flow = places_.row_of_infoset[i];
        if (flow == kNone || static_cast<std::size_t>(flow) < first_row) continue;
        exchange(places_.column_of_sequence[best_action(own, i, worth[0])], flow);
    }
    const InfosetTable& theirs = trunk_.tree().infosets(1 - player_);
    for (std::size_t i = 0; i < theirs.size(); ++i) {
        const std::int32_t value = places_.column_of_infoset[i];
        if (value == kNone || static_cast<std::size_t>(value) < first_column) continue;
        exchange(value, places_.row_of_sequence[best_action(theirs, i, worth[1])]);
    }
    for (const auto& [column, row] : of_nodes_)
        if (static_cast<std::size_t>(column) >= first_column) exchange(column, row);
    return basis;
}

std::array<std::vector<double>, kNumPlayers> Program::strategies(std::span<const double> column_value,
                                                                 std::span<const double> row_dual, Gadget gadget,
                                                                 double tolerance, double tremble) const {
    std::array<std::vector<double>, kNumPlayers> out;
    for (int p = 0; p < kNumPlayers; ++p) {
        const std::vector<std::int32_t>& places = p == player_ ? places_.column_of_sequence : places_.row_of_sequence;
        const std::span<const double> solution = p == player_ ? column_value : row_dual;
        std::vector<double>& s = out[p];
        s.assign(places.size(), 0.0);
        s[0] = 1.0;
        for (std::size_t i = 1; i < s.size(); ++i) {
            const double raw = solution[places[i]];
            s[i] = raw > tolerance ? raw : 0.0;
        }
        // What is entered by trembling alone is not entered.
        if (p == kMin && gadget != Gadget::kPlain && tremble > 0.0) {
            const std::size_t count = trunk_.roots().size();
            const double least = kTrembling * tremble / static_cast<double>(count);
            for (std::size_t i = 1; i <= count; ++i)
                if (s[i] <= least) s[i] = 0.0;
        }
        normalise(p, gadget, s);
    }
    return out;
}

// Has each infoset add up to its parent.
void Program::normalise(int player, Gadget gadget, std::vector<double>& s) const {
    const InfosetTable& table = trunk_.tree().infosets(player);
    for (std::size_t i = 0; i < seen_infosets_[player]; ++i) {
        if (table.num_actions[i] == 0) continue;
        if (player == kMin && i == 0 && gadget == Gadget::kResolve) continue;
        const SequenceId first = table.first_sequence[i], end = first + table.num_actions[i];
        const double parent = s[table.parent_sequence[i]];
        double sum = 0.0;
        for (SequenceId k = first; k < end; ++k) sum += s[k];
        for (SequenceId k = first; k < end; ++k)
            s[k] = parent == 0.0 ? 0.0 : sum > 0.0 ? s[k] * (parent / sum) : parent / table.num_actions[i];
    }
}

}  // namespace murk::search
