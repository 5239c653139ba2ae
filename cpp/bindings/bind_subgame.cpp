#include <nanobind/stl/array.h>

#include "bindings/arrays.h"
#include "solve/subgame.h"

namespace murk::bindings {

void bind_subgame(nb::module_& m) {
    nb::class_<Subgame>(m, "Subgame", "A gadget made by make_subgame; murk.tree.Tree takes its tree over.")
        .def(
            "infosets", [](const Subgame& s, int p) { return to_numpy(std::vector<InfosetId>(s.infosets[p])); },
            nb::arg("player"), "The game's infoset of each infoset of the gadget, -1 for the gadget's own.")
        .def("nodes", [](const Subgame& s) { return to_numpy(std::vector<NodeId>(s.nodes)); })
        .def("roots", [](const Subgame& s) { return to_numpy(std::vector<InfosetId>(s.roots)); })
        .def("reach", [](const Subgame& s) { return to_numpy(std::vector<double>(s.reach)); })
        .def("alternate", [](const Subgame& s) { return to_numpy(std::vector<double>(s.alternate)); });

    m.def(
        "to_resolve",
        [](const Tree& gadget, int we) {
            if (we != kMax && we != kMin) throw nb::value_error("player must be MAX (0) or MIN (1)");
            Subgame out(1);
            out.tree = to_resolve(gadget, we);
            return out;
        },
        nb::arg("gadget"), nb::arg("we"), "MaxmarginToResolve of Algorithm 1; murk.tree.Tree takes the tree over.");

    m.def(
        "make_subgame",
        [](const Tree& game, const SequenceForm& form, const Hypergraph& graph, int we, const In<double>& strategy,
           const In<std::int32_t>& inside, const In<double>& gifts, const In<std::uint8_t>& skip) {
            if (we != kMax && we != kMin) throw nb::value_error("player must be MAX (0) or MIN (1)");
            if (form.revision() != game.revision()) throw nb::value_error("the sequence form is older than the tree");
            if (strategy.shape(0) != game.infosets(we).num_sequences())
                throw nb::value_error("a sequence-form strategy has one entry for each of its player's sequences");
            const std::size_t theirs = game.infosets(1 - we).size();
            if ((gifts.shape(0) != 0 && gifts.shape(0) != theirs) || (skip.shape(0) != 0 && skip.shape(0) != theirs))
                throw nb::value_error("gifts and skip have one entry for each infoset of the opponent");
            for (const NodeId h : span_of(inside))
                if (h < 0 || static_cast<std::size_t>(h) >= game.size()) throw nb::index_error("no such node");
            nb::gil_scoped_release release;
            const BestResponse response = best_response(form, game, 1 - we, strategy.data());
            return make_subgame(game, graph, we, strategy.data(), response, span_of(inside), span_of(gifts),
                                span_of(skip));
        },
        nb::arg("game"), nb::arg("form"), nb::arg("graph"), nb::arg("we"), nb::arg("strategy"), nb::arg("inside"),
        nb::arg("gifts"), nb::arg("skip"), "Algorithm 1 of [ZS21]; see murk.subgame.gadget.");
}

}  // namespace murk::bindings
