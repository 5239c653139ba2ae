// Bindings of the growing search.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/arrays.h"
#include "bindings/stop.h"
#include "search/growing/any_game.h"
#include "search/growing/chess_player.h"
#include "search/growing/search.h"
#include "search/growing/tree_game.h"

namespace murk::bindings {
namespace {

using growing::GrowingSearch;
using growing::SearchLimits;
using growing::SearchOptions;
using growing::TreeGame;

growing::Gadget gadget_named(const std::string& name) {
    if (name == "none") return growing::Gadget::kNone;
    if (name == "resolve") return growing::Gadget::kResolve;
    if (name == "maxmargin") return growing::Gadget::kMaxmargin;
    if (name == "blend") return growing::Gadget::kBlend;
    throw nb::value_error("a gadget is none, resolve, maxmargin or blend");
}

// Runs `work` without the GIL and with a way to ask whether to stop.
template <class Work>
void interruptible(const StopFunction& function, Work&& work) {
    StopRequest stop(function);
    {
        nb::gil_scoped_release release;
        work(stop.as_function());
    }
    stop.raise();
}

// The search on a finished tree, from its root.
class TreeSearch {
  public:
    TreeSearch(nb::object tree, const In<double>& estimate, int player, const SearchOptions& options)
        : owner_(std::move(tree)), tree_(nb::cast<const Tree&>(owner_)) {
        if (estimate.shape(0) != tree_.size()) throw nb::value_error("an estimate has one value for each node");
        growing::RootGroup<NodeId> group;
        group.states.push_back({0, {}, {kNone, kNone}});
        for (int p = 0; p < 2; ++p)
            group.states[0].keys[p] = static_cast<growing::Key>(static_cast<std::int64_t>(tree_.infoset(p, 0)));
        group.chance = {1.0};
        group.value = {estimate.data()[0]};
        search_ = std::make_unique<GrowingSearch<TreeGame>>(
            TreeGame(tree_, {estimate.data(), estimate.data() + estimate.shape(0)}), player, options,
            std::vector{group});
    }

    void run(const SearchLimits& limits) {
        interruptible({}, [&](const std::function<bool()>& stop) { search_->run(limits, stop); });
    }

    // Behaviour by sequence; uniform where the search has not been.
    Out<double> strategy(int player, bool average) const {
        const InfosetTable& table = tree_.infosets(player);
        std::vector<double> out(table.num_sequences(), 1.0);
        const auto& grown = search_->tree();
        for (std::size_t i = 0; i < table.size(); ++i) {
            const std::int32_t n = table.num_actions[i];
            if (n == 0) continue;
            const std::int32_t found = grown.find(player, i);
            const float* from = nullptr;
            double total = 0.0;
            if (found != kNone) {
                from = &(average ? grown.sum : grown.strategy)[grown.infosets[found].first];
                for (std::int32_t a = 0; a < n; ++a) total += from[a];
            }
            for (std::int32_t a = 0; a < n; ++a)
                out[table.first_sequence[i] + a] = total > 0.0 ? from[a] / total : 1.0 / n;
        }
        return to_numpy(std::move(out));
    }

    // The nodes of the tree that were expanded, in that order.
    Out<std::int32_t> expanded() const {
        const auto& grown = search_->tree();
        std::vector<std::int32_t> out;
        for (std::int32_t i = 1; i < grown.published().nodes; ++i)
            out.push_back(static_cast<std::int32_t>(grown.nodes[i].state));
        return to_numpy(std::move(out));
    }

    GrowingSearch<TreeGame>& search() { return *search_; }

  private:
    nb::object owner_;
    const Tree& tree_;
    std::unique_ptr<GrowingSearch<TreeGame>> search_;
};

// The search on a game that is not a finished tree, from its root.
class GameSearch {
  public:
    GameSearch(nb::object game, const search::Seed& root, const SearchOptions& options) : owner_(std::move(game)) {
        growing::RootGroup<search::StateId> group;
        group.states.push_back({root.state, root.keys, {kNone, kNone}});
        group.chance = {1.0};
        group.value = {root.value};
        search_ = std::make_unique<GrowingSearch<growing::AnyGame>>(
            growing::AnyGame(nb::cast<search::Game&>(owner_), root), kMax, options, std::vector{group});
    }

    void run(const SearchLimits& limits) {
        interruptible({}, [&](const std::function<bool()>& stop) { search_->run(limits, stop); });
    }

    // For each infoset of a player's that was expanded: her key, the actions, and the strategy.
    AnyTuple strategy(int player, bool average) const {
        const auto& grown = search_->tree();
        std::vector<std::int32_t> node_of(grown.infosets.size(), kNone);
        for (std::size_t i = 0; i < grown.nodes.size(); ++i)
            node_of[static_cast<std::size_t>(grown.links[i].infoset)] = static_cast<std::int32_t>(i);
        nb::list keys, actions, strategies;
        for (std::size_t i = 0; i < grown.infosets.size(); ++i) {
            const growing::InfosetEntry& infoset = grown.infosets[i];
            if (infoset.player != player) continue;
            const float* from = &(average ? grown.sum : grown.strategy)[infoset.first];
            double total = 0.0;
            for (std::int32_t a = 0; a < infoset.actions; ++a) total += from[a];
            nb::list labels, probabilities;
            for (std::int32_t a = 0; a < infoset.actions; ++a) {
                labels.append(search_->game().action(grown.nodes[node_of[i]].state, grown.label[infoset.first + a]));
                probabilities.append(total > 0.0 ? from[a] / total : 1.0 / infoset.actions);
            }
            keys.append(infoset.key);
            actions.append(std::move(labels));
            strategies.append(std::move(probabilities));
        }
        return pack(keys, actions, strategies);
    }

    GrowingSearch<growing::AnyGame>& search() { return *search_; }

  private:
    nb::object owner_;
    std::unique_ptr<GrowingSearch<growing::AnyGame>> search_;
};

// What the searches on trees and on other games have in common.
template <class Search>
void bind_search_face(nb::class_<Search>& face) {
    face.def(
            "run",
            [](Search& s, double seconds, std::int64_t nodes, std::int64_t iterations) {
                s.run({seconds, nodes, iterations});
            },
            nb::arg("seconds") = 1e9, nb::arg("nodes") = std::numeric_limits<std::int64_t>::max(),
            nb::arg("iterations") = std::numeric_limits<std::int64_t>::max())
        .def("strategy", &Search::strategy, nb::arg("player"), nb::arg("average") = false)
        .def_prop_ro("num_nodes", [](Search& s) { return s.search().tree().published().nodes; })
        .def_prop_ro("num_infosets", [](Search& s) { return s.search().tree().published().infosets; })
        .def_prop_ro("iterations", [](Search& s) { return s.search().solver().iterations(); })
        .def_prop_ro("value", [](Search& s) { return s.search().solver().value(); });
}

}  // namespace

void bind_growing(nb::module_& m) {
    nb::class_<SearchOptions>(m, "GrowingOptions", "What the growing search does and how; see murk.search.")
        .def(nb::init<>())
        .def_prop_rw(
            "exploration", [](const SearchOptions& o) { return o.expander.exploration; },
            [](SearchOptions& o, float v) { o.expander.exploration = v; })
        .def_prop_rw(
            "one_sided", [](const SearchOptions& o) { return o.expander.one_sided; },
            [](SearchOptions& o, bool v) { o.expander.one_sided = v; })
        .def_prop_rw(
            "best_first", [](const SearchOptions& o) { return o.expander.best_first; },
            [](SearchOptions& o, bool v) { o.expander.best_first = v; })
        .def_prop_rw(
            "gadget", [](const SearchOptions&) { return std::string(); },
            [](SearchOptions& o, const std::string& v) { o.gadget = gadget_named(v); })
        .def_prop_rw(
            "hurry", [](const SearchOptions& o) { return o.expander.hurry; },
            [](SearchOptions& o, float v) { o.expander.hurry = v; })
        .def_rw("threads", &SearchOptions::threads)
        .def_rw("max_nodes", &SearchOptions::max_nodes)
        .def_rw("solver_share", &SearchOptions::solver_share)
        .def_rw("expansion_cost", &SearchOptions::expansion_cost)
        .def_rw("frozen_share", &SearchOptions::frozen_share)
        .def_rw("kept_regret", &SearchOptions::kept_regret)
        .def_rw("tremble", &SearchOptions::tremble)
        .def_rw("pruning", &SearchOptions::pruning)
        .def_rw("seed", &SearchOptions::seed)
        .def_rw("averaging", &SearchOptions::averaging);
    nb::class_<TreeSearch> tree_search(m, "TreeSearch", "The growing search on a finished tree.");
    tree_search.def(
        "__init__",
        [](TreeSearch* self, nb::object tree, const In<double>& estimate, int player, const SearchOptions& options) {
            new (self) TreeSearch(std::move(tree), estimate, player, options);
        },
        nb::arg("tree"), nb::arg("estimate"), nb::arg("player"), nb::arg("options"));
    tree_search.def("expanded", &TreeSearch::expanded);
    bind_search_face(tree_search);
    nb::class_<GameSearch> game_search(m, "GameSearch", "The growing search on any game, for its MAX.");
    game_search.def(
        "__init__",
        [](GameSearch* self, nb::object game, const search::Seed& root, const SearchOptions& options) {
            new (self) GameSearch(std::move(game), root, options);
        },
        nb::arg("game"), nb::arg("root"), nb::arg("options"));
    bind_search_face(game_search);

    using growing::ChessPlayer;
    using growing::Choice;
    using growing::PlayerOptions;
    using growing::Report;
    nb::class_<PlayerOptions>(m, "PlayerOptions", "Options of the dark chess player; see murk.search.")
        .def(nb::init<>())
        .def_rw("search", &PlayerOptions::search)
        .def_rw("carry", &PlayerOptions::carry)
        .def_rw("carry_regrets", &PlayerOptions::carry_regrets)
        .def_rw("neighbours", &PlayerOptions::neighbours)
        .def_rw("uniform_prior", &PlayerOptions::uniform_prior)
        .def_rw("gifts", &PlayerOptions::gifts)
        .def_rw("draw_cap", &PlayerOptions::draw_cap)
        .def_rw("remember", &PlayerOptions::remember)
        .def_rw("positions", &PlayerOptions::positions)
        .def_rw("most_roots", &PlayerOptions::most_roots)
        .def_rw("plausibility", &PlayerOptions::plausibility)
        .def_rw("average", &PlayerOptions::average)
        .def_rw("prudence", &PlayerOptions::prudence)
        .def_rw("purify", &PlayerOptions::purify)
        .def_rw("mix", &PlayerOptions::mix);
    nb::class_<Choice>(m, "Choice", "One move of a decision.")
        .def_ro("move", &Choice::move)
        .def_ro("probability", &Choice::probability)
        .def_ro("strategy", &Choice::strategy)
        .def_ro("value", &Choice::value)
        .def_ro("seen", &Choice::seen)
        .def_ro("stable", &Choice::stable);
    nb::class_<Report>(m, "Report", "What a search of the dark chess player found.")
        .def_ro("choices", &Report::choices)
        .def_ro("value", &Report::value)
        .def_ro("resolve_weight", &Report::resolve_weight)
        .def_ro("margins", &Report::margins)
        .def_ro("iterations", &Report::iterations)
        .def_ro("nodes", &Report::nodes)
        .def_ro("leaves", &Report::leaves)
        .def_ro("infosets", &Report::infosets)
        .def_ro("carried", &Report::carried)
        .def_ro("carried_leaves", &Report::carried_leaves)
        .def_ro("roots", &Report::roots)
        .def_ro("depth", &Report::depth)
        .def_prop_ro(
            "seconds", [](const Report& r) { return pack(r.seconds.evaluating, r.seconds.walking, r.seconds.solving); },
            "Seconds spent on evaluating, on the rest of the walks, and on solving.");
    nb::class_<ChessPlayer>(m, "ChessPlayer", "One side of a game of dark chess, from its own observations alone.")
        .def(nb::init<std::shared_ptr<eval::Evaluator>, std::shared_ptr<eval::Evaluator>, chess::Colour,
                      const PlayerOptions&>(),
             nb::arg("evaluator"), nb::arg("quick"), nb::arg("colour"), nb::arg("options"),
             "`quick` values the many positions of which some are chosen for the tree.")
        .def(
            "observe",
            [](ChessPlayer& p, const chess::Observation& seen, std::optional<chess::Move> move) {
                p.observe(seen, move.value_or(chess::Move()));
            },
            nb::arg("observation"), nb::arg("move").none() = nb::none(),
            "What the player sees, at the start and after every move; `move` is her own if it was hers.")
        .def("begin", &ChessPlayer::begin, nb::call_guard<nb::gil_scoped_release>(),
             "Positions of her infoset that the tree from before already holds.")
        .def(
            "search",
            [](ChessPlayer& p, const std::vector<chess::Position>& samples, double stands_for, double seconds,
               std::int64_t nodes, const StopFunction& stop_function) {
                Report report;
                interruptible(stop_function, [&](const std::function<bool()>& stop) {
                    report =
                        p.search(samples, stands_for, {seconds, nodes, std::numeric_limits<std::int64_t>::max()}, stop);
                });
                return report;
            },
            nb::arg("samples"), nb::arg("stands_for") = 1.0, nb::arg("seconds") = 1e9,
            nb::arg("nodes") = std::numeric_limits<std::int64_t>::max(), nb::arg("stop").none() = nb::none(),
            "Search until a limit is met or `stop`, which is asked every few milliseconds, returns true.")
        .def("report", &ChessPlayer::report,
             "What the search would say now; also for `stop` to call while it runs. Nothing before the first search.");
}

}  // namespace murk::bindings
