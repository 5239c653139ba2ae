// The searches that Stockfish's pool still has to make, and the batches of questions they belong to.
//
// A question becomes one search of its position, or searches of children where the position cannot be searched. Workers
// take searches of one kind at a time (they need another setting of MultiPV), give back those that a lost process did
// not answer, and hand in the answers. All methods may be called by any thread.
#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "chess/position.h"
#include "eval/uci_chess.h"

namespace murk::eval {

// A position and those of its moves whose scores are wanted; the rules must not decide any of them.
struct Question {
    chess::Position position;
    std::vector<chess::Move> moves;
};

// Questions that are waited for together. Guarded by the mutex of the queue.
struct Batch {
    std::vector<Question> questions;
    std::vector<std::vector<UciScore>> answers;  // for each question the scores of its moves
    std::size_t open_searches = 0;
    bool abandoned = false;
    std::string error;
    std::condition_variable done;
};
using Ticket = std::shared_ptr<Batch>;

// Of the moves of a position together, or of one child.
enum class SearchKind { kTogether, kAlone };

struct Search {
    Ticket batch;
    std::size_t question = 0;
    SearchKind kind = SearchKind::kTogether;
    std::vector<int> moves;  // whose scores it is to find; one if `kind` is kAlone
    std::string command;
    int failures = 0;
    bool careful = false;  // it was there when a process went: to be tried with no other beside it

    // The position, for messages.
    std::string subject() const;
};

// One line of an engine's answer.
using ScoredMove = std::pair<chess::Move, UciScore>;

class SearchQueue {
  public:
    // `who` is the engine, for messages; a search has `depth` plies, or `nodes` nodes if that is not 0.
    SearchQueue(std::string who, int depth, std::int64_t nodes, bool fresh)
        : who_(std::move(who)), depth_(depth), nodes_(nodes), fresh_(fresh) {}

    // Adds the searches of a question. Only one thread at a time adds to a batch.
    void add(const Ticket& batch, std::size_t question);
    // Waits until a batch is done and returns its answers, calling `while_waiting` now and then if it is not empty. If
    // that throws, the batch is abandoned. Throws EngineError if a search failed for good.
    std::vector<std::vector<UciScore>> wait(Batch& batch, const std::function<void()>& while_waiting);

    // Moves searches of one kind to `flying`, a few at most, beside those that are there. `kind` and `turn` are the
    // worker's: which kind it is at and for how many searches already.
    void take(std::deque<Search>& flying, SearchKind& kind, int& turn);
    // Back to the front. If there was only one it is what broke the process, and it may fail for good.
    void put_back(std::deque<Search>& flying, bool broke_process);
    void finish(Search& search, const std::vector<ScoredMove>& lines);
    void fail_all(const std::string& reason);

  private:
    std::string command(const std::string& fen, int depth, const std::string& moves) const;
    std::string child_command(const std::string& fen) const;
    std::deque<Search>& queue_of(SearchKind kind) { return queues_[static_cast<std::size_t>(kind)]; }
    void settle(Batch& batch);
    void fail(Search& search, const std::string& reason);

    std::string who_;
    int depth_;
    std::int64_t nodes_;
    bool fresh_;
    std::mutex mutex_;
    std::array<std::deque<Search>, 2> queues_;
};

}  // namespace murk::eval
