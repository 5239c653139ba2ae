#include "bindings/arrays.h"
#include "tree/knowledge.h"

namespace murk::bindings {

void bind_knowledge(nb::module_& m) {
    nb::class_<Hypergraph>(m, "Hypergraph", "The infoset hypergraph of a tree; see murk.subgame.knowledge.")
        .def(nb::init<const Tree&>(), nb::arg("tree"), nb::keep_alive<1, 2>(), nb::call_guard<nb::gil_scoped_release>())
        .def(
            "nodes",
            [](const Hypergraph& g, int player, InfosetId infoset) {
                const std::span<const NodeId> nodes = g.nodes(player, infoset);
                return to_numpy(std::vector<NodeId>(nodes.begin(), nodes.end()));
            },
            nb::arg("player"), nb::arg("infoset"), "The nodes of an infoset.")
        .def("is_edge", &Hypergraph::is_edge, nb::arg("player"), nb::arg("infoset"),
             "Whether an infoset is a hyperedge: its player acts there or below.")
        .def(
            "ball",
            [](const Hypergraph& g, const In<std::int32_t>& start, std::int32_t radius) {
                return to_numpy(g.ball(span_of(start), radius));
            },
            nb::arg("start"), nb::arg("radius"), "All nodes at most `radius` hyperedges away, ascending.")
        .def(
            "components", [](const Hypergraph& g) { return to_numpy(g.components()); },
            "The common-knowledge closure each node belongs to, -1 at terminal nodes.")
        .def(
            "mean_ball_sizes", [](const Hypergraph& g) { return to_numpy(g.mean_ball_sizes()); },
            "Mean size of the balls of radius 1, 2, ... round decision nodes; there are as many entries as the "
            "diameter.");
}

}  // namespace murk::bindings
