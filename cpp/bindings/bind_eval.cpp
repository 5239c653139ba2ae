#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstring>

#include "bindings/arrays.h"
#include "eval/dataset.h"
#include "eval/embedded.h"
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
    return {reinterpret_cast<const TrainingRecord*>(array.data()), array.shape(0)};
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

void bind_limits(nb::module_& m) {
    nb::class_<QuiescenceLimits>(m, "QuiescenceLimits")
        .def(
            "__init__",
            [](QuiescenceLimits* self, int nodes, int checks, int evasions, int quiet_evasions, int captures,
               int recaptures_from, int margin) {
                new (self) QuiescenceLimits{nodes, checks, evasions, quiet_evasions, captures, recaptures_from, margin};
            },
            nb::kw_only(), nb::arg("nodes") = QuiescenceLimits{}.nodes, nb::arg("checks") = QuiescenceLimits{}.checks,
            nb::arg("evasions") = QuiescenceLimits{}.evasions,
            nb::arg("quiet_evasions") = QuiescenceLimits{}.quiet_evasions,
            nb::arg("captures") = QuiescenceLimits{}.captures,
            nb::arg("recaptures_from") = QuiescenceLimits{}.recaptures_from,
            nb::arg("margin") = QuiescenceLimits{}.margin)
        .def_ro("nodes", &QuiescenceLimits::nodes)
        .def_ro("checks", &QuiescenceLimits::checks)
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
                out = predict(span, network, limits, threads);
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
                out = resolve(span, network, limits, threads);
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
                return t.train(span, batch, rate, power);
            },
            nb::arg("records"), nb::arg("batch"), nb::arg("rate"), nb::arg("power") = 2.0f)
        .def_prop_ro("steps", &Trainer::steps)
        .def("state", [](const Trainer& t) { return to_numpy(t.state()); })
        .def(
            "restore", [](Trainer& t, const In<float>& state) { t.restore(span_of(state)); }, nb::arg("state"))
        .def("network", [](const Trainer& t) { return std::make_shared<Network>(t.quantised(), best_net_kernels()); });
}

}  // namespace

void bind_eval(nb::module_& m) {
    bind_limits(m);
    bind_network(m);
    bind_trainer(m);
}

}  // namespace murk::bindings
