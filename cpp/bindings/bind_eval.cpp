#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <nanobind/trampoline.h>

#include <cstring>
#include <map>

#include "bindings/arrays.h"
#include "eval/dataset.h"
#include "eval/embedded.h"
#include "eval/fog_outcomes.h"
#include "eval/fuzz.h"
#include "eval/simple.h"
#include "eval/trainer.h"

namespace murk::bindings {
namespace {

using namespace murk::eval;

// Training records as numpy sees them: rows of 32 bytes.
using Records = nb::ndarray<const std::uint8_t, nb::shape<-1, sizeof(TrainingRecord)>, nb::c_contig, nb::device::cpu>;
using RecordsOut = nb::ndarray<nb::numpy, std::uint8_t, nb::shape<-1, sizeof(TrainingRecord)>>;

std::span<const TrainingRecord> records_of(const Records& array) {
    if (reinterpret_cast<std::uintptr_t>(array.data()) % alignof(TrainingRecord) != 0)
        throw nb::value_error("training records must be aligned to 8 bytes");
    const std::span records(reinterpret_cast<const TrainingRecord*>(array.data()), array.shape(0));
    for (const TrainingRecord& record : records)
        if (!is_valid(record)) throw nb::value_error("the training records are damaged: one of them is no position");
    return records;
}

void poll_signals() {
    const nb::gil_scoped_acquire held;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

RecordsOut to_numpy_records(std::vector<TrainingRecord>&& records) {
    auto* owned = new std::vector<TrainingRecord>(std::move(records));
    nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<TrainingRecord>*>(p); });
    return RecordsOut(reinterpret_cast<std::uint8_t*>(owned->data()), {owned->size(), sizeof(TrainingRecord)}, owner);
}

const NetKernels& kernels_named(const std::string& name) {
    if (name.empty()) return best_net_kernels();
    const NetKernels* kernels = find_net_kernels(name.c_str());
    if (kernels == nullptr) throw nb::value_error("this processor cannot run the kernels asked for");
    return *kernels;
}

std::shared_ptr<Network> read_network(nb::bytes file, const std::string& kernels) {
    const auto* data = static_cast<const std::byte*>(file.data());
    return std::make_shared<Network>(std::span(data, file.size()), kernels_named(kernels));
}

nb::bytes as_bytes(const std::string& data) { return nb::bytes(data.data(), data.size()); }

// An evaluator written in Python: its class says what the moves are worth that the rules do not decide.
class Custom : public Evaluator {
  public:
    Custom(std::string name, std::map<std::string, std::string> parameters, std::string licence)
        : name_(std::move(name)), parameters_(parameters.begin(), parameters.end()), licence_(std::move(licence)) {}

    std::string name() const override { return name_; }
    std::vector<std::pair<std::string, std::string>> parameters() const override { return parameters_; }
    std::string licence() const override { return licence_; }
    virtual std::vector<double> move_values(const chess::Position& position,
                                            const std::vector<chess::Move>& moves) const = 0;

  protected:
    void open_values(std::span<const Request> requests) const override {
        for (const Request& request : requests) {
            const std::vector<double> values =
                move_values(request.position, {request.moves.begin(), request.moves.end()});
            if (values.size() != request.moves.size())
                throw nb::value_error("move_values must return one value for each of the moves it is given");
            for (std::size_t i = 0; i < values.size(); ++i) {
                if (!(values[i] >= -1 && values[i] <= 1))
                    throw nb::value_error("move_values must return values from -1 to 1");
                request.values[i] = static_cast<float>(values[i]);
            }
        }
    }

  private:
    std::string name_;
    std::vector<std::pair<std::string, std::string>> parameters_;
    std::string licence_;
};

class CustomInPython final : public Custom {
  public:
    NB_TRAMPOLINE(Custom, 1);
    std::vector<double> move_values(const chess::Position& position,
                                    const std::vector<chess::Move>& moves) const override {
        NB_OVERRIDE_PURE(move_values, position, moves);
    }
};

void bind_evaluators(nb::module_& m) {
    nb::class_<Embedded, Evaluator>(m, "EmbeddedEvaluator", "The net with the quiescence search.")
        .def(nb::init<std::shared_ptr<const Network>, std::string, const QuiescenceLimits&>(), nb::arg("network"),
             nb::arg("version"), nb::arg("limits") = QuiescenceLimits{})
        .def("value", &Embedded::value, nb::arg("position"), "The value of a position for its side to move.")
        .def("static_value", &Embedded::static_value, nb::arg("position"), "The same without the quiescence search.")
        .def_prop_ro("network", &Embedded::network, nb::rv_policy::reference_internal)
        .def_prop_ro("limits", &Embedded::limits, nb::rv_policy::copy);
    nb::class_<Simple, Evaluator>(m, "SimpleEvaluator", "Material and the number of squares seen.")
        .def(nb::init<double, double>(), nb::kw_only(), nb::arg("square") = 0.05, nb::arg("tau") = 6.0);
    nb::class_<Custom, Evaluator, CustomInPython>(m, "CustomEvaluator", "The base class of evaluators in Python.")
        .def(nb::init<std::string, std::map<std::string, std::string>, std::string>(), nb::arg("name"),
             nb::arg("parameters") = std::map<std::string, std::string>{}, nb::arg("licence") = "")
        .def("move_values", &Custom::move_values, nb::arg("position"), nb::arg("moves"),
             "One value from -1 to 1 for each of `moves`, for the side that plays it. To be overridden.");
    m.def(
        "decided_value",
        [](const chess::Position& position, chess::Move move) { return decided_value(position, move); },
        nb::arg("position"), nb::arg("move"),
        "What the rules alone say a move is worth to the side that plays it, or None if they do not decide.");
}

void bind_fuzz(nb::module_& m) {
    nb::class_<FuzzReport>(m, "FuzzReport", "What a hunt for broken promises found.")
        .def_ro("positions", &FuzzReport::positions)
        .def_ro("moves", &FuzzReport::moves)
        .def_ro("out_of_range", &FuzzReport::out_of_range)
        .def_ro("against_rules", &FuzzReport::against_rules)
        .def_ro("asymmetric", &FuzzReport::asymmetric)
        .def_ro("not_incremental", &FuzzReport::not_incremental)
        .def_ro("not_portable", &FuzzReport::not_portable)
        .def_ro("wrong_sign", &FuzzReport::wrong_sign)
        .def_ro("most_nodes", &FuzzReport::most_nodes)
        .def_ro("first", &FuzzReport::first, "The first position that broke a promise, as a FEN; empty if none did.")
        .def_prop_ro("broken", &FuzzReport::broken);
    m.def(
        "fuzz_evaluator",
        [](const Embedded& evaluator, std::uint64_t positions, std::uint64_t seed) {
            nb::gil_scoped_release release;
            return fuzz(evaluator, positions, seed, poll_signals);
        },
        nb::arg("evaluator"), nb::arg("positions"), nb::arg("seed"),
        "Check the promises of the evaluator on random positions, absurd ones too.");
}

void bind_limits(nb::module_& m) {
    nb::class_<QuiescenceLimits>(m, "QuiescenceLimits")
        .def(
            "__init__",
            [](QuiescenceLimits* self, int nodes, int evasions, int quiet_evasions, int captures, int recaptures_from,
               int margin) {
                new (self) QuiescenceLimits{nodes, evasions, quiet_evasions, captures, recaptures_from, margin};
            },
            nb::kw_only(), nb::arg("nodes") = QuiescenceLimits{}.nodes,
            nb::arg("evasions") = QuiescenceLimits{}.evasions,
            nb::arg("quiet_evasions") = QuiescenceLimits{}.quiet_evasions,
            nb::arg("captures") = QuiescenceLimits{}.captures,
            nb::arg("recaptures_from") = QuiescenceLimits{}.recaptures_from,
            nb::arg("margin") = QuiescenceLimits{}.margin)
        .def_ro("nodes", &QuiescenceLimits::nodes)
        .def_ro("evasions", &QuiescenceLimits::evasions)
        .def_ro("quiet_evasions", &QuiescenceLimits::quiet_evasions)
        .def_ro("captures", &QuiescenceLimits::captures)
        .def_ro("recaptures_from", &QuiescenceLimits::recaptures_from)
        .def_ro("margin", &QuiescenceLimits::margin);
}

void bind_network(nb::module_& m) {
    nb::class_<Network>(m, "Network")
        .def(nb::new_(&read_network), nb::arg("file"), nb::arg("kernels") = "")
        .def_prop_ro("checksum", &Network::checksum)
        .def_prop_ro("kernels", [](const Network& n) { return n.kernels().name; })
        .def("file", [](const Network& n) { return as_bytes(weights_file(n.weights())); })
        .def("value", [](const Network& n, const chess::Position& p) { return n.value(p); }, nb::arg("position"));
    m.def(
        "predict",
        [](const Records& records, const Network& network, const QuiescenceLimits& limits, int threads) {
            const auto span = records_of(records);
            Predictions out;
            {
                nb::gil_scoped_release release;
                out = predict(span, network, limits, threads, poll_signals);
            }
            return pack(to_numpy(std::move(out.target)), to_numpy(std::move(out.static_value)),
                        to_numpy(std::move(out.value)), to_numpy(std::move(out.traits)), out.nodes);
        },
        nb::arg("records"), nb::arg("network"), nb::arg("limits"), nb::arg("threads") = 1,
        "Targets, static values, values with quiescence (all for the side to move), traits, and nodes searched.");
    m.def(
        "resolve",
        [](const Records& records, const Network& network, const QuiescenceLimits& limits, int threads) {
            const auto span = records_of(records);
            std::vector<TrainingRecord> out;
            {
                nb::gil_scoped_release release;
                out = resolve(span, network, limits, threads, poll_signals);
            }
            return to_numpy_records(std::move(out));
        },
        nb::arg("records"), nb::arg("network"), nb::arg("limits"), nb::arg("threads") = 1,
        "The quiet positions that the records come down to, with their labels.");
}

void bind_trainer(nb::module_& m) {
    nb::class_<Trainer>(m, "Trainer")
        .def(nb::init<std::uint64_t, int>(), nb::arg("seed"), nb::arg("threads") = 1)
        .def(
            "train",
            [](Trainer& t, const Records& records, std::size_t batch, float rate, float power) {
                const auto span = records_of(records);
                nb::gil_scoped_release release;
                return t.train(span, batch, rate, power, poll_signals);
            },
            nb::arg("records"), nb::arg("batch"), nb::arg("rate"), nb::arg("power") = 2.0f)
        .def(
            "begin_from", [](Trainer& t, const Network& network) { t.begin_from(network.weights()); },
            nb::arg("network"), "Go on from the weights of a net.")
        .def_prop_ro("steps", &Trainer::steps)
        .def("state", [](const Trainer& t) { return to_numpy(t.state()); })
        .def(
            "restore", [](Trainer& t, const In<float>& state) { t.restore(span_of(state)); }, nb::arg("state"))
        .def("network", [](const Trainer& t) { return std::make_shared<Network>(t.quantised(), best_net_kernels()); });
}

void bind_outcomes(nb::module_& m) {
    nb::class_<OutcomeOptions>(m, "OutcomeOptions", "How games in the fog are played whose outcomes are labels.")
        .def(nb::init<>())
        .def_rw("boards", &OutcomeOptions::boards)
        .def_rw("plausibility", &OutcomeOptions::plausibility)
        .def_rw("temperature", &OutcomeOptions::temperature)
        .def_rw("strays", &OutcomeOptions::strays)
        .def_rw("persistence", &OutcomeOptions::persistence)
        .def_rw("opening", &OutcomeOptions::opening)
        .def_rw("longest", &OutcomeOptions::longest);
    nb::class_<OutcomePlayer>(m, "OutcomePlayer",
                              "Plays games in the fog and labels positions with what became of them.")
        .def(nb::init<std::shared_ptr<const Embedded>, std::uint64_t, const OutcomeOptions&>(), nb::arg("evaluator"),
             nb::arg("seed"), nb::arg("options") = OutcomeOptions{})
        .def(
            "run",
            [](OutcomePlayer& player, std::size_t records) {
                std::vector<TrainingRecord> out;
                {
                    nb::gil_scoped_release release;
                    out = player.run(records, poll_signals);
                }
                return to_numpy_records(std::move(out));
            },
            nb::arg("records"), "Play until there are so many records more, and return them.");
}

}  // namespace

void bind_eval(nb::module_& m) {
    bind_limits(m);
    bind_network(m);
    bind_evaluators(m);
    bind_fuzz(m);
    bind_trainer(m);
    bind_outcomes(m);
}

}  // namespace murk::bindings
