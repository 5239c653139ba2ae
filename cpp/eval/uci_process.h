// A chess engine in a process of its own, spoken to in lines over two pipes that never block.
//
// The process gets a group of its own, so that Ctrl-C on a terminal reaches us and not it, and no file of ours. It is
// killed and reaped when the object goes; should we be killed ourselves it finds its input closed and ends.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace murk::eval {

// The engine cannot be started, or cannot answer. One sentence.
class EngineError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

using Clock = std::chrono::steady_clock;

// A file descriptor that closes itself.
class Descriptor {
  public:
    Descriptor() = default;
    explicit Descriptor(int fd) : fd_(fd) {}
    Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    ~Descriptor();
    int get() const { return fd_; }

  private:
    int fd_ = -1;
};

// A pipe whose ends are closed on exec; `non_blocking` ends fail with EAGAIN instead of waiting.
struct Pipe {
    Descriptor read, write;
    explicit Pipe(bool non_blocking);
};

class UciProcess {
  public:
    // Throws EngineError if there is no such program. That it speaks UCI is for the caller to find out.
    explicit UciProcess(const std::string& path);
    ~UciProcess();
    UciProcess(const UciProcess&) = delete;
    UciProcess& operator=(const UciProcess&) = delete;

    pid_t pid() const { return pid_; }

    // Puts text into the queue of what is to be written.
    void send(std::string_view text) { unsent_ += text; }

    // Waits until something can be read, or written if there is something to write, or `also` can be read (-1 for
    // none), or the time is up; then reads and writes what can be. False once the engine has gone, or has sent a line
    // longer than any engine's.
    bool exchange(int also, std::optional<Clock::time_point> deadline);

    // The next whole line that was read, valid until the next call of a method; nothing if there is none yet.
    std::optional<std::string_view> next_line();

    // Reads lines until one begins with `word`; every line before is handed to `each`. Throws EngineError if the engine
    // goes or takes too long. `while_waiting`, if it is not empty, is called now and then.
    void expect(std::string_view word, Clock::time_point deadline, const std::function<void(std::string_view)>& each,
                const std::function<void()>& while_waiting);

  private:
    bool read_some();
    bool write_some();

    pid_t pid_ = -1;
    Descriptor to_, from_;
    std::string unsent_;
    std::string received_;
    std::size_t start_ = 0;    // of the first line of `received_` not yet returned
    std::size_t scanned_ = 0;  // up to here `received_` has no further end of line
};

}  // namespace murk::eval
