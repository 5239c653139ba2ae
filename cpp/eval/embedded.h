// The default evaluator: the net and the quiescence search.
#pragma once

#include "eval/evaluator.h"
#include "eval/network.h"
#include "eval/quiescence.h"

namespace murk::eval {

class Embedded final : public Evaluator {
  public:
    Embedded(std::shared_ptr<const Network> network, std::string version, const QuiescenceLimits& limits = {})
        : network_(std::move(network)), version_(std::move(version)), limits_(limits) {}

    bool values_positions() const override { return true; }
    std::string name() const override { return "embedded"; }
    std::vector<std::pair<std::string, std::string>> parameters() const override;
    std::string licence() const override { return "MIT"; }

    const Network& network() const { return *network_; }
    const QuiescenceLimits& limits() const { return limits_; }
    // The value of a position for its side to move: what the evaluator thinks of it before any move is chosen.
    float value(const chess::Position& position) const;
    // The same without the quiescence search.
    float static_value(const chess::Position& position) const;

  protected:
    void open_values(std::span<const Request> requests) const override;

  private:
    std::shared_ptr<const Network> network_;
    std::string version_;
    QuiescenceLimits limits_;
};

// tanh of a value in the search's units; exactly -1 or 1 where a king falls.
float squash(int value);

}  // namespace murk::eval
