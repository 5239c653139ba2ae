#include "eval/search_queue.h"

#include <algorithm>
#include <chrono>

#include "chess/notation.h"
#include "eval/uci_process.h"

namespace murk::eval {
namespace {

constexpr std::size_t kWindow = 4;                         // searches that a process is given at a time
constexpr int kMostAttempts = 4;                           // at one search alone
constexpr int kTurn = 64;                                  // searches of one kind before the other kind has its turn
constexpr auto kPatience = std::chrono::milliseconds(50);  // between calls of `while_waiting`

SearchKind other(SearchKind kind) { return kind == SearchKind::kTogether ? SearchKind::kAlone : SearchKind::kTogether; }

}  // namespace

std::string Search::subject() const {
    const std::size_t start = command.find("fen ");
    return command.substr(start, command.find('\n', start) - start);
}

std::string SearchQueue::command(const std::string& fen, int depth, const std::string& moves) const {
    std::string text = fresh_ ? "ucinewgame\nposition fen " : "position fen ";
    text += fen;
    text += nodes_ > 0 ? "\ngo nodes " : "\ngo depth ";
    text += std::to_string(nodes_ > 0 ? nodes_ : depth);
    text += moves;
    text += '\n';
    return text;
}

// The parent's search looks one ply less far into a child than into itself.
std::string SearchQueue::child_command(const std::string& fen) const {
    return command(fen, std::max(1, depth_ - 1), "");
}

void SearchQueue::add(const Ticket& batch, std::size_t question) {
    const auto& [position, moves] = batch->questions[question];
    const Plan plan = make_plan(position, moves);
    auto& answer = batch->answers[question];
    answer.resize(moves.size());
    for (const int i : plan.mates) answer[static_cast<std::size_t>(i)] = kMateInOne;

    const std::lock_guard lock(mutex_);
    if (!plan.together.empty()) {
        std::string listed;
        if (!plan.all) {
            listed = " searchmoves";
            for (const int i : plan.together) {
                listed += ' ';
                listed += chess::to_uci(moves[static_cast<std::size_t>(i)]);
            }
        }
        queue_of(SearchKind::kTogether)
            .push_back({batch, question, SearchKind::kTogether, plan.together, command(plan.fen, depth_, listed)});
    }
    for (std::size_t i = 0; i < plan.alone.size(); ++i)
        queue_of(SearchKind::kAlone)
            .push_back({batch, question, SearchKind::kAlone, {plan.alone[i]}, child_command(plan.children[i])});
    batch->open_searches += plan.alone.size() + !plan.together.empty();
}

std::vector<std::vector<UciScore>> SearchQueue::wait(Batch& batch, const std::function<void()>& while_waiting) {
    std::unique_lock lock(mutex_);
    const auto over = [&] { return batch.open_searches == 0 || !batch.error.empty(); };
    while (!batch.done.wait_for(lock, kPatience, over)) {
        if (!while_waiting) continue;
        lock.unlock();
        try {
            while_waiting();
        } catch (...) {
            lock.lock();
            batch.abandoned = true;
            throw;
        }
        lock.lock();
    }
    if (!batch.error.empty()) throw EngineError(batch.error);
    return std::move(batch.answers);
}

void SearchQueue::take(std::deque<Search>& flying, SearchKind& kind, int& turn) {
    const std::lock_guard lock(mutex_);
    while (flying.size() < kWindow && (flying.empty() || !flying.front().careful)) {
        const bool others_turn = turn >= kTurn && !queue_of(other(kind)).empty();
        if (flying.empty() && (queue_of(kind).empty() || others_turn)) {
            kind = other(kind);
            turn = 0;
        } else if (others_turn) {
            return;
        }
        auto& queue = queue_of(kind);
        if (queue.empty() || (!flying.empty() && queue.front().careful)) return;
        Search search = std::move(queue.front());
        queue.pop_front();
        if (search.batch->abandoned) {
            settle(*search.batch);
            continue;
        }
        ++turn;
        flying.push_back(std::move(search));
    }
}

void SearchQueue::put_back(std::deque<Search>& flying, bool broke_process) {
    const std::lock_guard lock(mutex_);
    if (broke_process && flying.size() == 1) ++flying.front().failures;
    while (!flying.empty()) {
        Search search = std::move(flying.back());
        flying.pop_back();
        search.careful = true;
        if (search.failures >= kMostAttempts) {
            fail(search, "ended or hung " + std::to_string(kMostAttempts) + " times over " + search.subject());
        } else {
            queue_of(search.kind).push_front(std::move(search));
        }
    }
}

void SearchQueue::finish(Search& search, const std::vector<ScoredMove>& lines) {
    const std::lock_guard lock(mutex_);
    Batch& batch = *search.batch;
    const Question& question = batch.questions[search.question];
    auto& answer = batch.answers[search.question];
    if (search.kind == SearchKind::kAlone) {
        if (lines.empty()) return fail(search, "gave no score to " + search.subject());
        answer[static_cast<std::size_t>(search.moves[0])] = negated(lines.front().second);
        return settle(batch);
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
        ++batch.open_searches;
        queue_of(SearchKind::kAlone)
            .push_front({search.batch, search.question, SearchKind::kAlone, {i}, child_command(orthodox_fen(child))});
    }
    settle(batch);
}

void SearchQueue::settle(Batch& batch) {
    if (--batch.open_searches == 0) batch.done.notify_all();
}

void SearchQueue::fail(Search& search, const std::string& reason) {
    Batch& batch = *search.batch;
    if (batch.error.empty()) batch.error = who_ + " " + reason;
    batch.abandoned = true;
    batch.done.notify_all();
    settle(batch);
}

void SearchQueue::fail_all(const std::string& reason) {
    const std::lock_guard lock(mutex_);
    for (auto& queue : queues_) {
        for (Search& search : queue) fail(search, reason);
        queue.clear();
    }
}

}  // namespace murk::eval
