#include "eval/stockfish_pool.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <thread>

namespace murk::eval {
namespace {

constexpr int kMostStarts = 6;  // of a process, one after another, before it is given up
constexpr int kMultiPv = 500;   // as many lines as Stockfish can give
constexpr auto kStartTimeout = std::chrono::seconds(20);
constexpr auto kPause = std::chrono::milliseconds(50);  // grows from one failed start to the next

}  // namespace

// What the workers share.
class StockfishPool::State {
  public:
    explicit State(StockfishOptions given)
        : options(std::move(given)), queue(options.path, options.depth, options.nodes, options.fresh) {}

    void wake_workers();
    bool any_process() const;

    const StockfishOptions options;
    SearchQueue queue;
    std::string engine;
    double tau = 0;
    const pid_t owner = ::getpid();
    std::atomic<bool> stopping = false;
    std::atomic<std::uint64_t> restarts = 0;
    std::vector<std::unique_ptr<Worker>> workers;
};

// One process, and the thread that talks to it.
class StockfishPool::Worker {
  public:
    explicit Worker(State& pool) : pool_(pool), wake_(true) {}
    ~Worker() { join(); }

    void start_process();  // throws EngineError
    void run() {
        thread_ = std::thread([this] { loop(); });
    }
    void join() {
        if (thread_.joinable()) thread_.join();
    }
    void wake() {
        const char byte = 0;
        // A full pipe wakes it as well.
        [[maybe_unused]] const ssize_t written = ::write(wake_.write.get(), &byte, 1);
    }
    pid_t pid() const { return pid_; }                     // 0 if there is no process
    const std::string& engine() const { return engine_; }  // before `run`

  private:
    void loop();
    void rest();
    bool ensure_process();
    void send_new();
    bool read_answers();
    void lose_process();

    State& pool_;
    Pipe wake_;
    std::unique_ptr<UciProcess> process_;
    std::atomic<pid_t> pid_ = 0;
    std::string engine_;
    bool started_before_ = false;
    std::deque<Search> flying_;
    std::size_t sent_ = 0;  // of `flying_`
    SearchKind kind_ = SearchKind::kTogether;
    SearchKind set_to_ = SearchKind::kTogether;  // what MultiPV is now
    int turn_ = 0;
    Clock::time_point head_since_;
    std::vector<ScoredMove> lines_;  // of the answer that is being read
    std::thread thread_;
};

void StockfishPool::State::wake_workers() {
    for (auto& worker : workers) worker->wake();
}

bool StockfishPool::State::any_process() const {
    return std::any_of(workers.begin(), workers.end(), [](const auto& worker) { return worker->pid() > 0; });
}

void StockfishPool::Worker::start_process() {
    const StockfishOptions& options = pool_.options;
    auto process = std::make_unique<UciProcess>(options.path);
    const auto deadline = Clock::now() + kStartTimeout;
    bool has_multipv = false;
    const auto read = [&](std::string_view line) {
        constexpr std::string_view kName = "id name ", kOption = "option name MultiPV ";
        if (line.substr(0, kName.size()) == kName) engine_ = line.substr(kName.size());
        has_multipv |= line.substr(0, kOption.size()) == kOption;
    };
    process->send("uci\n");
    process->expect("uciok", deadline, read, options.while_waiting);
    if (!has_multipv) throw EngineError("has no option MultiPV");
    process->send("setoption name Threads value 1\nsetoption name Hash value " + std::to_string(options.hash) +
                  "\nsetoption name MultiPV value " + std::to_string(kMultiPv) + "\nisready\n");
    process->expect("readyok", deadline, read, options.while_waiting);
    process_ = std::move(process);
    pid_ = process_->pid();
    set_to_ = SearchKind::kTogether;
    pool_.restarts += started_before_;
    started_before_ = true;
}

bool StockfishPool::Worker::ensure_process() {
    if (process_) return true;
    std::string reason;
    for (int attempt = 0; attempt < kMostStarts && !pool_.stopping; ++attempt) {
        try {
            start_process();
            return true;
        } catch (const EngineError& error) {
            reason = error.what();
        }
        // What keeps it from starting (memory, a crowd of processes) may pass.
        std::this_thread::sleep_for(attempt * kPause);
    }
    pool_.queue.put_back(flying_, false);
    if (pool_.any_process()) {
        pool_.wake_workers();  // the others can do it
    } else if (!pool_.stopping) {
        pool_.queue.fail_all(reason);
    }
    return false;
}

void StockfishPool::Worker::send_new() {
    if (sent_ == flying_.size()) return;
    if (sent_ == 0) {
        head_since_ = Clock::now();
        // Only between searches: the engine obeys at once, even if a search that came before has not begun yet.
        if (set_to_ != kind_) {
            const int lines = kind_ == SearchKind::kTogether ? kMultiPv : 1;
            process_->send("setoption name MultiPV value " + std::to_string(lines) + "\n");
            set_to_ = kind_;
        }
    }
    for (; sent_ < flying_.size(); ++sent_) process_->send(flying_[sent_].command);
}

// False if what the engine says makes no sense.
bool StockfishPool::Worker::read_answers() {
    while (const auto line = process_->next_line()) {
        if (sent_ == 0) continue;  // nothing was asked
        if (line->substr(0, 8) == "bestmove") {
            pool_.queue.finish(flying_.front(), lines_);
            lines_.clear();
            flying_.pop_front();
            --sent_;
            head_since_ = Clock::now();
        } else if (const auto info = parse_info(*line)) {
            if (info->line < 1 || info->line > kMultiPv) return false;
            const auto i = static_cast<std::size_t>(info->line - 1);
            if (i >= lines_.size()) lines_.resize(i + 1);
            lines_[i] = {info->move, info->score};  // a deeper search says everything again
        }
    }
    return true;
}

void StockfishPool::Worker::lose_process() {
    process_.reset();
    pid_ = 0;
    lines_.clear();
    sent_ = 0;
    pool_.queue.put_back(flying_, true);
}

// Waits until there is work, and notices if the process goes meanwhile, so that it does not stay as a zombie.
void StockfishPool::Worker::rest() {
    if (process_) {
        if (!process_->exchange(wake_.read.get(), std::nullopt) || !read_answers()) lose_process();
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
        // Before looking for what there is to do: whoever adds something wakes afterwards.
        std::array<char, 64> bytes;
        while (::read(wake_.read.get(), bytes.data(), bytes.size()) > 0) {
        }
        if (pool_.stopping) break;
        pool_.queue.take(flying_, kind_, turn_);
        if (flying_.empty()) {
            rest();
            continue;
        }
        if (!ensure_process()) continue;
        send_new();
        const auto deadline = head_since_ + pool_.options.timeout;
        const bool alive = process_->exchange(wake_.read.get(), deadline) && read_answers();
        const bool hung = sent_ > 0 && Clock::now() >= head_since_ + pool_.options.timeout;
        if (!alive || hung) lose_process();
    }
    process_.reset();
}

StockfishPool::StockfishPool(StockfishOptions options) : state_(std::make_unique<State>(std::move(options))) {
    State& state = *state_;
    for (int i = 0; i < std::max(1, state.options.processes); ++i)
        state.workers.push_back(std::make_unique<Worker>(state));
    try {
        state.workers[0]->start_process();
    } catch (const EngineError& error) {
        throw EngineError(state.options.path + " " + error.what());
    }
    state.engine = state.workers[0]->engine();
    state.tau = state.options.tau > 0 ? state.options.tau : usual_tau(state.engine);
    for (auto& worker : state.workers) worker->run();
}

StockfishPool::~StockfishPool() {
    if (::getpid() != state_->owner) {
        // A fork has neither the threads nor the processes: there is nothing to end, and nothing to wait for.
        [[maybe_unused]] const State* left = state_.release();
        return;
    }
    state_->stopping = true;
    state_->wake_workers();
    for (auto& worker : state_->workers) worker->join();  // before any of them goes: they look at each other
}

Ticket StockfishPool::submit(std::vector<Question> questions) const {
    if (::getpid() != state_->owner)
        throw EngineError(state_->options.path + " belongs to the process that started it: make another after a fork");
    auto batch = std::make_shared<Batch>();
    batch->questions = std::move(questions);
    batch->answers.resize(batch->questions.size());
    for (std::size_t i = 0; i < batch->questions.size(); ++i) {
        state_->queue.add(batch, i);
        if (i % 64 == 0) state_->wake_workers();  // so that they need not wait for all to be planned
    }
    state_->wake_workers();
    return batch;
}

std::vector<std::vector<UciScore>> StockfishPool::wait(const Ticket& ticket) const {
    return state_->queue.wait(*ticket, state_->options.while_waiting);
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

std::uint64_t StockfishPool::restarts() const { return state_->restarts; }

std::vector<pid_t> StockfishPool::processes() const {
    std::vector<pid_t> pids;
    for (const auto& worker : state_->workers)
        if (const pid_t pid = worker->pid(); pid > 0) pids.push_back(pid);
    return pids;
}

}  // namespace murk::eval
