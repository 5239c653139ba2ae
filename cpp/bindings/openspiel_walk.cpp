// The walk over an OpenSpiel game's states, without an interpreter between the calls.
//
// OpenSpiel itself is reached through the methods of pyspiel.State, so that nothing here depends on its
// binary interface. One state is made for each node, except that one child takes over its parent's. Children are made
// when their turn comes, so that few states are alive and those are in the cache.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "bindings/arrays.h"
#include "tree/tree.h"

namespace murk::bindings {
namespace {

constexpr int kSpielChance = -1;
constexpr int kSpielTerminal = -4;
constexpr std::size_t kReportEvery = std::size_t{1} << 14;

// What a player's strings have been so far. They stay Python's, which wants them in the end.
class Strings {
  public:
    // A part of the game is walked again for every hand the opponent may hold, and the strings come in the same order
    // again. So the one that followed last time is tried before the table, most of which is in no cache.
    std::int32_t intern(nb::object string) {
        const std::string_view text = utf8(string);
        const std::int32_t guess = last_ == kNone ? kNone : next_[last_];
        const std::int32_t number = guess != kNone && texts_[guess] == text ? guess : find(text, std::move(string));
        if (last_ != kNone) next_[last_] = number;
        last_ = number;
        return number;
    }
    const std::string_view& text(std::int32_t number) const { return texts_[number]; }
    const nb::list& names() const { return names_; }

  private:
    // Open addressing, and part of the hash beside the number: a lookup touches one line of the table and one text.
    struct Slot {
        std::uint32_t tag = 0;
        std::int32_t number = kNone;
    };

    static std::string_view utf8(const nb::object& string) {
        Py_ssize_t size = 0;
        const char* data = PyUnicode_AsUTF8AndSize(string.ptr(), &size);
        if (data == nullptr) throw nb::python_error();
        return {data, static_cast<std::size_t>(size)};
    }

    std::int32_t find(std::string_view text, nb::object string) {
        if (2 * texts_.size() >= slots_.size()) grow();
        const std::size_t hash = std::hash<std::string_view>{}(text);
        const auto tag = static_cast<std::uint32_t>(hash >> 32);
        std::size_t at = hash & (slots_.size() - 1);
        for (; slots_[at].number != kNone; at = (at + 1) & (slots_.size() - 1))
            if (slots_[at].tag == tag && texts_[slots_[at].number] == text) return slots_[at].number;
        slots_[at] = {tag, static_cast<std::int32_t>(texts_.size())};
        texts_.push_back(text);
        names_.append(std::move(string));
        next_.push_back(kNone);
        return slots_[at].number;
    }

    void grow() {
        slots_.assign(std::max<std::size_t>(1024, 2 * slots_.size()), Slot{});
        for (std::size_t i = 0; i < texts_.size(); ++i) {
            const std::size_t hash = std::hash<std::string_view>{}(texts_[i]);
            std::size_t at = hash & (slots_.size() - 1);
            while (slots_[at].number != kNone) at = (at + 1) & (slots_.size() - 1);
            slots_[at] = {static_cast<std::uint32_t>(hash >> 32), static_cast<std::int32_t>(i)};
        }
    }

    nb::list names_;
    std::vector<std::string_view> texts_;  // the same, in names_' own memory
    std::vector<Slot> slots_;              // a power of two of them, at most half of them taken
    std::vector<std::int32_t> next_;
    std::int32_t last_ = kNone;
};

// Infosets keyed by a player's own history of actions and strings. A step at which she does not act and sees
// no change is not told apart.
class Histories {
  public:
    std::int32_t next(std::int32_t before, std::optional<std::int64_t> made, std::int32_t text, bool acts,
                      bool waited) {
        if (waited && !acts && before >= 0 && entries_[before].text == text && !entries_[before].acts) return before;
        const Key key{before, made.has_value(), made.value_or(0), text, acts};
        const auto [at, is_new] = labels_.try_emplace(key, static_cast<std::int32_t>(entries_.size()));
        if (is_new) {
            std::string moves = before >= 0 ? entries_[before].moves : "";
            if (made && !moves.empty()) moves.push_back(' ');
            if (made) moves.append(std::to_string(*made));
            entries_.push_back({text, acts, std::move(moves)});
        }
        return at->second;
    }
    nb::list names(const Strings& strings) const {
        nb::list out;
        for (const Entry& e : entries_) out.append("[" + e.moves + "] " + std::string(strings.text(e.text)));
        return out;
    }

  private:
    struct Entry {
        std::int32_t text;
        bool acts;
        std::string moves;
    };
    using Key = std::tuple<std::int32_t, bool, std::int64_t, std::int32_t, bool>;
    std::map<Key, std::int32_t> labels_;
    std::vector<Entry> entries_;
};

// A method of pyspiel.State.
class Method {
  public:
    // What pybind11 wraps is called directly: that saves the tuple of arguments.
    explicit Method(nb::object method)
        : function_(PyInstanceMethod_Check(method.ptr()) ? nb::borrow(PyInstanceMethod_GET_FUNCTION(method.ptr()))
                                                         : std::move(method)),
          call_(PyVectorcall_Function(function_.ptr())) {
        if (call_ == nullptr) call_ = PyObject_Vectorcall;
    }
    template <class... Args>
    nb::object operator()(const Args&... args) const {
        PyObject* pointers[] = {args.ptr()...};
        PyObject* result = call_(function_.ptr(), pointers, sizeof...(args), nullptr);
        if (result == nullptr) throw nb::python_error();
        return nb::steal(result);
    }

  private:
    nb::object function_;
    vectorcallfunc call_;
};

class Walk {
  public:
    Walk(nb::handle state_type, nb::object read, bool by_history, std::size_t max_nodes, nb::object progress)
        : current_player_(state_type.attr("current_player")),
          legal_actions_(state_type.attr("legal_actions")),
          chance_outcomes_(state_type.attr("chance_outcomes")),
          child_(state_type.attr("child")),
          apply_action_(state_type.attr("apply_action")),
          player_return_(state_type.attr("player_return")),
          action_to_string_(state_type.attr("action_to_string")),
          read_(std::move(read)),
          progress_(std::move(progress)),
          by_history_(by_history),
          max_nodes_(max_nodes) {}

    AnyTuple run(nb::object root) {
        add_node(kNone, kNone, 1.0);
        enter(std::move(root), 0);
        while (!path_.empty()) {
            Open& open = path_.back();
            const nb::object action = nb::borrow(action_of(open.moves[--open.left]));
            const NodeId node = open.first + static_cast<NodeId>(open.left);
            if (open.left > 0) {
                enter(child_(open.state, action), node);
            } else {
                // The one visited last takes over its parent's state.
                nb::object state = std::move(open.state);
                path_.pop_back();
                apply_action_(state, action);
                enter(std::move(state), node);
            }
        }
        report(true);
        nb::list names;
        nb::list actions;
        for (int p = 0; p < kNumPlayers; ++p) {
            names.append(by_history_ ? histories_[p].names(strings_[p]) : strings_[p].names());
            actions.append(action_names_[p]);
        }
        return pack(to_numpy(std::move(parent_)), to_numpy(std::move(player_)), to_numpy(std::move(action_)),
                    to_numpy(std::move(chance_)), to_numpy(std::move(utility_)), to_numpy(std::move(infoset_[0])),
                    to_numpy(std::move(infoset_[1])), names, actions);
    }

  private:
    // A node whose children are being visited.
    struct Open {
        nb::object state;
        nb::list moves;    // legal actions, or chance's with their probabilities
        NodeId first;      // of the children
        std::size_t left;  // so many of them, from the first on, are still to be visited
    };

    static nb::handle action_of(nb::handle move) {
        return PyTuple_CheckExact(move.ptr()) ? nb::handle(PyTuple_GET_ITEM(move.ptr(), 0)) : move;
    }
    static std::int64_t to_int(nb::handle value) {
        const long long number = PyLong_AsLongLong(value.ptr());
        if (number == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
        return number;
    }
    void add_node(NodeId parent, std::int64_t action, double chance) {
        parent_.push_back(parent);
        player_.push_back(kTerminal);
        action_.push_back(action);
        chance_.push_back(chance);
        utility_.push_back(0.0);
        for (auto& infosets : infoset_) infosets.push_back(kNone);
    }

    // Records the payoff of a finished state; of any other, what is known there and the children to visit.
    void enter(nb::object state, NodeId node) {
        const auto mover = static_cast<int>(to_int(current_player_(state)));
        if (mover == kSpielTerminal) {
            utility_[node] = nb::cast<double>(player_return_(state, zero_));
        } else if (mover == kMax || mover == kMin || mover == kSpielChance) {
            open(std::move(state), node, mover);
        } else {
            throw TreeError(TreeError::kShape, kNone, node,
                            "OpenSpiel gives player " + std::to_string(mover) + ", expected 0, 1 or chance");
        }
    }

    void open(nb::object state, NodeId node, int mover) {
        const bool chance = mover == kSpielChance;
        player_[node] = static_cast<std::uint8_t>(chance ? static_cast<int>(kNature) : mover);
        for (int p = 0; p < kNumPlayers; ++p) infoset_[p][node] = label(state, node, mover, p);

        nb::list moves = nb::cast<nb::list>((chance ? chance_outcomes_ : legal_actions_)(state));
        const std::size_t count = moves.size();
        if (count == 0)
            throw TreeError(TreeError::kShape, kNone, node, "OpenSpiel gives a decision without legal actions");
        const std::size_t first = parent_.size();
        if (first + count > max_nodes_) throw TreeError(TreeError::kTooLarge, kNone, node, "too many nodes");
        for (const nb::handle move : moves)
            add_node(node, to_int(action_of(move)), chance ? nb::cast<double>(move[1]) : 1.0);
        if (!chance) name_actions(state, mover, infoset_[mover][node], moves);
        path_.push_back({std::move(state), std::move(moves), static_cast<NodeId>(first), count});
        report(false);
    }

    std::int32_t label(nb::handle state, NodeId node, int mover, int p) {
        const std::int32_t number = strings_[p].intern(read_(state, p == 0 ? zero_ : one_));
        if (!by_history_) return number;
        const NodeId up = parent_[node];
        const bool acted = up != kNone && player_[up] == p;
        const std::int32_t before = up == kNone ? kNone : infoset_[p][up];
        return histories_[p].next(before, acted ? std::optional(action_[node]) : std::nullopt, number, mover == p,
                                  up != kNone && !acted);
    }

    void name_actions(nb::handle state, int mover, std::int32_t infoset, const nb::list& actions) {
        std::vector<bool>& named = named_[mover];
        const auto at = static_cast<std::size_t>(infoset);
        if (at >= named.size()) named.resize(2 * at + 1);
        if (named[at]) return;
        named[at] = true;
        nb::list names;
        for (const nb::handle action : actions)
            names.append(action_to_string_(state, mover == 0 ? zero_ : one_, action));
        action_names_[mover][nb::int_(infoset)] = names;
    }

    void report(bool finished) {
        if (!finished && parent_.size() < next_report_) return;
        next_report_ = parent_.size() + kReportEvery;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        if (!progress_.is_none()) progress_(parent_.size());
    }

    const Method current_player_, legal_actions_, chance_outcomes_, child_, apply_action_, player_return_,
        action_to_string_, read_;
    const nb::object progress_;
    const nb::object zero_ = nb::int_(0);
    const nb::object one_ = nb::int_(1);
    const bool by_history_;
    const std::size_t max_nodes_;
    std::size_t next_report_ = kReportEvery;

    std::vector<NodeId> parent_;
    std::vector<std::uint8_t> player_;
    std::vector<std::int64_t> action_;
    std::vector<double> chance_;
    std::vector<double> utility_;
    std::array<std::vector<std::int32_t>, kNumPlayers> infoset_;
    std::array<Strings, kNumPlayers> strings_;
    std::array<Histories, kNumPlayers> histories_;
    std::array<nb::dict, kNumPlayers> action_names_;
    std::array<std::vector<bool>, kNumPlayers> named_;  // which infosets action_names_ has
    std::vector<Open> path_;
};

}  // namespace

void bind_openspiel(nb::module_& m) {
    m.def(
        "walk_openspiel",
        [](nb::object root, nb::handle state_type, nb::object read, bool by_history, std::size_t max_nodes,
           nb::object progress) {
            return Walk(state_type, std::move(read), by_history, max_nodes, std::move(progress)).run(std::move(root));
        },
        nb::arg("root"), nb::arg("state_type"), nb::arg("read"), nb::arg("by_history"), nb::arg("max_nodes"),
        nb::arg("progress").none(),
        "Walk an OpenSpiel game; returns the arrays of murk.tree.Tree.from_arrays, infoset names and action "
        "names.");
}

}  // namespace murk::bindings
