// Observations of dark chess and sets of positions that look the same; murk.darkchess.belief is built on them.
#include <nanobind/operators.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <vector>

#include "bindings/arrays.h"
#include "chess/notation.h"
#include "chess/observation.h"
#include "chess/position_set.h"

namespace murk::bindings {
namespace {

using chess::AdvanceOptions;
using chess::Bitboard;
using chess::Colour;
using chess::Move;
using chess::Observation;
using chess::Position;
using chess::PositionSet;

std::optional<int> square_or_none(int square) {
    return square == chess::kNoSquare ? std::nullopt : std::optional<int>(square);
}

std::optional<Colour> winner_or_none(std::uint8_t winner) {
    return winner == chess::kNobody ? std::nullopt : std::optional<Colour>(static_cast<Colour>(winner));
}

std::vector<Move> moves_of(const Observation& view) {
    chess::MoveList moves;
    chess::legal_moves(view, moves);
    std::vector<Move> out;
    for (const Move move : moves) out.push_back(move);
    return out;
}

// As murk.darkchess.picture wants it: a letter, nothing on an empty square, FOG on one that is not seen.
std::optional<std::string> piece_at(const Observation& view, int square) {
    if (square < 0 || square > 63)
        throw chess::Error("bad square " + std::to_string(square) + ": squares run from 0 (a1) to 63 (h8)");
    if ((view.visible >> square & 1) == 0)
        return nb::cast<std::string>(nb::module_::import_("murk.darkchess.picture").attr("FOG"));
    for (std::size_t kind = 0; kind < chess::kNumKinds; ++kind) {
        const bool own = (view.own[kind] >> square & 1) != 0, seen = (view.seen[kind] >> square & 1) != 0;
        if (!own && !seen) continue;
        const char letter = chess::kKindLetters[kind];
        const bool white = own == (view.colour == chess::kWhite);
        return std::string(1, white ? static_cast<char>(letter - 'a' + 'A') : letter);
    }
    return std::nullopt;
}

nb::object drawn(const char* function, const Observation& view) {
    return nb::module_::import_("murk.darkchess.picture")
        .attr(function)(view, nb::arg("flipped") = view.colour == chess::kBlack);
}

void bind_observation(nb::module_& m) {
    nb::class_<Observation>(m, "Observation",
                            "What one player sees of a position, and nothing else. Immutable; equal if and only if the "
                            "player cannot tell the positions apart.")
        .def(
            "__init__",
            [](Observation* self, const std::string& text) { new (self) Observation(chess::parse_observation(text)); },
            nb::arg("text"), "Read what `text` wrote.")
        .def_prop_ro("text", &chess::to_text,
                     "The canonical form: the fog FEN, who looks, where a piece of hers was taken, who has won.")
        .def_prop_ro("fog_fen", &chess::fog_fen,
                     "FEN with `*` for what is not seen, the player's own castling rights, and no clocks.")
        .def_ro("colour", &Observation::colour, "Who looks.")
        .def_ro("turn", &Observation::turn, "Whose move it is.")
        .def_ro("visible", &Observation::visible, "The squares that are seen, as a mask.")
        .def_prop_ro(
            "own", [](const Observation& view) { return chess::all_of(view.own); }, "The player's pieces, as a mask.")
        .def_prop_ro(
            "seen", [](const Observation& view) { return chess::all_of(view.seen); },
            "The opponent's pieces that are seen, as a mask.")
        .def_prop_ro(
            "blocked", [](const Observation& view) { return chess::deduce(view).blocked; },
            "The player's pawns that have something in front of them, seen or not, as a mask.")
        .def_prop_ro(
            "known_enemy", [](const Observation& view) { return chess::deduce(view).enemy; },
            "Squares that must hold a piece of the opponent's: seen ones, and those where an unseen one stops a pawn.")
        .def_prop_ro(
            "known_empty",
            [](const Observation& view) { return chess::deduce(view).no_enemy & ~chess::all_of(view.own); },
            "Squares that must be empty: seen ones, and diagonals on which a pawn sees nothing to take.")
        .def_prop_ro(
            "castling", [](const Observation& view) { return chess::castling_text(view.castling); },
            "The player's own castling rights.")
        .def_prop_ro(
            "en_passant", [](const Observation& view) { return square_or_none(view.en_passant); },
            "Where the player can capture en passant now, or None.")
        .def_prop_ro(
            "captured", [](const Observation& view) { return square_or_none(view.captured); },
            "Where the move just made took a piece of the player's, or None.")
        .def_prop_ro(
            "winner", [](const Observation& view) { return winner_or_none(view.winner); },
            "Who has won, which both players are told; None while the game goes on.")
        .def_prop_ro("legal_moves", &moves_of, "The player's moves; none when it is not her turn.")
        .def_prop_ro("key", &Observation::key, "A 64-bit hash.")
        .def("piece_at", &piece_at, nb::arg("square"),
             "The piece on a square as FEN writes it, None if it is empty, `murk.darkchess.picture.FOG` if it is not "
             "seen.")
        .def("__repr__", [](const Observation& view) { return "Observation('" + chess::to_text(view) + "')"; })
        .def(
            "__str__", [](const Observation& view) { return drawn("text_board", view); },
            nb::sig("def __str__(self) -> str"))
        .def(
            "_repr_svg_", [](const Observation& view) { return drawn("svg_board", view); },
            nb::sig("def _repr_svg_(self) -> str"))
        .def("__hash__", &Observation::key)
        .def("__getstate__", &chess::to_text)
        .def("__setstate__", [](Observation& self,
                                const std::string& text) { new (&self) Observation(chess::parse_observation(text)); })
        .def(nb::self == nb::self, nb::sig("def __eq__(self, arg: object, /) -> bool"));
}

void poll_signals() {
    const nb::gil_scoped_acquire held;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

AdvanceOptions options_of(std::size_t threads, std::optional<std::size_t> limit, std::uint64_t seed,
                          const std::optional<std::string>& instructions) {
    AdvanceOptions options;
    options.threads = threads;
    if (limit) options.limit = *limit;
    options.seed = seed;
    options.poll = poll_signals;
    if (instructions) {
        bool found = false;
        for (const chess::Isa isa : chess::instruction_sets())
            if (*instructions == chess::name_of(isa)) {
                options.isa = isa;
                found = true;
            }
        if (!found) throw chess::Error("this processor cannot run the instruction set " + chess::quoted(*instructions));
    }
    return options;
}

std::vector<Position> positions(const PositionSet& set, const std::vector<std::size_t>& numbers) {
    std::vector<Position> out;
    out.reserve(numbers.size());
    for (const std::size_t number : numbers) {
        if (number >= set.size()) throw nb::index_error("there is no position of that number");
        out.push_back(chess::unpack(set.known, set.boards[number]));
    }
    return out;
}

template <class T>
using Out2 = nb::ndarray<nb::numpy, T, nb::ndim<2>>;

template <class T>
Out2<T> matrix(std::size_t rows, std::size_t columns) {
    auto* owned = new std::vector<T>(rows * columns);
    const nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return Out2<T>(owned->data(), {rows, columns}, owner);
}

Out2<std::uint64_t> packed(const PositionSet& set) {
    Out2<std::uint64_t> out = matrix<std::uint64_t>(set.size(), 2);
    std::uint64_t* to = out.data();
    for (const chess::PackedBoard& board : set.boards) {
        *to++ = board.squares;
        *to++ = board.codes;
    }
    return out;
}

// 0 is an empty square, 1 to 6 are White's pawn to king, 7 to 12 Black's.
Out2<std::uint8_t> squares(const PositionSet& set, std::size_t first, std::size_t last) {
    last = std::min(last, set.size());
    first = std::min(first, last);
    Out2<std::uint8_t> out = matrix<std::uint8_t>(last - first, 64);
    std::uint8_t* row = out.data();
    for (std::size_t i = first; i < last; ++i) {
        const Position position = chess::unpack(set.known, set.boards[i]);
        for (std::size_t kind = 0; kind < chess::kNumKinds; ++kind)
            for (Bitboard left = position.kinds[kind]; left != 0;) {
                const chess::Square square = chess::pop_lowest(left);
                const bool black = (position.colours[chess::kBlack] >> square & 1) != 0;
                row[square] = static_cast<std::uint8_t>(kind + (black ? 7 : 1));
            }
        row += 64;
    }
    return out;
}

Out2<std::uint64_t> piece_counts(const PositionSet& set) {
    chess::PieceCounts counts;
    {
        const nb::gil_scoped_release released;
        counts = chess::count_pieces(set);
    }
    Out2<std::uint64_t> out = matrix<std::uint64_t>(64, 13);
    std::uint64_t* to = out.data();
    for (const auto& row : counts) to = std::copy(row.begin(), row.end(), to);
    return out;
}

AnyTuple known_of(const PositionSet& set) {
    const chess::Known& known = set.known;
    return pack(std::vector<std::uint64_t>(known.own.begin(), known.own.end()), static_cast<int>(known.colour),
                static_cast<int>(known.turn), static_cast<int>(known.castling), static_cast<int>(known.en_passant),
                static_cast<int>(known.winner));
}

PositionSet from_packed(const std::vector<std::uint64_t>& own, int colour, int turn, int castling, int en_passant,
                        int winner,
                        const nb::ndarray<const std::uint64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>& boards) {
    if (own.size() != chess::kNumKinds || boards.shape(1) != 2 || colour < 0 || colour > 1 || turn < 0 || turn > 1 ||
        winner < 0 || winner > 2 || en_passant < 0 || en_passant > chess::kNoSquare || castling < 0 || castling > 15)
        throw chess::Error("these numbers describe no set of positions");
    PositionSet set;
    std::copy(own.begin(), own.end(), set.known.own.begin());
    set.known.colour = static_cast<Colour>(colour);
    set.known.turn = static_cast<Colour>(turn);
    set.known.castling = static_cast<std::uint8_t>(castling);
    set.known.en_passant = static_cast<std::uint8_t>(en_passant);
    set.known.winner = static_cast<std::uint8_t>(winner);
    const std::size_t rows = boards.shape(0);
    set.boards = chess::BoardBuffer(rows);
    for (std::size_t i = 0; i < rows; ++i) set.boards[i] = {boards.data()[2 * i], boards.data()[2 * i + 1]};
    const nb::gil_scoped_release released;
    chess::check(set);
    return set;
}

std::size_t bytes_of(const PositionSet& set) { return sizeof(PositionSet) + set.size() * sizeof(chess::PackedBoard); }

void bind_position_set(nb::module_& m) {
    nb::class_<PositionSet> set(m, "PositionSet",
                                "Positions that look the same to one player, in an order of their own. Immutable.");
    set.def(
           "__init__",
           [](PositionSet* self, const Position& position, Colour colour) {
               new (self) PositionSet(chess::single(position, colour));
           },
           nb::arg("position"), nb::arg("colour"), "The set of one known position.")
        .def_static("from_packed", &from_packed, nb::arg("own"), nb::arg("colour"), nb::arg("turn"),
                    nb::arg("castling"), nb::arg("en_passant"), nb::arg("winner"), nb::arg("boards"),
                    "The set with this `known` and these `packed` boards, checked.")
        .def_static(
            "unite",
            [](const std::vector<const PositionSet*>& sets, std::optional<std::size_t> limit, std::uint64_t seed) {
                const AdvanceOptions options = options_of(1, limit, seed, std::nullopt);
                const nb::gil_scoped_release released;
                return chess::unite(sets, options);
            },
            nb::arg("sets"), nb::kw_only(), nb::arg("limit") = nb::none(), nb::arg("seed") = 0)
        .def("__len__", &PositionSet::size)
        .def_prop_ro("colour", [](const PositionSet& s) { return s.known.colour; })
        .def_prop_ro("turn", [](const PositionSet& s) { return s.known.turn; })
        .def_prop_ro("winner", [](const PositionSet& s) { return winner_or_none(s.known.winner); })
        .def_prop_ro("known", &known_of,
                     "(own pieces by kind, colour, turn, castling, en passant, winner), as numbers.")
        .def_ro("complete", &PositionSet::complete, "False if the step that led here had to keep a sample.")
        .def_prop_ro("nbytes", &bytes_of)
        .def("positions", &positions, nb::arg("numbers"), "The positions of these numbers.")
        .def("slice", &chess::slice, nb::arg("first"), nb::arg("last"))
        .def("without", &chess::without, nb::arg("other"), nb::call_guard<nb::gil_scoped_release>(),
             "Those that are not in another set, in which the same is known.")
        .def(
            "sample",
            [](const PositionSet& s, std::size_t count, std::uint64_t seed) {
                return positions(s, chess::sample(s.size(), count, seed));
            },
            nb::arg("count"), nb::arg("seed"), "Different positions, in random order; all if there are no more.")
        .def("packed", &packed, "Two numbers a position: the opponent's squares, and what stands there.")
        .def("squares", &squares, nb::arg("first"), nb::arg("last"),
             "What stands on each of the 64 squares: 0 nothing, 1-6 White's pawn to king, 7-12 Black's.")
        .def("piece_counts", &piece_counts,
             "How often each square (rows) is empty or holds a piece (columns, as above).")
        .def(
            "count_moves", [](const PositionSet& s) { return chess::count_moves(s); },
            nb::call_guard<nb::gil_scoped_release>(), "Legal moves in all positions together.")
        .def("own_move", &chess::own_move, nb::arg("observation"),
             "The player's move after which her pieces stand as observed, or None.")
        .def(
            "after_own_move",
            [](const PositionSet& s, Move move, const Observation& observation, std::size_t threads,
               std::optional<std::size_t> limit, std::uint64_t seed, const std::optional<std::string>& instructions) {
                const AdvanceOptions options = options_of(threads, limit, seed, instructions);
                const nb::gil_scoped_release released;
                return chess::after_own_move(s, move, observation, options);
            },
            nb::arg("move"), nb::arg("observation"), nb::kw_only(), nb::arg("threads") = 1,
            nb::arg("limit") = nb::none(), nb::arg("seed") = 0, nb::arg("instructions") = nb::none())
        .def(
            "after_opponent_move",
            [](const PositionSet& s, const Observation& observation, std::size_t threads,
               std::optional<std::size_t> limit, std::uint64_t seed, const std::optional<std::string>& instructions) {
                const AdvanceOptions options = options_of(threads, limit, seed, instructions);
                const nb::gil_scoped_release released;
                return chess::after_opponent_move(s, observation, options);
            },
            nb::arg("observation"), nb::kw_only(), nb::arg("threads") = 1, nb::arg("limit") = nb::none(),
            nb::arg("seed") = 0, nb::arg("instructions") = nb::none())
        .def("after_own_move_naive", &chess::after_own_move_naive, nb::arg("move"), nb::arg("observation"),
             nb::call_guard<nb::gil_scoped_release>(),
             "By making each child and comparing views: for tests and benchmarks.")
        .def("after_opponent_move_naive", &chess::after_opponent_move_naive, nb::arg("observation"),
             nb::call_guard<nb::gil_scoped_release>(),
             "By making each child and comparing views: for tests and benchmarks.")
        .def("__contains__", &chess::contains, nb::arg("position"))
        .def(
            "__eq__", [](const PositionSet& a, const PositionSet& b) { return chess::same(a, b); }, nb::is_operator(),
            nb::sig("def __eq__(self, arg: object, /) -> bool"));
}

void bind_advance(nb::module_& m) {
    using chess::Advance;
    nb::class_<Advance>(
        m, "Advance",
        "From one set of positions to the next in parts, so that a player on a clock can stop in between.")
        .def(
            "__init__",
            [](Advance* self, const PositionSet& from, const Observation& observation, const std::optional<Move>& move,
               std::size_t expected, const std::optional<std::string>& instructions) {
                new (self) Advance(from, move, observation, expected, options_of(1, std::nullopt, 0, instructions));
            },
            nb::arg("positions"), nb::arg("observation"), nb::arg("move") = nb::none(), nb::kw_only(),
            nb::arg("expected") = 0, nb::arg("instructions") = nb::none(),
            "`positions` only tell what is known. `move` is the player's own, `expected` a guess of how many follow.")
        .def("__len__", &Advance::size, "How many different positions follow from those that were added.")
        .def("add", &Advance::add, nb::arg("positions"), nb::arg("first"), nb::arg("last"),
             nb::call_guard<nb::gil_scoped_release>(), "Go on from positions number `first` to `last` - 1.")
        .def("take", &Advance::take, nb::call_guard<nb::gil_scoped_release>(),
             "The positions that follow from those that were added; then begin anew.");
}

}  // namespace

void bind_belief(nb::module_& m) {
    bind_observation(m);
    bind_position_set(m);
    bind_advance(m);
}

}  // namespace murk::bindings
