#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/arrays.h"
#include "solve/subgame.h"
#include "solve/values.h"
#include "tree/tree.h"

namespace murk::bindings {
namespace {

int checked_player(int p) {
    if (p != kMax && p != kMin) throw nb::value_error("player must be MAX (0) or MIN (1)");
    return p;
}

const char* kind_name(TreeError::Kind kind) {
    switch (kind) {
        case TreeError::kShape:
            return "shape";
        case TreeError::kChance:
            return "chance";
        case TreeError::kUtility:
            return "utility";
        case TreeError::kActionCount:
            return "action count";
        case TreeError::kRecall:
            return "recall";
        case TreeError::kAbsentMinded:
            return "absent-minded";
        case TreeError::kTooLarge:
            return "too large";
    }
    return "unknown";
}

void check_node(const Tree& tree, NodeId h) {
    if (h < 0 || static_cast<std::size_t>(h) >= tree.size()) throw nb::index_error("no such node");
}

}  // namespace

void bind_tree(nb::module_& m) {
    static nb::object tree_error = nb::steal(PyErr_NewExceptionWithDoc(
        "murk._core.TreeError", "A tree that cannot be: args are (kind, player, subject, text).", PyExc_ValueError,
        nullptr));
    m.attr("TreeError") = tree_error;
    nb::register_exception_translator([](const std::exception_ptr& p, void*) {
        try {
            std::rethrow_exception(p);
        } catch (const TreeError& e) {
            PyErr_SetObject(tree_error.ptr(), nb::make_tuple(kind_name(e.kind), e.player, e.subject, e.what()).ptr());
        } catch (const std::length_error&) {
            PyErr_SetObject(tree_error.ptr(), nb::make_tuple("too large", -1, 0, "the tree is full").ptr());
        }
    });

    nb::class_<Tree>(m, "Tree", "Append-only game tree; see murk.tree.Tree.")
        .def(nb::init<std::size_t>(), nb::arg("capacity") = Tree::kMaxNodes)
        .def(
            "__init__",
            [](Tree* self, const In<std::int32_t>& parent, const In<std::uint8_t>& player,
               const In<std::int64_t>& action, const In<double>& chance, const In<double>& utility,
               const In<std::int32_t>& infoset_max, const In<std::int32_t>& infoset_min) {
                const TreeArrays arrays{span_of(parent),  span_of(player),
                                        span_of(action),  span_of(chance),
                                        span_of(utility), {span_of(infoset_max), span_of(infoset_min)}};
                nb::gil_scoped_release release;
                new (self) Tree(Tree::from_arrays(arrays));
            },
            nb::arg("parent"), nb::arg("player"), nb::arg("action"), nb::arg("chance"), nb::arg("utility"),
            nb::arg("infoset_max"), nb::arg("infoset_min"), "Build and check a finished tree; raises TreeError.")
        .def(
            "__init__",
            [](Tree* self, const In<std::int32_t>& parent, const In<std::uint8_t>& player,
               const In<std::int64_t>& action, const In<double>& chance, const In<double>& utility,
               const std::array<In<std::int32_t>, 2>& infosets, const std::array<In<std::int32_t>, 2>& infoset_parents,
               const std::array<In<std::int32_t>, 2>& infoset_actions, const In<double>& reach) {
                const TreeArrays arrays{span_of(parent),  span_of(player),
                                        span_of(action),  span_of(chance),
                                        span_of(utility), {span_of(infosets[0]), span_of(infosets[1])}};
                const std::array<TableArrays, 2> tables{
                    TableArrays{span_of(infoset_parents[0]), span_of(infoset_actions[0])},
                    TableArrays{span_of(infoset_parents[1]), span_of(infoset_actions[1])}};
                const std::span<const double> reaches = span_of(reach);
                nb::gil_scoped_release release;
                new (self) Tree(Tree::restore(arrays, tables, reaches));
            },
            nb::arg("parent"), nb::arg("player"), nb::arg("action"), nb::arg("chance"), nb::arg("utility"),
            nb::arg("infosets"), nb::arg("infoset_parents"), nb::arg("infoset_actions"), nb::arg("reach"),
            "Restore a tree from its own arrays, numbering and all; raises TreeError.")
        .def(
            "__init__", [](Tree* self, Subgame& gadget) { new (self) Tree(std::move(gadget.tree)); }, nb::arg("gadget"),
            "Take over the tree of a gadget, which is left without one.")
        .def_prop_ro("num_nodes", &Tree::size)
        .def_prop_ro("capacity", &Tree::capacity)
        .def_prop_ro_static("bytes_per_node", [](nb::handle) { return Tree::bytes_per_node(); })
        .def_prop_ro("nbytes", &Tree::bytes)
        .def_prop_ro("revision", &Tree::revision)
        .def("add_root", &Tree::add_root, nb::arg("utility") = 0.0, "Add the root, a leaf with a utility; returns 0.")
        .def(
            "add_infoset",
            [](Tree& t, int p, SequenceId parent, std::int32_t actions) {
                return t.add_infoset(checked_player(p), parent, actions);
            },
            nb::arg("player"), nb::arg("parent_sequence"), nb::arg("num_actions"),
            "Add an infoset (0 actions: the player only watches); returns its number.")
        .def(
            "expand",
            [](Tree& t, NodeId node, int player, std::array<InfosetId, 2> infosets, const In<std::int64_t>& actions,
               const In<double>& chance, const In<double>& utilities) {
                return t.expand(node, player, infosets, span_of(actions), span_of(chance), span_of(utilities));
            },
            nb::arg("node"), nb::arg("player"), nb::arg("infosets"), nb::arg("actions"), nb::arg("chance"),
            nb::arg("utilities"),
            "Turn a leaf into a node of `player` and append its children as leaves; returns the first child.")
        .def("set_utility", &Tree::set_utility, nb::arg("node"), nb::arg("value"))
        .def(
            "add_extra", [](Tree& t, int p, SequenceId s, double payoff) { t.add_extra(checked_player(p), s, payoff); },
            nb::arg("player"), nb::arg("sequence"), nb::arg("payoff"),
            "Add to MAX's extra payoff B on a sequence of `player`.")
        .def(
            "clear_extra", [](Tree& t, int p) { t.clear_extra(checked_player(p)); }, nb::arg("player"))
        .def(
            "extra", [](const Tree& t, int p) { return t.extra(checked_player(p)); }, nb::arg("player"),
            "The extra payoffs B on `player`'s sequences, as (sequence, payoff) pairs.")
        .def_prop_ro("parent", [](nb::handle_t<Tree> t) { return view_of(nb::cast<const Tree&>(t).parents(), t); })
        .def_prop_ro("first_child",
                     [](nb::handle_t<Tree> t) { return view_of(nb::cast<const Tree&>(t).first_children(), t); })
        .def_prop_ro("num_children",
                     [](nb::handle_t<Tree> t) { return view_of(nb::cast<const Tree&>(t).child_counts(), t); })
        .def_prop_ro("player", [](nb::handle_t<Tree> t) { return view_of(nb::cast<const Tree&>(t).players(), t); })
        .def_prop_ro("action", [](nb::handle_t<Tree> t) { return view_of(nb::cast<const Tree&>(t).actions(), t); })
        .def_prop_ro("chance_reach",
                     [](nb::handle_t<Tree> t) { return view_of(nb::cast<const Tree&>(t).chance_reaches(), t); })
        .def_prop_ro("utility", [](nb::handle_t<Tree> t) { return view_of(nb::cast<const Tree&>(t).utilities(), t); })
        .def(
            "infoset",
            [](nb::handle_t<Tree> t, int p) {
                return view_of(nb::cast<const Tree&>(t).infosets_of(checked_player(p)), t);
            },
            nb::arg("player"), "The player's infoset at each node, -1 at terminal nodes.")
        .def(
            "sequence",
            [](nb::handle_t<Tree> t, int p) {
                return view_of(nb::cast<const Tree&>(t).sequences_of(checked_player(p)), t);
            },
            nb::arg("player"), "The player's sequence at each node.")
        .def(
            "num_infosets", [](const Tree& t, int p) { return t.infosets(checked_player(p)).size(); },
            nb::arg("player"))
        .def(
            "num_sequences", [](const Tree& t, int p) { return t.infosets(checked_player(p)).num_sequences(); },
            nb::arg("player"))
        .def(
            "infoset_parent",
            [](nb::handle_t<Tree> t, int p) {
                return view_of(nb::cast<const Tree&>(t).infosets(checked_player(p)).parent_sequence, t);
            },
            nb::arg("player"), "The parent sequence of each infoset.")
        .def(
            "infoset_first",
            [](nb::handle_t<Tree> t, int p) {
                return view_of(nb::cast<const Tree&>(t).infosets(checked_player(p)).first_sequence, t);
            },
            nb::arg("player"), "The first sequence of each infoset, -1 where the player does not act.")
        .def(
            "infoset_actions",
            [](nb::handle_t<Tree> t, int p) {
                return view_of(nb::cast<const Tree&>(t).infosets(checked_player(p)).num_actions, t);
            },
            nb::arg("player"), "The number of actions at each infoset, 0 where the player does not act.")
        .def(
            "sequence_infoset",
            [](nb::handle_t<Tree> t, int p) {
                return view_of(nb::cast<const Tree&>(t).infosets(checked_player(p)).sequence_infoset, t);
            },
            nb::arg("player"), "The infoset each sequence belongs to, -1 for the empty one.")
        .def(
            "infoset_labels",
            [](const Tree& t, int p) {
                return to_numpy(std::vector<std::int32_t>(t.infoset_labels(checked_player(p))));
            },
            nb::arg("player"), "The builder's own label of each infoset.")
        .def(
            "depths", [](const Tree& t) { return to_numpy(depths(t)); }, "Plies from the root to each node.")
        .def(
            "infoset_reach",
            [](const Tree& t, int owner, int player, const In<double>& strategy) {
                if (strategy.shape(0) != t.infosets(checked_player(player)).num_sequences())
                    throw nb::value_error("a sequence-form strategy has one entry for each of its player's sequences");
                return to_numpy(infoset_reach(t, checked_player(owner), player, strategy.data()));
            },
            nb::arg("owner"), nb::arg("player"), nb::arg("strategy"),
            "For each infoset of `owner`, the chance reach of its nodes weighted by `player`'s sequence-form "
            "strategy.")
        .def(
            "node_values",
            [](const Tree& t, const In<double>& behaviour_max, const In<double>& behaviour_min) {
                if (behaviour_max.shape(0) != t.infosets(kMax).num_sequences() ||
                    behaviour_min.shape(0) != t.infosets(kMin).num_sequences())
                    throw nb::value_error("a behaviour strategy has one entry for each of its player's sequences");
                return to_numpy(node_values(t, behaviour_max.data(), behaviour_min.data()));
            },
            nb::arg("behaviour_max"), nb::arg("behaviour_min"), "Expected payoff to MAX from each node on.");
}

}  // namespace murk::bindings
