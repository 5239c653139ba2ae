// The root of a subgame: which of her infosets the opponent enters with.
//
// Both gadgets of [ZS21] share the tree below, so both are kept at once and blended ([ZS25], our docs/growing.md).
// In Resolve the opponent decides at each root infoset J whether to enter or to take its alternate value; nature has
// dealt J by a prior. In Maxmargin she chooses among all J. Each has predictive regret matching minimisers of its own.
// While some J is worth entering, Resolve acts; once none is, Maxmargin does, with weight 1 - max_J P(enter J).
// With a probability of `tremble` she enters by the prior instead: of the many equilibria that picks one that is also
// good where she should not have entered (after Kubicek, Lisy and Sandholm 2026).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace murk::growing {

enum class Gadget : std::uint8_t {
    kNone,       // the opponent has no choice: every root infoset has its prior's weight (a whole game)
    kResolve,    // enter or exit
    kMaxmargin,  // choose among all
    kBlend,
};

// Margins are ours: how much more than the alternate value we get where the opponent enters.
class GadgetRoot {
  public:
    GadgetRoot() = default;
    GadgetRoot(Gadget gadget, std::vector<double> alternate, std::vector<double> prior, double tremble = 0.0)
        : gadget_(gadget), tremble_(tremble), alternate_(std::move(alternate)), prior_(std::move(prior)) {
        const std::size_t n = alternate_.size();
        enter_.assign(n, 1.0);
        share_.assign(n, n > 0 ? 1.0 / static_cast<double>(n) : 0.0);
        for (auto* v : {&margin_, &regret_enter_, &regret_exit_, &regret_share_}) v->assign(n, 0.0);
        weight_ = prior_;
        reweigh();
    }

    std::size_t size() const { return alternate_.size(); }
    Gadget gadget() const { return gadget_; }
    // The opponent's weight of each root infoset.
    const std::vector<double>& weight() const { return weight_; }
    const std::vector<double>& margin() const { return margin_; }
    const std::vector<double>& alternate() const { return alternate_; }
    const std::vector<double>& enter() const { return enter_; }
    const std::vector<double>& share() const { return share_; }
    const std::vector<double>& prior() const { return prior_; }
    // How far Resolve acts.
    double resolve_weight() const { return resolve_weight_; }

    // The opponent's turn: `value` is ours at each root infoset.
    void update(const std::vector<double>& value) {
        if (gadget_ == Gadget::kNone) return;
        double expected = 0.0;
        for (std::size_t j = 0; j < size(); ++j) {
            margin_[j] = value[j] - alternate_[j];
            expected += share_[j] * -margin_[j];
        }
        double total = 0.0;
        for (std::size_t j = 0; j < size(); ++j) {
            const double gain = -margin_[j];
            const double in = gain * (1.0 - enter_[j]), out = -gain * enter_[j];
            regret_enter_[j] = std::max(0.0, regret_enter_[j] + in);
            regret_exit_[j] = std::max(0.0, regret_exit_[j] + out);
            const double a = std::max(0.0, regret_enter_[j] + in), b = std::max(0.0, regret_exit_[j] + out);
            if (a + b > 0.0) enter_[j] = a / (a + b);
            const double better = gain - expected;
            regret_share_[j] = std::max(0.0, regret_share_[j] + better);
            share_next_.resize(size());
            share_next_[j] = std::max(0.0, regret_share_[j] + better);
            total += share_next_[j];
        }
        if (total > 0.0)
            for (std::size_t j = 0; j < size(); ++j) share_[j] = share_next_[j] / total;
        reweigh();
    }

  private:
    void reweigh() {
        resolve_weight_ = 0.0;
        for (const double p : enter_) resolve_weight_ = std::max(resolve_weight_, p);
        if (gadget_ == Gadget::kResolve) resolve_weight_ = 1.0;
        if (gadget_ == Gadget::kMaxmargin) resolve_weight_ = 0.0;
        if (gadget_ == Gadget::kNone) return;
        for (std::size_t j = 0; j < size(); ++j)
            weight_[j] = tremble_ * prior_[j] + (1.0 - tremble_) * (resolve_weight_ * prior_[j] * enter_[j] +
                                                                    (1.0 - resolve_weight_) * share_[j]);
    }

    Gadget gadget_ = Gadget::kNone;
    double tremble_ = 0.0;
    std::vector<double> alternate_;
    std::vector<double> prior_;
    std::vector<double> margin_;
    std::vector<double> enter_;
    std::vector<double> share_;
    std::vector<double> share_next_;
    std::vector<double> regret_enter_;
    std::vector<double> regret_exit_;
    std::vector<double> regret_share_;
    std::vector<double> weight_;
    double resolve_weight_ = 1.0;
};

}  // namespace murk::growing
