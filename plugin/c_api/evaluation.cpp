#include "plugin/c_api/evaluation.h"

#include <chrono>
#include <cstdint>
#include <string>

#include "config/error.h"
#include "plugin/c_api/curation_requests.h"
#include "plugin/evaluate/evaluate.h"
#include "plugin/evaluate/evaluation_json.h"

namespace kindred {
namespace {

constexpr std::uint64_t kToldAfter = 1000;  // documents between two reports of progress

class Stopwatch {
 public:
  double seconds() const {
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start_;
    return took.count();
  }

 private:
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

ClassifyRequest read_how(const kindred_classify_request* given) {
  ClassifyRequest how = read_classify_request(given);
  if (given != nullptr) check_flags(given->flags, 0, "request.how.flags");
  how.scores = true;
  return how;
}

CrossValidation read_division(const kindred_evaluate_request& request) {
  if (request.seed < 0) throw Error(Errc::kInvalidArgument, "request.seed: expected at least 0");
  return {request.folds, static_cast<std::uint64_t>(request.seed)};
}

}  // namespace

nlohmann::ordered_json evaluate(const Engine& engine, const kindred_evaluate_request* given) {
  const Stopwatch watch;
  const kindred_evaluate_request defaults = KINDRED_EVALUATE_REQUEST_INIT;
  const auto request = read_struct(given != nullptr ? given : &defaults, "request");
  check_flags(request.flags, KINDRED_PER_LABEL | KINDRED_CONFUSION, "request.flags");
  const auto tell = read_progress(request.progress, request.progress_user);
  const std::uint64_t all = engine.status().labeled;
  if (all == 0) throw Error(Errc::kNotFound, engine.path() + ": no documents with labels");
  std::uint64_t done = 0;
  Evaluation evaluation(engine.labels());
  engine.cross_validate(
      read_division(request), read_how(request.how), [&](const auto& truth, const auto& predicted) {
        evaluation.add(truth, predicted);
        ++done;
        if (!tell || (done % kToldAfter != 0 && done != all) || tell(done, all)) return;
        throw Error(Errc::kCanceled, "evaluation: canceled after " + std::to_string(done) + " of " +
                                         std::to_string(all) + " documents");
      });
  const ShownParts parts = {(request.flags & KINDRED_PER_LABEL) != 0,
                            (request.flags & KINDRED_CONFUSION) != 0};
  return evaluation_json(evaluation, watch.seconds(), parts);
}

}  // namespace kindred
