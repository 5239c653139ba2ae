// Stockfish as an evaluator: a pool of UCI processes.
//
// One search of the parent with MultiPV gives a score to each of its moves, ten times as fast as searching the children
// one by one. Several searches wait in each process's input while one runs, so that none is ever idle. A process that
// crashes or hangs is replaced and what it was asked is asked again; only a question that breaks one process after
// another is an error.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "eval/evaluator.h"
#include "eval/search_queue.h"
#include "eval/uci_chess.h"
#include "eval/uci_process.h"

namespace murk::eval {

struct StockfishOptions {
    std::string path;  // of the program
    int processes = 1;
    int depth = 1;           // plies of the search of the parent
    std::int64_t nodes = 0;  // if not 0, nodes of that search instead
    double tau = 0;          // centipawns; 0 takes what suits the version
    int hash = 1;            // MB; a small table stays in the processor's cache
    // Forget earlier searches before each one: answers then depend on the position alone, at a third of the speed.
    bool fresh = false;
    std::chrono::milliseconds timeout{30'000};  // for one search; a process that takes longer hangs
    // Called now and then while an answer is waited for; what it throws ends the waiting.
    std::function<void()> while_waiting;
};

class StockfishPool final : public Evaluator {
  public:
    // Starts one process to see that it works; throws EngineError.
    explicit StockfishPool(StockfishOptions options);
    ~StockfishPool() override;

    // Puts questions into the queue and returns at once.
    Ticket submit(std::vector<Question> questions) const;
    // Waits for the answers: for each question the scores of its moves. Throws EngineError. To be called once.
    std::vector<std::vector<UciScore>> wait(const Ticket& ticket) const;

    std::string name() const override;
    std::vector<std::pair<std::string, std::string>> parameters() const override;
    std::string licence() const override { return "GPL-3.0-or-later"; }

    const std::string& engine() const;  // what the program calls itself
    double tau() const;
    const StockfishOptions& options() const;
    // How many processes were started in place of others.
    std::uint64_t restarts() const;
    // The processes that run now.
    std::vector<pid_t> processes() const;

  protected:
    void open_values(std::span<const Request> requests) const override;

  private:
    class State;
    class Worker;
    std::unique_ptr<State> state_;
};

}  // namespace murk::eval
