// Stockfish's pool and the labeller. What goes wrong with the engine is raised as murk.errors.BackendError.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings/arrays.h"
#include "chess/movegen.h"
#include "eval/labeller.h"
#include "eval/setups.h"
#include "eval/stockfish_pool.h"

namespace murk::bindings {
namespace {

using chess::Move;
using chess::Position;
using namespace murk::eval;

using Records = nb::ndarray<const std::uint8_t, nb::shape<-1, sizeof(TrainingRecord)>, nb::c_contig, nb::device::cpu>;
using RecordsOut = nb::ndarray<nb::numpy, std::uint8_t, nb::shape<-1, sizeof(TrainingRecord)>>;

void translate(const std::exception_ptr& thrown, void*) {
    try {
        std::rethrow_exception(thrown);
    } catch (const EngineError& error) {
        const nb::object type = nb::module_::import_("murk.errors").attr("BackendError");
        PyErr_SetString(type.ptr(), error.what());
    }
}

// Lets Ctrl-C through while Stockfish is waited for. Threads that are not Python's have nothing to look for.
void check_signals() {
    if (PyGILState_GetThisThreadState() == nullptr) return;
    nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

StockfishOptions options_of(const std::string& path, int processes, int depth, std::int64_t nodes, double tau, int hash,
                            bool fresh, double timeout) {
    StockfishOptions options;
    options.path = path;
    options.processes = processes;
    options.depth = depth;
    options.nodes = nodes;
    options.tau = tau;
    options.hash = hash;
    options.fresh = fresh;
    options.timeout = std::chrono::milliseconds(static_cast<std::int64_t>(1000 * timeout));
    options.while_waiting = check_signals;
    return options;
}

using Scored = std::tuple<Move, int, bool>;

std::vector<std::vector<Scored>> scores_of(const StockfishPool& pool, const std::vector<Position>& positions) {
    std::vector<Question> questions(positions.size());
    for (std::size_t i = 0; i < positions.size(); ++i) {
        questions[i].position = positions[i];
        chess::MoveList legal;
        generate(positions[i], legal);
        for (const Move move : legal)
            if (!decided_value(positions[i], move)) questions[i].moves.push_back(move);
    }
    const auto answers = pool.wait(pool.submit(questions));
    std::vector<std::vector<Scored>> scored(positions.size());
    for (std::size_t i = 0; i < positions.size(); ++i)
        for (std::size_t k = 0; k < answers[i].size(); ++k)
            scored[i].emplace_back(questions[i].moves[k], answers[i][k].value, answers[i][k].mate);
    return scored;
}

Mixture mixture_named(const std::string& name) {
    if (name == "training") return Mixture::kTraining;
    if (name == "held-out") return Mixture::kHeldOut;
    throw nb::value_error("mixture must be training or held-out");
}

RecordsOut to_numpy_records(std::vector<TrainingRecord>&& records) {
    auto* owned = new std::vector<TrainingRecord>(std::move(records));
    nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<TrainingRecord>*>(p); });
    return RecordsOut(reinterpret_cast<std::uint8_t*>(owned->data()), {owned->size(), sizeof(TrainingRecord)}, owner);
}

Position record_position(const std::uint8_t* row) {
    TrainingRecord record;
    std::memcpy(&record, row, sizeof record);
    return unpack_position(record);
}

void bind_pool(nb::module_& m) {
    nb::class_<StockfishPool, Evaluator>(m, "StockfishPool", "A pool of UCI processes; see murk.darkchess.evaluators.")
        .def(
            "__init__",
            [](StockfishPool* self, const std::string& path, int processes, int depth, std::int64_t nodes, double tau,
               int hash, bool fresh, double timeout) {
                const StockfishOptions options = options_of(path, processes, depth, nodes, tau, hash, fresh, timeout);
                nb::gil_scoped_release release;
                new (self) StockfishPool(options);
            },
            nb::kw_only(), nb::arg("path"), nb::arg("processes") = 1, nb::arg("depth") = 1, nb::arg("nodes") = 0,
            nb::arg("tau") = 0.0, nb::arg("hash") = 1, nb::arg("fresh") = false, nb::arg("timeout") = 30.0)
        .def_prop_ro("engine", &StockfishPool::engine, "What the program calls itself.")
        .def_prop_ro("tau", &StockfishPool::tau, "Centipawns.")
        .def_prop_ro("restarts", &StockfishPool::restarts, "How many processes were started in place of others.")
        .def_prop_ro("pids", &StockfishPool::processes, "The processes that run now.")
        .def(
            "scores",
            [](const StockfishPool& pool, const std::vector<Position>& positions) {
                nb::gil_scoped_release release;
                return scores_of(pool, positions);
            },
            nb::arg("positions"),
            "For each position a list of (move, centipawns or moves to mate, whether it is mate), for all moves that "
            "the rules do not decide.");
}

void bind_labeller(nb::module_& m) {
    nb::class_<Labeller>(m, "Labeller", "Plays games and has Stockfish label positions of them.")
        .def(
            "__init__",
            [](Labeller* self, const StockfishPool& pool, const std::string& mixture, std::uint64_t seed,
               const In<std::uint64_t>& excluded) {
                new (self) Labeller(pool, mixture_named(mixture), seed, span_of(excluded));
            },
            nb::arg("pool"), nb::arg("mixture"), nb::arg("seed"), nb::arg("excluded"), nb::keep_alive<1, 2>())
        .def(
            "run",
            [](Labeller& labeller, std::size_t records) {
                std::vector<TrainingRecord> made;
                {
                    nb::gil_scoped_release release;
                    made = labeller.run(records);
                }
                return to_numpy_records(std::move(made));
            },
            nb::arg("records"), "At least so many records, as rows of bytes.")
        .def_prop_ro("positions", &Labeller::positions, "How many positions Stockfish was asked about.");
    m.def(
        "record_keys",
        [](const Records& records) {
            std::vector<std::uint64_t> keys(records.shape(0));
            for (std::size_t i = 0; i < keys.size(); ++i)
                keys[i] = record_position(records.data() + i * sizeof(TrainingRecord)).key();
            return to_numpy(std::move(keys));
        },
        nb::arg("records"), "The transposition key of each record's position.");
    m.def(
        "record_position",
        [](nb::bytes record) {
            if (record.size() != sizeof(TrainingRecord)) throw nb::value_error("a training record has 32 bytes");
            return record_position(static_cast<const std::uint8_t*>(record.data()));
        },
        nb::arg("record"));
}

}  // namespace

void bind_stockfish(nb::module_& m) {
    nb::register_exception_translator(translate);
    bind_pool(m);
    bind_labeller(m);
    m.def("sample_positions", &sample_positions, nb::arg("seed"), nb::arg("number"),
          nb::call_guard<nb::gil_scoped_release>(),
          "Positions of the games, and set up, from which the training data come.");
    m.def(
        "shuffled_fog",
        [](const Position& position, std::uint64_t seed) {
            Random random(seed);
            return shuffled_fog(position, random);
        },
        nb::arg("position"), nb::arg("seed"),
        "A random position that looks the same to the side to move, with the same legal moves.");
    m.def("orthodox_fen", &orthodox_fen, nb::arg("position"),
          "The FEN that an engine of ordinary chess is given, with only the rights that it grants.");
}

}  // namespace murk::bindings
