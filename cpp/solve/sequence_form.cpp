#include "solve/sequence_form.h"

#include <algorithm>
#include <array>
#include <limits>

namespace murk {
namespace {

// Payoffs of terminal nodes, summed over nodes with the same pair of sequences in order of node number.
SparseRows payoff_rows(const Tree& tree) {
    const std::size_t n = tree.size();
    const std::size_t rows = tree.infosets(kMax).num_sequences();
    SparseRows out;
    out.start.assign(rows + 1, 0);
    auto payoff = [&](std::size_t h) -> double {
        const auto node = static_cast<NodeId>(h);
        return tree.player(node) == kTerminal ? tree.chance_reach(node) * tree.utility(node) : 0.0;
    };
    for (std::size_t h = 0; h < n; ++h)
        if (payoff(h) != 0.0) ++out.start[tree.sequence(kMax, static_cast<NodeId>(h)) + 1];
    for (std::size_t r = 0; r < rows; ++r) out.start[r + 1] += out.start[r];
    out.row_unit.assign(rows, std::numeric_limits<double>::infinity());
    out.column_unit.assign(tree.infosets(kMin).num_sequences(), std::numeric_limits<double>::infinity());
    std::vector<std::pair<std::int32_t, double>> entries(out.start.back());
    std::vector<std::int64_t> next(out.start.begin(), out.start.end() - 1);
    for (std::size_t h = 0; h < n; ++h) {
        const double u = payoff(h);
        const auto node = static_cast<NodeId>(h);
        if (u == 0.0) continue;
        const SequenceId row = tree.sequence(kMax, node);
        const SequenceId column = tree.sequence(kMin, node);
        entries[next[row]++] = {column, u};
        out.row_unit[row] = std::min(out.row_unit[row], tree.chance_reach(node));
        out.column_unit[column] = std::min(out.column_unit[column], tree.chance_reach(node));
    }
    out.column.reserve(entries.size());
    out.value.reserve(entries.size());
    for (std::size_t r = 0; r < rows; ++r) {
        const auto begin = entries.begin() + out.start[r];
        const auto end = entries.begin() + next[r];
        std::stable_sort(begin, end, [](const auto& a, const auto& b) { return a.first < b.first; });
        const auto row_begin = static_cast<std::int64_t>(out.column.size());
        for (auto it = begin; it != end; ++it) {
            if (static_cast<std::int64_t>(out.column.size()) > row_begin && out.column.back() == it->first) {
                out.value.back() += it->second;
            } else {
                out.column.push_back(it->first);
                out.value.push_back(it->second);
            }
        }
        out.start[r] = row_begin;
    }
    out.start[rows] = static_cast<std::int64_t>(out.column.size());
    return out;
}

// Memory for one best response, kept by each thread: small games are measured in less time than an allocation takes.
double* scratch(int which, std::size_t n) {
    thread_local std::array<Vector, 2> kept;
    Vector& vector = kept[which];
    if (vector.size() < n) vector = Vector(n + kLanes);
    return vector.data();
}

}  // namespace

SequenceForm::SequenceForm(const Tree& tree)
    : treeplex_{Treeplex(tree, kMax), Treeplex(tree, kMin)}, matrix_(payoff_rows(tree)), revision_(tree.revision()) {
    payoff_.emplace_back(matrix_, treeplex_[kMax], treeplex_[kMin], 1.0);
    payoff_.emplace_back(transpose(matrix_, treeplex_[kMin].num_sequences), treeplex_[kMin], treeplex_[kMax], -1.0);
    for (int p = 0; p < kNumPlayers; ++p) {
        const InfosetTable& table = tree.infosets(p);
        extra_[p] = Vector(treeplex_[p].size);
        extra_by_sequence_[p].assign(treeplex_[p].num_sequences, 0.0);
        has_extra_[p] = !tree.extra(p).empty();
        for (const auto& [sequence, payoff] : tree.extra(p)) extra_by_sequence_[p][sequence] += payoff;
        const double sign = p == kMax ? 1.0 : -1.0;
        for (std::size_t s = 0; s < treeplex_[p].num_sequences; ++s)
            extra_[p][treeplex_[p].to_kernel[s]] = sign * extra_by_sequence_[p][s];
        for (std::size_t i = 0; i < table.size(); ++i)
            if (table.num_actions[i] > 0)
                constraints_[p].push_back({static_cast<InfosetId>(i), table.parent_sequence[i], table.first_sequence[i],
                                           table.num_actions[i]});
    }
}

std::size_t SequenceForm::bytes() const {
    std::size_t total = matrix_.entries() * 12 + matrix_.start.size() * 8;
    for (const PayoffMatrix& m : payoff_) total += m.bytes();
    for (const Treeplex& t : treeplex_) total += t.size * 8 + t.num_sequences * 4 + t.num_positions * 16;
    return total;
}

double SequenceForm::expected_value(const double* x, const double* y) const {
    double total = 0.0;
    for (std::size_t r = 0; r < matrix_.rows(); ++r) {
        double row = 0.0;
        for (std::int64_t k = matrix_.start[r]; k < matrix_.start[r + 1]; ++k)
            row += matrix_.value[k] * y[matrix_.column[k]];
        total += x[r] * (row + extra_by_sequence_[kMax][r]);
    }
    for (std::size_t s = 0; s < extra_by_sequence_[kMin].size(); ++s) total += extra_by_sequence_[kMin][s] * y[s];
    return total;
}

double maximise_bottom_up(const SequenceForm& game, int player, const double* opponent, double* q,
                          double* infoset_value, bool by_sequence) {
    const Treeplex& plex = game.treeplex(player);
    const kernels::Kernels& k = kernels::best();
    const double* extra = game.base(player);
    game.payoff(player).clear(extra, q);
    game.payoff(player).multiply(k, opponent, extra, q, 0, 1, by_sequence);
    const kernels::Branch* branches = plex.branches.data();
    for (std::size_t d = plex.depth(); d-- > 0;) {
        k.add_children(branches + plex.branch_level[d + 1], branches + plex.branch_level[d + 2], plex.children.data(),
                       infoset_value, q);
        for (std::size_t g = plex.level[d]; g < plex.level[d + 1]; ++g)
            k.maximise(plex.groups[g], 0, plex.groups[g].stride, q, infoset_value);
    }
    k.add_children(branches, branches + plex.branch_level[1], plex.children.data(), infoset_value, q);
    return q[0];
}

namespace {

// The responder's maximisation; her opponent's extra payoffs are a constant she cannot change. Valid until the thread's
// next one.
struct Response {
    Response(const SequenceForm& game, int responder, const double* strategy) {
        const Treeplex& own = game.treeplex(responder);
        q = scratch(0, own.size);
        infoset_value = scratch(1, own.num_positions);
        const double best = maximise_bottom_up(game, responder, strategy, q, infoset_value, true);
        value = responder == kMax ? best : -best;
        if (game.has_extra(1 - responder)) {
            const std::vector<double>& extra = game.extra_by_sequence(1 - responder);
            for (std::size_t s = 0; s < extra.size(); ++s) value += extra[s] * strategy[s];
        }
    }
    double* q;
    double* infoset_value;
    double value;
};

}  // namespace

double best_response_value(const SequenceForm& game, int responder, const double* strategy) {
    return Response(game, responder, strategy).value;
}

BestResponse best_response(const SequenceForm& game, const Tree& tree, int responder, const double* strategy) {
    const Response response(game, responder, strategy);
    const Treeplex& plex = game.treeplex(responder);
    const InfosetTable& table = tree.infosets(responder);
    const double sign = responder == kMax ? 1.0 : -1.0;
    BestResponse out;
    out.value = response.value;
    out.sequence_value.resize(plex.num_sequences);
    plex.scatter(response.q, out.sequence_value.data());
    for (double& v : out.sequence_value) v *= sign;
    out.infoset_value.assign(table.size(), 0.0);
    out.strategy.assign(plex.num_sequences, 0.0);
    out.strategy[0] = 1.0;
    for (const SequenceForm::Constraint& c : game.constraints(responder)) {
        out.infoset_value[c.infoset] = sign * response.infoset_value[plex.position[c.infoset]];
        SequenceId best = c.first;
        for (std::int32_t a = 1; a < c.actions; ++a)
            if (sign * out.sequence_value[c.first + a] > sign * out.sequence_value[best]) best = c.first + a;
        out.strategy[best] = out.strategy[c.parent];
    }
    return out;
}

}  // namespace murk
