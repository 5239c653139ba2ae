// The search of perfect information that agents are built on.
#include <nanobind/stl/optional.h>

#include <chrono>
#include <optional>

#include "bindings/arrays.h"
#include "bindings/stop.h"
#include "chess/movegen.h"
#include "eval/lookahead.h"

namespace murk::bindings {
namespace {

nb::typed<nb::tuple, std::optional<Out<float>>, std::int64_t> look_ahead(const eval::Evaluator& evaluator,
                                                                         const chess::Position& position, int depth,
                                                                         std::optional<double> seconds,
                                                                         std::optional<std::int64_t> values,
                                                                         bool best_only, const StopFunction& stop) {
    StopRequest request(stop);
    eval::LookaheadLimits limits;
    limits.depth = depth;
    limits.best_only = best_only;
    limits.stop = request.as_function();
    if (values) limits.values = *values;
    if (seconds) {
        // A month is as good as for ever, and does not overflow the clock.
        const double capped = std::clamp(*seconds, 0.0, 2.6e6);
        limits.deadline =
            std::chrono::steady_clock::now() +
            std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(capped));
    }
    eval::Lookahead found;
    {
        const nb::gil_scoped_release released;
        found = eval::look_ahead(evaluator, position, limits);
    }
    request.raise();
    nb::object array = found.complete ? nb::cast(to_numpy(std::move(found.values))) : nb::none();
    return nb::make_tuple(array, found.taken);
}

}  // namespace

void bind_lookahead(nb::module_& m) {
    m.def("look_ahead", &look_ahead, nb::arg("evaluator"), nb::arg("position"), nb::arg("depth"), nb::kw_only(),
          nb::arg("seconds") = nb::none(), nb::arg("values") = nb::none(), nb::arg("best_only") = false,
          nb::arg("stop").none() = nb::none(),
          "What each legal move is worth to the mover if both sides see everything and search `depth` plies, or None "
          "if `seconds` or so many `values` of the evaluator did not suffice, or `stop` returned true; and the number "
          "of values taken. With "
          "`best_only` the best move's value alone is exact and the others' are upper bounds.");
}

}  // namespace murk::bindings
