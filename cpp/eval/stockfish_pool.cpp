#include "eval/stockfish_pool.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>

#include "chess/notation.h"

namespace murk::eval {
namespace {

constexpr std::size_t kWindow = 4;  // searches that a process is given at a time
constexpr int kMostAttempts = 4;    // at one question alone
constexpr int kMostStarts = 6;      // of a process, one after another, before it is given up
constexpr int kTurn = 64;           // searches of one kind before the other kind has its turn
constexpr int kMultiPv = 500;       // as many lines as Stockfish can give
constexpr auto kStartTimeout = std::chrono::seconds(10);
constexpr auto kPatience = std::chrono::milliseconds(50);  // between calls of `while_waiting`

// Of the moves of a position together, or of one child.
enum Kind : int { kTogether, kAlone };

}  // namespace

// Everything here is guarded by the pool's mutex.
class StockfishPool::Batch {
  public:
    std::vector<Question> questions;
    std::vector<std::vector<UciScore>> answers;
    std::size_t open_searches = 0;
    bool abandoned = false;
    std::string error;
    std::condition_variable done;
};

namespace {

struct Search {
    StockfishPool::Ticket batch;
    std::size_t question = 0;
    Kind kind = kTogether;
    std::vector<int> moves;  // whose scores it is to find; one if `kind` is kAlone
    std::string command;
    int failures = 0;
    bool careful = false;  // it was there when a process went: to be tried with no other beside it

    std::string subject() const {
        const std::size_t start = command.find("fen ");
        return command.substr(start, command.find('\n', start) - start);
    }
};

}  // namespace

class StockfishPool::State {
  public:
    explicit State(StockfishOptions given) : options(std::move(given)), owner(::getpid()) {}

    void add(const Ticket& batch, std::size_t question);
    // Moves up to kWindow searches of one kind to `flying`, beside those that are there. False if there is nothing.
    void take(std::deque<Search>& flying, Kind& kind, int& turn);
    void put_back(std::deque<Search>& flying, bool counts);
    void fail_all(const std::string& reason);
    void finish(Search& search, const std::vector<std::pair<chess::Move, UciScore>>& lines);
    void wake_workers();

    StockfishOptions options;
    std::string engine;
    double tau = 0;
    pid_t owner;
    std::mutex mutex;
    std::array<std::deque<Search>, 2> queues;
    bool stopping = false;
    std::uint64_t restarts = 0;
    std::vector<std::unique_ptr<Worker>> workers;

  private:
    std::string search_command(const std::string& fen, int depth, const std::string& moves) const;
    void enqueue(Search search, bool first);
    void settle(Batch& batch, std::size_t searches) {
        batch.open_searches -= searches;
        if (batch.open_searches == 0) batch.done.notify_all();
    }
    void fail(Search& search, const std::string& reason);
};

// One process, and the thread that talks to it.
class StockfishPool::Worker {
  public:
    explicit Worker(State& pool) : pool_(pool), wake_(true) {}
    ~Worker() {
        if (thread_.joinable()) thread_.join();
    }

    void start_process();  // throws EngineError
    void run() {
        thread_ = std::thread([this] { loop(); });
    }
    void wake() {
        const char byte = 0;
        // A full pipe wakes it as well.
        [[maybe_unused]] const ssize_t written = ::write(wake_.write.get(), &byte, 1);
    }
    // Of the process; guarded by the pool's mutex.
    pid_t pid = 0;
    std::string engine;

  private:
    void loop();
    bool ensure_process();
    void send_new();
    bool read_answers();
    void lose_process();
    void rest();
    void set_pid(pid_t value) {
        const std::lock_guard lock(pool_.mutex);
        pid = value;
    }

    State& pool_;
    Pipe wake_;
    std::unique_ptr<UciProcess> process_;
    bool started_before_ = false;
    std::deque<Search> flying_;
    std::size_t sent_ = 0;  // of `flying_`
    Kind kind_ = kTogether;
    Kind set_to_ = kTogether;  // what MultiPV is now
    int turn_ = 0;
    Clock::time_point head_since_;
    std::vector<std::pair<chess::Move, UciScore>> lines_;  // of the answer that is being read
    std::thread thread_;
};

// The queue

std::string StockfishPool::State::search_command(const std::string& fen, int depth, const std::string& moves) const {
    std::string text = options.fresh ? "ucinewgame\n" : "";
    text += "position fen " + fen + "\ngo ";
    text += options.nodes > 0 ? "nodes " + std::to_string(options.nodes) : "depth " + std::to_string(depth);
    return text + moves + "\n";
}

void StockfishPool::State::enqueue(Search search, bool first) {
    ++search.batch->open_searches;
    auto& queue = queues[search.kind];
    if (first) {
        queue.push_front(std::move(search));
    } else {
        queue.push_back(std::move(search));
    }
}

void StockfishPool::State::add(const Ticket& batch, std::size_t question) {
    const auto& [position, moves] = batch->questions[question];
    const Plan plan = make_plan(position, moves);
    auto& answer = batch->answers[question];
    answer.resize(moves.size());
    for (const int i : plan.mates) answer[static_cast<std::size_t>(i)] = kMateInOne;

    const std::lock_guard lock(mutex);
    if (!plan.together.empty()) {
        std::string listed;
        if (!plan.all) {
            listed = " searchmoves";
            for (const int i : plan.together) listed += " " + chess::to_uci(moves[static_cast<std::size_t>(i)]);
        }
        const std::string command = search_command(plan.fen, options.depth, listed);
        enqueue({batch, question, kTogether, plan.together, command}, false);
    }
    for (std::size_t i = 0; i < plan.alone.size(); ++i) {
        // The parent's search looks one ply less far into a child than into itself.
        const std::string command = search_command(plan.children[i], std::max(1, options.depth - 1), "");
        enqueue({batch, question, kAlone, {plan.alone[i]}, command}, false);
    }
}

void StockfishPool::State::take(std::deque<Search>& flying, Kind& kind, int& turn) {
    const std::lock_guard lock(mutex);
    while (flying.size() < kWindow && (flying.empty() || !flying.front().careful)) {
        if (flying.empty()) {
            const Kind other = kind == kTogether ? kAlone : kTogether;
            if (queues[kind].empty() || (turn >= kTurn && !queues[other].empty())) {
                kind = other;
                turn = 0;
            }
        } else if (turn >= kTurn && !queues[1 - kind].empty()) {
            return;
        }
        auto& queue = queues[kind];
        if (queue.empty()) return;
        if (!flying.empty() && queue.front().careful) return;
        Search search = std::move(queue.front());
        queue.pop_front();
        if (search.batch->abandoned) {
            settle(*search.batch, 1);
            continue;
        }
        ++turn;
        flying.push_back(std::move(search));
    }
}

void StockfishPool::State::put_back(std::deque<Search>& flying, bool counts) {
    const std::lock_guard lock(mutex);
    if (counts && flying.size() == 1) ++flying.front().failures;
    while (!flying.empty()) {
        Search search = std::move(flying.back());
        flying.pop_back();
        search.careful = true;
        if (search.failures >= kMostAttempts) {
            fail(search, "ended or hung " + std::to_string(kMostAttempts) + " times over " + search.subject());
        } else {
            auto& queue = queues[search.kind];
            queue.push_front(std::move(search));
        }
    }
}

void StockfishPool::State::fail(Search& search, const std::string& reason) {
    Batch& batch = *search.batch;
    if (batch.error.empty()) batch.error = options.path + " " + reason;
    batch.abandoned = true;
    batch.done.notify_all();
    settle(batch, 1);
}

void StockfishPool::State::fail_all(const std::string& reason) {
    const std::lock_guard lock(mutex);
    for (auto& queue : queues) {
        for (Search& search : queue) fail(search, reason);
        queue.clear();
    }
}

void StockfishPool::State::finish(Search& search, const std::vector<std::pair<chess::Move, UciScore>>& lines) {
    const std::lock_guard lock(mutex);
    Batch& batch = *search.batch;
    const Question& question = batch.questions[search.question];
    auto& answer = batch.answers[search.question];
    if (search.kind == kAlone) {
        if (lines.empty()) return fail(search, "gave no score to " + search.subject());
        answer[static_cast<std::size_t>(search.moves[0])] = negated(lines.front().second);
        return settle(batch, 1);
    }
    for (const int i : search.moves) {
        const chess::Move move = question.moves[static_cast<std::size_t>(i)];
        const auto found = std::find_if(lines.begin(), lines.end(), [&](const auto& l) { return l.first == move; });
        if (found != lines.end()) {
            answer[static_cast<std::size_t>(i)] = found->second;
            continue;
        }
        // A search stopped by its nodes may not have come to every move.
        chess::Position child = question.position;
        child.play(move);
        const std::string command = search_command(orthodox_fen(child), std::max(1, options.depth - 1), "");
        enqueue({search.batch, search.question, kAlone, {i}, command}, true);
    }
    settle(batch, 1);
}

void StockfishPool::State::wake_workers() {
    for (auto& worker : workers) worker->wake();
}

// The worker

void StockfishPool::Worker::start_process() {
    const StockfishOptions& options = pool_.options;
    auto process = std::make_unique<UciProcess>(options.path);
    set_pid(process->pid());
    const auto deadline = Clock::now() + kStartTimeout;
    bool has_multipv = false;
    try {
        process->send("uci\n");
        const auto read = [&](std::string_view line) {
            constexpr std::string_view kName = "id name ", kOption = "option name MultiPV ";
            if (line.substr(0, kName.size()) == kName) engine = line.substr(kName.size());
            has_multipv |= line.substr(0, kOption.size()) == kOption;
        };
        process->expect("uciok", deadline, read, options.while_waiting);
        if (!has_multipv) throw EngineError("has no option MultiPV");
        process->send("setoption name Threads value 1\nsetoption name Hash value " + std::to_string(options.hash) +
                      "\nsetoption name MultiPV value " + std::to_string(kMultiPv) + "\nisready\n");
        process->expect("readyok", deadline, read, options.while_waiting);
    } catch (...) {
        process.reset();
        set_pid(0);
        throw;
    }
    process_ = std::move(process);
    set_to_ = kTogether;
    const std::lock_guard lock(pool_.mutex);
    pool_.restarts += started_before_;
    started_before_ = true;
}

bool StockfishPool::Worker::ensure_process() {
    if (process_) return true;
    std::string reason;
    for (int attempt = 0; attempt < kMostStarts; ++attempt) {
        try {
            start_process();
            return true;
        } catch (const EngineError& error) {
            reason = error.what();
        }
        {
            const std::lock_guard lock(pool_.mutex);
            if (pool_.stopping) return false;
        }
        // What keeps it from starting (memory, a crowd of processes) may pass.
        std::this_thread::sleep_for(attempt * kPatience);
    }
    pool_.put_back(flying_, false);
    pool_.fail_all(reason);
    return false;
}

void StockfishPool::Worker::send_new() {
    if (sent_ == flying_.size()) return;
    if (sent_ == 0) {
        head_since_ = Clock::now();
        // Only between searches: the engine obeys at once, even if a search that came before has not begun yet.
        if (set_to_ != kind_) {
            const int lines = kind_ == kTogether ? kMultiPv : 1;
            process_->send("setoption name MultiPV value " + std::to_string(lines) + "\n");
            set_to_ = kind_;
        }
    }
    for (; sent_ < flying_.size(); ++sent_) process_->send(flying_[sent_].command);
}

bool StockfishPool::Worker::read_answers() {
    while (const auto line = process_->next_line()) {
        if (sent_ == 0) continue;  // nothing was asked
        if (line->substr(0, 8) == "bestmove") {
            pool_.finish(flying_.front(), lines_);
            lines_.clear();
            flying_.pop_front();
            --sent_;
            head_since_ = Clock::now();
        } else if (const auto info = parse_info(*line)) {
            const std::size_t i = kind_ == kAlone ? 0 : static_cast<std::size_t>(std::max(info->line, 1) - 1);
            // A deeper search says everything again.
            if (i < lines_.size()) {
                lines_[i] = {info->move, info->score};
            } else if (i == lines_.size()) {
                lines_.emplace_back(info->move, info->score);
            } else {
                return false;  // not what an engine says
            }
        }
    }
    return true;
}

void StockfishPool::Worker::lose_process() {
    process_.reset();
    set_pid(0);
    lines_.clear();
    sent_ = 0;
    pool_.put_back(flying_, true);
}

// Waits until there is work, and notices if the process goes meanwhile, so that it does not stay as a zombie.
void StockfishPool::Worker::rest() {
    if (process_) {
        if (!process_->exchange(wake_.read.get(), std::nullopt)) lose_process();
        if (process_) read_answers();
    } else {
        pollfd fd{wake_.read.get(), POLLIN, 0};
        ::poll(&fd, 1, -1);
    }
}

void StockfishPool::Worker::loop() {
    // Signals are for the threads of the program; a pipe to a process that has gone is an error code.
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
    for (;;) {
        std::array<char, 64> bytes;
        while (::read(wake_.read.get(), bytes.data(), bytes.size()) > 0) {
        }
        pool_.take(flying_, kind_, turn_);
        {
            const std::lock_guard lock(pool_.mutex);
            if (pool_.stopping) break;
        }
        if (flying_.empty()) {
            rest();
            continue;
        }
        if (!ensure_process()) continue;
        send_new();
        const auto deadline = head_since_ + pool_.options.timeout;
        const bool alive = process_->exchange(wake_.read.get(), deadline) && read_answers();
        if (!alive || (sent_ > 0 && Clock::now() >= head_since_ + pool_.options.timeout)) lose_process();
    }
    process_.reset();
}

// The pool

StockfishPool::StockfishPool(StockfishOptions options) : state_(std::make_unique<State>(std::move(options))) {
    State& state = *state_;
    for (int i = 0; i < std::max(1, state.options.processes); ++i)
        state.workers.push_back(std::make_unique<Worker>(state));
    try {
        state.workers[0]->start_process();
    } catch (const EngineError& error) {
        throw EngineError(state.options.path + " " + error.what());
    }
    state.engine = state.workers[0]->engine;
    state.tau = state.options.tau > 0 ? state.options.tau : usual_tau(state.engine);
    for (auto& worker : state.workers) worker->run();
}

StockfishPool::~StockfishPool() {
    if (::getpid() != state_->owner) {
        // A fork has neither the threads nor the processes: there is nothing to end, and nothing to wait for.
        [[maybe_unused]] const State* left = state_.release();
        return;
    }
    {
        const std::lock_guard lock(state_->mutex);
        state_->stopping = true;
    }
    state_->wake_workers();
    state_->workers.clear();
}

StockfishPool::Ticket StockfishPool::submit(std::vector<Question> questions) const {
    if (::getpid() != state_->owner)
        throw EngineError(state_->options.path + " belongs to the process that started it: make another after a fork");
    auto batch = std::make_shared<Batch>();
    batch->questions = std::move(questions);
    batch->answers.resize(batch->questions.size());
    for (std::size_t i = 0; i < batch->questions.size(); ++i) {
        state_->add(batch, i);
        if (i % 64 == 0) state_->wake_workers();  // so that they need not wait for all to be planned
    }
    state_->wake_workers();
    return batch;
}

std::vector<std::vector<UciScore>> StockfishPool::wait(const Ticket& ticket) const {
    std::unique_lock lock(state_->mutex);
    const auto over = [&] { return ticket->open_searches == 0 || !ticket->error.empty(); };
    while (!ticket->done.wait_for(lock, kPatience, over)) {
        if (!state_->options.while_waiting) continue;
        lock.unlock();
        try {
            state_->options.while_waiting();
        } catch (...) {
            lock.lock();
            ticket->abandoned = true;
            throw;
        }
        lock.lock();
    }
    if (!ticket->error.empty()) throw EngineError(ticket->error);
    return std::move(ticket->answers);
}

void StockfishPool::open_values(std::span<const Request> requests) const {
    std::vector<Question> questions;
    questions.reserve(requests.size());
    for (const Request& request : requests)
        questions.push_back({request.position, {request.moves.begin(), request.moves.end()}});
    const auto answers = wait(submit(std::move(questions)));
    for (std::size_t i = 0; i < requests.size(); ++i)
        std::transform(answers[i].begin(), answers[i].end(), requests[i].values.begin(),
                       [this](UciScore score) { return squashed(score, tau()); });
}

std::string StockfishPool::name() const { return "stockfish"; }

std::vector<std::pair<std::string, std::string>> StockfishPool::parameters() const {
    const StockfishOptions& o = options();
    std::string tau_text = std::to_string(tau());
    tau_text.erase(tau_text.find_last_not_of('0') + 1);
    if (tau_text.back() == '.') tau_text.pop_back();
    return {{"engine", engine()},
            o.nodes > 0 ? std::pair<std::string, std::string>{"nodes", std::to_string(o.nodes)}
                        : std::pair<std::string, std::string>{"depth", std::to_string(o.depth)},
            {"tau", tau_text}};
}

const std::string& StockfishPool::engine() const { return state_->engine; }
double StockfishPool::tau() const { return state_->tau; }
const StockfishOptions& StockfishPool::options() const { return state_->options; }

std::uint64_t StockfishPool::restarts() const {
    const std::lock_guard lock(state_->mutex);
    return state_->restarts;
}

std::vector<pid_t> StockfishPool::processes() const {
    const std::lock_guard lock(state_->mutex);
    std::vector<pid_t> pids;
    for (const auto& worker : state_->workers)
        if (worker->pid > 0) pids.push_back(worker->pid);
    return pids;
}

}  // namespace murk::eval
