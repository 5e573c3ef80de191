#include "plugin/tune/forward_fit.h"

#include <vector>

#include "plugin/votes/tuning/tune_request.h"
#include "tests/fixtures/catch.h"

using namespace kindred;

namespace {

/// A combiner that is nearly sure of the label with the feature.
Combiner sure() {
  Combiner combiner;
  combiner.single_label = true;
  combiner.coefficients[kLinear] = 5;
  return combiner;
}

/// Documents of two labels, of which one in `each` has not the one that it seems to have.
struct Latest {
  TrueLabels truth;
  std::vector<float> features;

  Latest(std::uint32_t documents, std::uint32_t each) {
    truth.labels = 2;
    for (std::uint32_t d = 0; d < documents; ++d) {
      for (std::uint32_t l = 0; l < 2; ++l)
        features.insert(features.end(), {0, 0, 0, 0, 0, d % 2 == l ? 1.0F : 0});
      const std::uint32_t own = d % each == 0 ? 1 - d % 2 : d % 2;
      truth.add({&own, 1}, 0);
    }
  }
  ForwardFit fit(double accuracy = .99) const {
    return fit_forward(sure(), truth, features, accuracy, 4000, 2);
  }
};

}  // namespace

TEST_CASE("confidences are fitted forward where the latest documents deny them") {
  const ForwardFit drifting = Latest(200, 5).fit();
  REQUIRE(drifting.combiner);
  CHECK(drifting.combiner->coefficients[kLinear] < 2);
  CHECK(drifting.combiner->coefficients[kLinear] > 1);
  CHECK_FALSE(Latest(200, 150).fit().combiner);
}

TEST_CASE("what the latest documents lack in accuracy is drift, if it is clear") {
  CHECK(Latest(200, 5).fit().drift == Approx(.19));
  CHECK(Latest(200, 5).fit(.82).drift == 0);
  CHECK(Latest(200, 150).fit().drift == 0);
  CHECK(Latest(200, 5).fit(.5).drift == 0);
}

TEST_CASE("what to expect of later documents is less by the drift") {
  TuneReport report;
  report.tuning.scores.accuracy = .75;
  CHECK(expected_accuracy(report) == .75);
  report.drift = .25;
  CHECK(expected_accuracy(report) == .5);
  report.drift = 1;
  CHECK(expected_accuracy(report) == 0);
}
