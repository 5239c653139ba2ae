// What all evaluators have in common.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <utility>
#include <vector>

#include "bindings/arrays.h"
#include "chess/movegen.h"
#include "eval/evaluator.h"

namespace murk::bindings {
namespace {

using chess::Move;
using chess::Position;
using eval::Evaluator;
using eval::Request;

std::vector<std::vector<float>> values_of(const Evaluator& evaluator, const std::vector<Position>& positions) {
    std::vector<std::vector<Move>> moves(positions.size());
    std::vector<std::vector<float>> values(positions.size());
    std::vector<Request> requests;
    requests.reserve(positions.size());
    for (std::size_t i = 0; i < positions.size(); ++i) {
        chess::MoveList legal;
        generate(positions[i], legal);
        for (const Move move : legal) moves[i].push_back(move);
        values[i].resize(moves[i].size());
        requests.push_back({positions[i], moves[i], values[i]});
    }
    evaluator.values(requests);
    return values;
}

}  // namespace

void bind_evaluator(nb::module_& m) {
    nb::class_<Evaluator>(m, "Evaluator", "A value in [-1, 1] for every legal move, from the mover's side.")
        .def_prop_ro("name", &Evaluator::name)
        .def_prop_ro(
            "parameters",
            [](const Evaluator& e) {
                nb::typed<nb::dict, nb::str, nb::str> parameters;
                for (const auto& [key, value] : e.parameters()) parameters[key.c_str()] = value;
                return parameters;
            },
            "What the values depend on: version, depth, tau, ...")
        .def_prop_ro("licence", &Evaluator::licence, "Of what computes the values, as an SPDX identifier.")
        .def(
            "values",
            [](const Evaluator& e, const Position& position) {
                std::vector<std::vector<float>> values;
                {
                    nb::gil_scoped_release release;
                    values = values_of(e, {position});
                }
                return to_numpy(std::move(values[0]));
            },
            nb::arg("position"), "One value for each of `position.legal_moves`.")
        .def(
            "values_of",
            [](const Evaluator& e, const std::vector<Position>& positions) {
                std::vector<std::vector<float>> values;
                {
                    nb::gil_scoped_release release;
                    values = values_of(e, positions);
                }
                nb::typed<nb::list, Out<float>> arrays;
                for (auto& array : values) arrays.append(to_numpy(std::move(array)));
                return arrays;
            },
            nb::arg("positions"), "`values` of many positions at once.");
}

}  // namespace murk::bindings
