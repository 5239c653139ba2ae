// The trunk of a search, MakeSubgame on it, its growing linear program, and the games it can be of.
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <memory>
#include <optional>

#include "bindings/arrays.h"
#include "bindings/stop.h"
#include "search/carry.h"
#include "search/chess_game.h"
#include "search/program.h"
#include "search/report.h"
#include "search/trunk.h"

namespace murk::bindings {
namespace {

using namespace murk::search;

// A game written in Python. `expand(state, key of ours, key of theirs)` returns (player, actions, chance, values,
// interests, states or None where the game is over, keys of ours, keys of theirs).
class PythonGame final : public Game {
  public:
    PythonGame(nb::callable expand, nb::callable transposition)
        : expand_(std::move(expand)), transposition_(std::move(transposition)) {}

    StateId add(nb::object state) {
        states_.append(std::move(state));
        return static_cast<StateId>(nb::len(states_) - 1);
    }

    void expand(StateId state, const Keys& keys, Children& out) override {
        nb::gil_scoped_acquire acquire;
        const nb::tuple told = nb::cast<nb::tuple>(expand_(states_[state], keys[kMax], keys[kMin]));
        out.player = nb::cast<int>(told[0]);
        out.action = nb::cast<std::vector<std::int64_t>>(told[1]);
        out.probability = nb::cast<std::vector<double>>(told[2]);
        out.value = nb::cast<std::vector<double>>(told[3]);
        out.interest = nb::cast<std::vector<float>>(told[4]);
        for (nb::handle child : told[5]) out.state.push_back(child.is_none() ? kNone : add(nb::borrow(child)));
        out.key = {nb::cast<std::vector<Key>>(told[6]), nb::cast<std::vector<Key>>(told[7])};
    }
    Key transposition(StateId state) const override {
        nb::gil_scoped_acquire acquire;
        return nb::cast<Key>(transposition_(states_[state]));
    }
    void keep(std::span<const StateId> states) override {
        nb::gil_scoped_acquire acquire;
        nb::list kept;
        for (const StateId state : states) kept.append(states_[state]);
        states_ = std::move(kept);
    }

  private:
    nb::callable expand_, transposition_;
    nb::list states_;
};

Gadget gadget_named(const std::string& name) {
    if (name == "plain") return Gadget::kPlain;
    if (name == "maxmargin") return Gadget::kMaxmargin;
    if (name == "resolve") return Gadget::kResolve;
    throw nb::value_error("a gadget is plain, maxmargin or resolve");
}

void check_sequences(const Trunk& trunk, int player, std::size_t length) {
    if (length != trunk.tree().infosets(player).num_sequences())
        throw nb::value_error("a strategy has one entry for each of its player's sequences in the trunk");
}

std::chrono::steady_clock::time_point deadline_in(std::optional<double> seconds) {
    using std::chrono::steady_clock;
    if (!seconds) return steady_clock::time_point::max();
    return steady_clock::now() +
           std::chrono::duration_cast<steady_clock::duration>(std::chrono::duration<double>(*seconds));
}

AnyTuple grow(Trunk& trunk, const In<double>& x, const In<double>& y, const std::string& rule, int depth,
              std::size_t nodes, std::optional<double> seconds, const StopFunction& stop) {
    StopRequest request(stop);
    GrowOptions options;
    if (rule != "text" && rule != "pseudocode") throw nb::value_error("a rule of expansion is text or pseudocode");
    options.rule = rule == "text" ? Expansion::kText : Expansion::kPseudocode;
    options.depth = depth;
    options.nodes = nodes;
    options.deadline = deadline_in(seconds);
    if (stop) options.stop = request.as_function();
    Growth growth;
    {
        nb::gil_scoped_release release;
        growth = trunk.grow(span_of(x), span_of(y), options);
    }
    request.raise();
    return pack(growth.expanded, growth.waiting, growth.stopped);
}

using Expand = nb::typed<nb::callable, nb::any(nb::any, nb::any, nb::any)>;
using Transposition = nb::typed<nb::callable, nb::any(nb::any)>;

void bind_games(nb::module_& m) {
    nb::class_<Game>(m, "SearchGame", "A game as a search sees it: the searcher is MAX.")
        .def("transposition", &Game::transposition, nb::arg("state"), "A number equal for transpositions.")
        .def("clear", [](Game& g) { g.keep({}); }, "Forget all states; no trunk of the game may be used any more.");
    nb::class_<PythonGame, Game>(m, "PythonGame", "A game written in Python; see murk.search.game.")
        .def(nb::init<Expand, Transposition>(), nb::arg("expand"), nb::arg("transposition"))
        .def("add", &PythonGame::add, nb::arg("state"), "Add a state; returns its number.");
    nb::class_<ChessGame, Game>(m, "ChessGame", "Dark chess for a search; see cpp/search/chess_game.h.")
        .def(
            "__init__",
            [](ChessGame* self, chess::Colour we, std::shared_ptr<eval::Evaluator> evaluator, bool draw_cap) {
                new (self) ChessGame(we, std::move(evaluator), {.draw_cap = draw_cap});
            },
            nb::arg("we"), nb::arg("evaluator"), nb::arg("draw_cap") = true)
        .def("set_history", &ChessGame::set_history, nb::arg("views"), nb::arg("quiet_plies"),
             "Tell what the searcher has seen so far and for how many plies nothing irreversible.")
        .def(
            "add_position",
            [](ChessGame& g, const chess::Position& position, Key ours) {
                nb::gil_scoped_release release;
                return g.add_position(position, ours);
            },
            nb::arg("position"), nb::arg("key"),
            "Add a position with the searcher to move; `key` is what she knows. Returns its seed.")
        .def(
            "add_positions",
            [](ChessGame& g, const std::vector<chess::Position>& positions, Key ours, std::optional<double> seconds) {
                nb::gil_scoped_release release;
                return g.add_positions(positions, ours, deadline_in(seconds));
            },
            nb::arg("positions"), nb::arg("key"), nb::arg("seconds").none() = nb::none(),
            "Add as many positions as there is time to evaluate, at least one; evaluated in batches.")
        .def("position", &ChessGame::position, nb::arg("state"), nb::rv_policy::copy)
        .def_prop_ro("evaluations", &ChessGame::evaluations, "Values of moves taken so far.")
        .def_prop_ro("nbytes", &ChessGame::bytes);
    m.def("view_key", &view_key, nb::arg("observation"), "A hash of what a player sees.");
    m.def(
        "next_key",
        [](Key key, std::optional<std::int64_t> action, Key observation) {
            return next_key(key, action.has_value(), action.value_or(0), observation);
        },
        nb::arg("key"), nb::arg("action").none(), nb::arg("observation"),
        "A player's key after a step: her action if she acted, else None, and a hash of what she observes.");
}

void bind_carry(nb::module_& m) {
    nb::class_<CarryPlan>(m, "CarryPlan", "What MakeSubgame takes over from an old trunk.")
        .def_prop_ro(
            "found", [](const CarryPlan& p) { return p.found; }, "Nodes of our infoset in the old trunk.")
        .def_prop_ro(
            "value", [](const CarryPlan& p) { return p.value; }, "The old profile's value at our infoset.")
        .def(
            "states",
            [](const CarryPlan& p, const Trunk& old) {
                std::vector<StateId> states;
                for (const Meeting& meeting : p.meetings)
                    for (const NodeId h : meeting.inside) states.push_back(old.state(h));
                return states;
            },
            nb::arg("old"), "The states that stay, by their old numbers.")
        .def(
            "meetings",
            [](const CarryPlan& p) {
                nb::typed<nb::list, AnyTuple> out;
                for (const Meeting& j : p.meetings)
                    out.append(nb::make_tuple(j.key, j.inside, j.outside, j.inside_reach, j.reach, j.value, j.gift,
                                              j.alternate()));
                return out;
            },
            "(key, nodes inside, nodes outside, D, reach, value, gift, alternate value) of each opponent infoset.");
    m.def(
        "plan_carry",
        [](const Trunk& old, Key key, const In<double>& x, const In<double>& y, bool reach, bool root_gifts, bool merge,
           bool resolve, std::uint64_t seed, std::size_t limit) {
            check_sequences(old, kMax, x.shape(0));
            check_sequences(old, kMin, y.shape(0));
            nb::gil_scoped_release release;
            return plan_carry(old, key, span_of(x), span_of(y), {reach, root_gifts, merge, resolve, seed, limit});
        },
        nb::arg("old"), nb::arg("key"), nb::arg("x"), nb::arg("y"), nb::kw_only(), nb::arg("reach"),
        nb::arg("root_gifts"), nb::arg("merge"), nb::arg("resolve"), nb::arg("seed"), nb::arg("limit"),
        "Look up our infoset in a trunk, with what MakeSubgame needs to know of it.");
    m.def(
        "carry",
        [](const Trunk& old, const CarryPlan& plan, const In<double>& x, const std::vector<Seed>& lost,
           const std::vector<double>& alternates, std::size_t capacity, std::size_t limit) {
            check_sequences(old, kMax, x.shape(0));
            if (lost.size() != alternates.size()) throw nb::value_error("each lost particle has an alternate value");
            nb::gil_scoped_release release;
            std::vector<Root> roots;
            for (std::size_t i = 0; i < lost.size(); ++i) roots.push_back({{lost[i]}, {1.0}, alternates[i], false});
            return carry(old, plan, span_of(x), std::move(roots), capacity, limit);
        },
        nb::arg("old"), nb::arg("plan"), nb::arg("x"), nb::arg("lost"), nb::arg("alternates"), nb::arg("capacity"),
        nb::arg("limit"),
        "MakeSubgame: the trunk below our infoset, and lost particles beside it. The old trunk is used up.");
}

}  // namespace

void bind_search(nb::module_& m) {
    nb::class_<Seed>(m, "Seed", "A state to begin from.")
        .def(
            "__init__",
            [](Seed* self, StateId state, Key ours, Key theirs, double value) {
                new (self) Seed{state, {ours, theirs}, value};
            },
            nb::arg("state"), nb::arg("ours"), nb::arg("theirs"), nb::arg("value"))
        .def_ro("state", &Seed::state)
        .def_ro("value", &Seed::value)
        .def_prop_ro("keys", [](const Seed& s) { return s.keys; });
    bind_games(m);

    nb::class_<Trunk>(m, "Trunk", "The expanded part of a game; see cpp/search/trunk.h.")
        .def(
            "__init__",
            [](Trunk* self, std::shared_ptr<Game> game, const Seed& root, std::size_t capacity) {
                new (self) Trunk(std::move(game), root, capacity);
            },
            nb::arg("game"), nb::arg("root"), nb::arg("capacity"), "The whole game from one state on.")
        .def(
            "__init__",
            [](Trunk* self, std::shared_ptr<Game> game, const std::vector<Seed>& seeds,
               const std::vector<double>& alternates, std::size_t capacity) {
                if (seeds.size() != alternates.size()) throw nb::value_error("each root has an alternate value");
                std::vector<Root> roots;
                for (std::size_t i = 0; i < seeds.size(); ++i)
                    roots.push_back({{seeds[i]}, {1.0}, alternates[i], false});
                new (self) Trunk(std::move(game), std::move(roots), capacity);
            },
            nb::arg("game"), nb::arg("seeds"), nb::arg("alternates"), nb::arg("capacity"),
            "A gadget in which the opponent knows the state she is at.")
        .def_prop_ro(
            "tree", [](Trunk& t) -> Tree& { return t.tree(); }, nb::rv_policy::reference_internal)
        .def_prop_ro("num_nodes", [](const Trunk& t) { return t.tree().size(); })
        .def_prop_ro(
            "num_infosets",
            [](const Trunk& t) {
                std::array<std::size_t, kNumPlayers> counts{};
                for (int p = 0; p < kNumPlayers; ++p)
                    for (std::size_t i = 0; i < t.tree().infosets(p).size(); ++i)
                        counts[p] += t.tree().infosets(p).num_actions[i] > 0 ? 1 : 0;
                return counts;
            },
            "Infosets at which a player acts, ours first.")
        .def_prop_ro("num_roots", [](const Trunk& t) { return t.roots().size(); })
        .def_prop_ro("has_gadget", &Trunk::has_gadget)
        .def_prop_ro("root_nodes", [](const Trunk& t) { return t.root_nodes(); })
        .def_prop_ro("alternates",
                     [](const Trunk& t) {
                         std::vector<double> out;
                         for (const Root& root : t.roots()) out.push_back(root.alternate);
                         return to_numpy(std::move(out));
                     })
        .def_prop_ro(
            "carried",
            [](const Trunk& t) {
                std::size_t count = 0;
                for (const Root& root : t.roots()) count += root.carried ? 1 : 0;
                return count;
            },
            "Roots that come from the trunk before.")
        .def_prop_ro("max_depth", &Trunk::max_depth)
        .def_prop_ro("nbytes", &Trunk::bytes)
        .def(
            "state", [](const Trunk& t, NodeId h) { return t.state(h); }, nb::arg("node"))
        .def(
            "keys", [](const Trunk& t, NodeId h) { return t.keys(h); }, nb::arg("node"))
        .def(
            "value", [](const Trunk& t, NodeId h) { return t.value(h); }, nb::arg("node"))
        .def(
            "depth", [](const Trunk& t, NodeId h) { return t.depth(h); }, nb::arg("node"))
        .def(
            "is_frontier", [](const Trunk& t, NodeId h) { return t.is_frontier(h); }, nb::arg("node"))
        .def(
            "find_infoset", [](const Trunk& t, int p, Key key) { return t.find_infoset(p, key); }, nb::arg("player"),
            nb::arg("key"), "The infoset of this key, -1 if there is none.")
        .def(
            "expand_roots",
            [](Trunk& t, std::optional<double> seconds, const StopFunction& stop) {
                StopRequest request(stop);
                bool all = false;
                {
                    nb::gil_scoped_release release;
                    all = t.expand_roots(deadline_in(seconds), stop ? request.as_function() : nullptr);
                }
                request.raise();
                return all;
            },
            nb::arg("seconds").none() = nb::none(), nb::arg("stop").none() = nb::none(),
            "Expand the root states, as many as there is time for (at least one).")
        .def("grow", &grow, nb::arg("x"), nb::arg("y"), nb::kw_only(), nb::arg("rule"), nb::arg("depth"),
             nb::arg("nodes"), nb::arg("seconds").none(), nb::arg("stop").none() = nb::none(),
             "One round of expansion; returns (nodes expanded, whether depth held any back, whether a limit did).")
        .def(
            "next_observation_entropy", [](const Trunk& t) { return to_numpy(t.next_observation_entropy()); },
            "Bits we learn after each action at the root.")
        .def(
            "margins",
            [](const Trunk& t, const In<double>& x) {
                check_sequences(t, kMax, x.shape(0));
                return to_numpy(margins(t, span_of(x)));
            },
            nb::arg("x"), "How much more than its alternate value each root of the gadget pays us.")
        .def(
            "action_values",
            [](const Trunk& t, const In<double>& x, const In<double>& y) {
                check_sequences(t, kMax, x.shape(0));
                check_sequences(t, kMin, y.shape(0));
                return to_numpy(action_values(t, span_of(x), span_of(y)));
            },
            nb::arg("x"), nb::arg("y"), "What each action at the root is worth against the opponent's strategy.")
        .def(
            "extend",
            [](const Trunk& t, int p, const In<double>& strategy, const In<double>& other) {
                return to_numpy(t.extend(p, span_of(strategy), span_of(other)));
            },
            nb::arg("player"), nb::arg("strategy"), nb::arg("other"),
            "A strategy over all sequences from one over those there were: new infosets play what looks best.");
    bind_carry(m);

    nb::class_<Program>(m, "SearchProgram", "The linear program of a growing trunk; see cpp/search/program.h.")
        .def(nb::init<const Trunk&, int>(), nb::arg("trunk"), nb::arg("player"), nb::keep_alive<1, 2>())
        .def("update", &Program::update, nb::call_guard<nb::gil_scoped_release>())
        .def_prop_ro("num_columns", &Program::num_columns)
        .def_prop_ro("num_rows", &Program::num_rows)
        .def_prop_ro(
            "mark", [](const Program& p) { return pack(p.mark().columns, p.mark().rows, p.mark().entries); },
            "(columns, rows, entries): how far a solver that has the program as it is has been told of it.")
        .def_prop_ro("largest_payoff", &Program::largest_payoff)
        .def_prop_ro(
            "places",
            [](const Program& p) {
                const ProgramPlaces& at = p.places();
                return pack(to_numpy(std::vector(at.column_of_sequence)), to_numpy(std::vector(at.row_of_sequence)),
                            to_numpy(std::vector(at.column_of_infoset)), to_numpy(std::vector(at.row_of_infoset)));
            },
            "Columns of own sequences, rows of the other's, columns of her infosets, rows of own ones; -1 for none.")
        .def(
            "vectors",
            [](const Program& p, const std::string& gadget, double unit, double tremble) {
                ProgramVectors v = p.vectors(gadget_named(gadget), unit, tremble);
                return pack(v.offset, to_numpy(std::move(v.cost)), to_numpy(std::move(v.column_lower)),
                            to_numpy(std::move(v.column_upper)), to_numpy(std::move(v.row_lower)),
                            to_numpy(std::move(v.row_upper)));
            },
            nb::arg("gadget"), nb::arg("unit"), nb::arg("tremble"), "(offset, cost, column bounds, row bounds).")
        .def(
            "growth",
            [](const Program& p, std::array<std::size_t, 3> since, double unit) {
                const ProgramMark mark{since[0], since[1], since[2]};
                if (mark.columns > p.num_columns() || mark.rows > p.num_rows() || mark.entries > p.mark().entries)
                    throw nb::value_error("a mark is of an earlier state of the program");
                ProgramGrowth g;
                {
                    nb::gil_scoped_release release;
                    g = p.growth(mark, unit);
                }
                return pack(to_numpy(std::move(g.columns.start)), to_numpy(std::move(g.columns.index)),
                            to_numpy(std::move(g.columns.value)), to_numpy(std::move(g.rows.start)),
                            to_numpy(std::move(g.rows.index)), to_numpy(std::move(g.rows.value)), std::move(g.changed),
                            std::move(g.changed_value));
            },
            nb::arg("since"), nb::arg("unit"),
            "(start, index, value) of new columns in old rows, the same of new rows; places and values of changes.")
        .def(
            "new_basis",
            [](const Program& p, std::size_t first_column, std::size_t first_row, std::size_t first_node,
               const In<double>& x, const In<double>& y) {
                ProgramBasis basis = p.new_basis(first_column, first_row, first_node, {span_of(x), span_of(y)});
                return pack(to_numpy(std::move(basis.columns)), to_numpy(std::move(basis.rows)));
            },
            nb::arg("first_column"), nb::arg("first_row"), nb::arg("first_node"), nb::arg("x"), nb::arg("y"),
            "Where to begin with new columns and rows: 0 at its lower bound, 1 basic.")
        .def(
            "strategies",
            [](const Program& p, const In<double>& columns, const In<double>& duals, const std::string& gadget,
               double tolerance, double tremble) {
                if (columns.shape(0) != p.num_columns() || duals.shape(0) != p.num_rows())
                    throw nb::value_error("a solution has one value a column and one dual a row");
                auto both = p.strategies(span_of(columns), span_of(duals), gadget_named(gadget), tolerance, tremble);
                return pack(to_numpy(std::move(both[0])), to_numpy(std::move(both[1])));
            },
            nb::arg("columns"), nb::arg("duals"), nb::arg("gadget"), nb::arg("tolerance"), nb::arg("tremble"),
            "Both players' sequence forms, ours first.");
}

}  // namespace murk::bindings
