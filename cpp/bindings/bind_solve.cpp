#include <nanobind/stl/array.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/arrays.h"
#include "bindings/doubles.h"
#include "solve/cfr.h"
#include "solve/lp_assembly.h"
#include "solve/sequence_form.h"

namespace murk::bindings {
namespace {

int checked_player(int p) {
    if (p != kMax && p != kMin) throw nb::value_error("player must be MAX (0) or MIN (1)");
    return p;
}

void check_length(const SequenceForm& game, int player, std::size_t length) {
    if (length != game.treeplex(checked_player(player)).num_sequences)
        throw nb::value_error("a sequence-form strategy has one entry for each of its player's sequences");
}

const double* checked_strategy(const SequenceForm& game, int player, const In<double>& strategy) {
    check_length(game, player, strategy.shape(0));
    return strategy.data();
}

const double* checked_strategy(const SequenceForm& game, int player, const Doubles& strategy) {
    check_length(game, player, strategy.size());
    return strategy.data();
}

// Small games are over before another thread could have been let in.
template <class F>
auto unlocked(const SequenceForm& game, F&& f) {
    if (game.matrix().entries() < 50'000) return f();
    nb::gil_scoped_release release;
    return f();
}

CfrOptions cfr_options(const std::string& regret, bool linear_regret, double alpha, double beta, double average_power,
                       bool alternating, std::size_t threads, const std::string& kernels) {
    CfrOptions options;
    if (regret == "plain") {
        options.regret = kernels::Regret::kPlain;
    } else if (regret == "plus") {
        options.regret = kernels::Regret::kPlus;
    } else if (regret == "discounted") {
        options.regret = kernels::Regret::kDiscounted;
    } else if (regret == "predictive") {
        options.regret = kernels::Regret::kPredictive;
    } else {
        throw nb::value_error("regret must be plain, plus, discounted or predictive");
    }
    options.linear_regret = linear_regret;
    options.alpha = alpha;
    options.beta = beta;
    options.average_power = average_power;
    options.alternating = alternating;
    options.threads = threads;
    if (!kernels.empty()) {
        options.kernels = kernels::find(kernels.c_str());
        if (options.kernels == nullptr) throw nb::value_error("this processor cannot run the kernels asked for");
    }
    return options;
}

}  // namespace

void bind_solve(nb::module_& m) {
    m.def(
        "instruction_sets",
        [] {
            std::vector<std::string> names;
            for (const char* name : {"portable", "avx2", "avx512"})
                if (kernels::find(name) != nullptr) names.emplace_back(name);
            return names;
        },
        "Names of the kernels this processor can run, best last.");

    nb::class_<SequenceForm>(m, "SequenceForm", "The sequence form of a tree: a snapshot for the solvers.")
        .def(
            "__init__",
            [](SequenceForm* self, const Tree& tree) {
                nb::gil_scoped_release release;
                new (self) SequenceForm(tree);
            },
            nb::arg("tree"))
        .def_prop_ro("revision", &SequenceForm::revision)
        .def_prop_ro("nbytes", &SequenceForm::bytes)
        .def_prop_ro("num_entries", [](const SequenceForm& g) { return g.matrix().entries(); })
        .def_prop_ro("stored_values",
                     [](const SequenceForm& g) {
                         return std::array<std::size_t, 2>{g.payoff(0).stored_values(), g.payoff(1).stored_values()};
                     })
        .def_prop_ro("num_blocks",
                     [](const SequenceForm& g) {
                         return std::array<std::size_t, 2>{g.payoff(0).num_blocks(), g.payoff(1).num_blocks()};
                     })
        .def(
            "matrix",
            [](const SequenceForm& g) {
                return pack(to_numpy(std::vector<std::int64_t>(g.matrix().start)),
                            to_numpy(std::vector<std::int32_t>(g.matrix().column)),
                            to_numpy(std::vector<double>(g.matrix().value)));
            },
            "MAX's payoffs A by sequences, as compressed rows (start, column, value).")
        .def(
            "expected_value",
            [](const SequenceForm& g, const Doubles& x, const Doubles& y) {
                const double* a = checked_strategy(g, kMax, x);
                const double* b = checked_strategy(g, kMin, y);
                return g.expected_value(a, b);
            },
            nb::arg("x"), nb::arg("y"), "MAX's expected payoff of a profile of sequence-form strategies.")
        .def(
            "best_response_value",
            [](const SequenceForm& g, int responder, const Doubles& strategy) {
                const double* s = checked_strategy(g, 1 - checked_player(responder), strategy);
                return unlocked(g, [&] { return best_response_value(g, responder, s); });
            },
            nb::arg("responder"), nb::arg("strategy"),
            "Value to MAX when `responder` best-responds to the opponent's strategy.")
        .def(
            "nash_conv",
            [](const SequenceForm& g, const Doubles& x, const Doubles& y) {
                const double* a = checked_strategy(g, kMax, x);
                const double* b = checked_strategy(g, kMin, y);
                return unlocked(g, [&] { return best_response_value(g, kMax, b) - best_response_value(g, kMin, a); });
            },
            nb::arg("x"), nb::arg("y"),
            "How much both players together could gain by best-responding; 0 at an equilibrium.")
        .def(
            "best_response",
            [](const SequenceForm& g, const Tree& tree, int responder, const In<double>& strategy) {
                const double* s = checked_strategy(g, 1 - checked_player(responder), strategy);
                if (g.revision() != tree.revision()) throw nb::value_error("the sequence form is older than the tree");
                BestResponse r = unlocked(g, [&] { return best_response(g, tree, responder, s); });
                return pack(r.value, to_numpy(std::move(r.sequence_value)), to_numpy(std::move(r.infoset_value)),
                            to_numpy(std::move(r.strategy)));
            },
            nb::arg("tree"), nb::arg("responder"), nb::arg("strategy"),
            "(value, value of each sequence, value of each infoset, a pure best response), all as MAX's "
            "payoff and unnormalised.")
        .def(
            "assemble_lp",
            [](const SequenceForm& g, int player, const In<double>& lower) {
                checked_player(player);
                if (lower.shape(0) != 0) checked_strategy(g, player, lower);
                LinearProgram lp = unlocked(g, [&] { return assemble_lp(g, player, span_of(lower)); });
                return pack(lp.num_columns, lp.num_rows, lp.num_opponent_rows, lp.offset, to_numpy(std::move(lp.cost)),
                            to_numpy(std::move(lp.column_lower)), to_numpy(std::move(lp.column_upper)),
                            to_numpy(std::move(lp.row_lower)), to_numpy(std::move(lp.row_upper)),
                            to_numpy(std::move(lp.start)), to_numpy(std::move(lp.index)),
                            to_numpy(std::move(lp.value)));
            },
            nb::arg("player"), nb::arg("lower"),
            "The player's linear program (columns, rows, opponent rows, offset, cost, column bounds, row "
            "bounds, start, index, value).");

    nb::class_<Cfr>(m, "Cfr", "Regret minimisation over a sequence form; see murk.solvers.cfr.")
        .def(
            "__init__",
            [](Cfr* self, std::shared_ptr<SequenceForm> game, const std::string& regret, bool linear_regret,
               double alpha, double beta, double average_power, bool alternating, std::size_t threads,
               const std::string& kernels) {
                new (self) Cfr(std::move(game), cfr_options(regret, linear_regret, alpha, beta, average_power,
                                                            alternating, threads, kernels));
            },
            nb::arg("game"), nb::kw_only(), nb::arg("regret"), nb::arg("linear_regret"), nb::arg("alpha"),
            nb::arg("beta"), nb::arg("average_power"), nb::arg("alternating"), nb::arg("threads"), nb::arg("kernels"))
        .def(
            "run", [](Cfr& c, std::int64_t iterations) { c.run(iterations); }, nb::arg("iterations"),
            nb::call_guard<nb::gil_scoped_release>())
        .def_prop_ro("iterations", &Cfr::iterations)
        .def(
            "average", [](const Cfr& c, int p) { return to_numpy(c.average(checked_player(p))); }, nb::arg("player"))
        .def(
            "current", [](const Cfr& c, int p) { return to_numpy(c.current(checked_player(p))); }, nb::arg("player"))
        .def(
            "best_response_value",
            [](const Cfr& c, int responder, bool average) { return c.best_response_value(responder, average); },
            nb::arg("responder"), nb::arg("average"), nb::call_guard<nb::gil_scoped_release>())
        .def("save",
             [](const Cfr& c) {
                 Cfr::State s = c.save();
                 nb::list vectors;
                 for (auto& side : s.vectors)
                     for (auto& v : side) vectors.append(to_numpy(std::move(v)));
                 return pack(s.iteration, s.average_weight, vectors);
             })
        .def(
            "restore",
            [](Cfr& c, std::int64_t iteration, double average_weight, const std::vector<In<double>>& vectors) {
                if (vectors.size() != 8) throw nb::value_error("a saved solver state has eight vectors");
                Cfr::State s;
                s.iteration = iteration;
                s.average_weight = average_weight;
                for (int i = 0; i < 8; ++i) {
                    const std::span<const double> v = span_of(vectors[i]);
                    s.vectors[i / 4][i % 4].assign(v.begin(), v.end());
                }
                c.restore(s);
            },
            nb::arg("iteration"), nb::arg("average_weight"), nb::arg("vectors"));
}

}  // namespace murk::bindings
