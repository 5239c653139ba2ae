#include "eval/uci_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

extern char** environ;

namespace murk::eval {
namespace {

constexpr std::size_t kLongestLine = 1 << 20;
constexpr auto kPatience = std::chrono::milliseconds(50);  // between calls of `while_waiting`

void set_flags(int fd, bool non_blocking) {
    ::fcntl(fd, F_SETFD, FD_CLOEXEC);
    if (non_blocking) ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
}

// What posix_spawn is told, freed at the end of the scope.
struct SpawnSettings {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;

    SpawnSettings() {
        posix_spawn_file_actions_init(&actions);
        posix_spawnattr_init(&attributes);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
        posix_spawnattr_setpgroup(&attributes, 0);
        // The caller may block or ignore signals; the engine is to know nothing of it.
        sigset_t none, usual;
        sigemptyset(&none);
        sigemptyset(&usual);
        for (const int number : {SIGPIPE, SIGINT, SIGQUIT, SIGTERM, SIGCHLD}) sigaddset(&usual, number);
        posix_spawnattr_setsigmask(&attributes, &none);
        posix_spawnattr_setsigdefault(&attributes, &usual);
    }
    ~SpawnSettings() {
        posix_spawn_file_actions_destroy(&actions);
        posix_spawnattr_destroy(&attributes);
    }
};

// Whole milliseconds until `deadline`, rounded up, so that waiting never ends just before it; -1 for ever.
int milliseconds_to(std::optional<Clock::time_point> deadline) {
    if (!deadline) return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - Clock::now()).count();
    return static_cast<int>(std::clamp<long long>(left, 0, 1 << 30));
}

}  // namespace

Descriptor::~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
}

Pipe::Pipe(bool non_blocking) {
    std::array<int, 2> ends{};
#ifdef __linux__
    const int failed = ::pipe2(ends.data(), O_CLOEXEC);  // no moment in which another thread's child could inherit it
#else
    const int failed = ::pipe(ends.data());
#endif
    if (failed != 0) throw EngineError(std::string("cannot make a pipe: ") + std::strerror(errno));
    read = Descriptor(ends[0]);
    write = Descriptor(ends[1]);
    for (const int fd : ends) set_flags(fd, non_blocking);
}

UciProcess::UciProcess(const std::string& path) {
    Pipe input(false), output(false);
    SpawnSettings settings;
    posix_spawn_file_actions_adddup2(&settings.actions, input.read.get(), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&settings.actions, output.write.get(), STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&settings.actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    std::string program = path;
    std::array<char*, 2> arguments = {program.data(), nullptr};
    const int error =
        ::posix_spawn(&pid_, path.c_str(), &settings.actions, &settings.attributes, arguments.data(), environ);
    if (error != 0) {
        pid_ = -1;
        throw EngineError(std::string("cannot be started: ") + std::strerror(error));
    }
    to_ = std::move(input.write);
    from_ = std::move(output.read);
    set_flags(to_.get(), true);
    set_flags(from_.get(), true);
}

UciProcess::~UciProcess() {
    if (pid_ <= 0) return;
    ::kill(-pid_, SIGKILL);  // its group: an engine may be a script with children
    ::kill(pid_, SIGKILL);
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
}

bool UciProcess::exchange(int also, std::optional<Clock::time_point> deadline) {
    std::array<pollfd, 3> fds = {pollfd{from_.get(), POLLIN, 0}, pollfd{unsent_.empty() ? -1 : to_.get(), POLLOUT, 0},
                                 pollfd{also, POLLIN, 0}};
    if (::poll(fds.data(), fds.size(), milliseconds_to(deadline)) < 0) return errno == EINTR;
    if (fds[1].revents != 0 && !write_some()) return false;
    return fds[0].revents == 0 || read_some();
}

void UciProcess::expect(std::string_view word, Clock::time_point deadline,
                        const std::function<void(std::string_view)>& each, const std::function<void()>& while_waiting) {
    for (;;) {
        while (const auto line = next_line()) {
            if (line->substr(0, word.size()) == word) return;
            each(*line);
        }
        const auto now = Clock::now();
        if (now >= deadline) throw EngineError("does not answer as a UCI engine");
        if (!exchange(-1, std::min(deadline, now + kPatience))) throw EngineError("ended before it was asked anything");
        if (while_waiting) while_waiting();
    }
}

bool UciProcess::write_some() {
    const ssize_t written = ::write(to_.get(), unsent_.data(), unsent_.size());
    if (written < 0) return errno == EAGAIN || errno == EINTR;
    unsent_.erase(0, static_cast<std::size_t>(written));
    return true;
}

bool UciProcess::read_some() {
    received_.erase(0, start_);
    scanned_ -= std::min(scanned_, start_);
    start_ = 0;
    std::array<char, 1 << 16> buffer;
    const ssize_t count = ::read(from_.get(), buffer.data(), buffer.size());
    if (count < 0) return errno == EAGAIN || errno == EINTR;
    if (count == 0) return false;
    received_.append(buffer.data(), static_cast<std::size_t>(count));
    return received_.size() <= kLongestLine || received_.find('\n') != std::string::npos;
}

std::optional<std::string_view> UciProcess::next_line() {
    const std::size_t end = received_.find('\n', std::max(start_, scanned_));
    if (end == std::string::npos) {
        scanned_ = received_.size();
        return std::nullopt;
    }
    std::string_view line(received_.data() + start_, end - start_);
    start_ = end + 1;
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    return line;
}

}  // namespace murk::eval
