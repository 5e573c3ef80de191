// The formulas of analyzer/smart_weighting.h.
#include "analyzer/smart_weighting.h"

#include "tests/fixtures/error_code.h"

using namespace kindred;

TEST_CASE("term frequencies follow their letter") {
  CHECK(SmartWeighting("ntc").tf(7) == 7.0);
  CHECK(SmartWeighting("btc").tf(7) == 1.0);
  CHECK(SmartWeighting("stc").tf(7) == 49.0);
  CHECK(SmartWeighting("ltc").tf(7) == Approx(1 + std::log(7.0)).epsilon(1e-15));
  CHECK(SmartWeighting("Ltc").tf(7) == SmartWeighting("ltc").tf(7));
  CHECK(SmartWeighting("stc").tf(std::numeric_limits<std::uint32_t>::max()) ==
        4294967295.0 * 4294967295.0);
}

TEST_CASE("a count of one weighs one and a count of zero nothing, whatever the letter") {
  for (const char* letters : {"ntc", "btc", "stc", "ltc", "Ltc"}) {
    CHECK(SmartWeighting(letters).tf(1) == 1.0);
    CHECK(SmartWeighting(letters).tf(0) == 0.0);
  }
}

TEST_CASE("document frequencies follow their letter") {
  CHECK(SmartWeighting("lnc").idf(1000, 10) == 1.0);
  CHECK(SmartWeighting("ltc").idf(1000, 10) == Approx(std::log(100.0)).epsilon(1e-15));
  CHECK(SmartWeighting("lpc").idf(1000, 10) == Approx(std::log(99.0)).epsilon(1e-15));
  CHECK(SmartWeighting("lfc").idf(1000, 10) == Approx(0.1).epsilon(1e-15));
  CHECK(SmartWeighting("lsc").idf(1000, 10) ==
        Approx(std::log(100.0) * std::log(100.0)).epsilon(1e-15));
  CHECK(SmartWeighting("lrc").idf(1000, 10) == Approx(std::sqrt(std::log(100.0))).epsilon(1e-15));
}

TEST_CASE("document frequencies at their limits are finite and not negative") {
  for (const char* letters : {"lnc", "ltc", "lpc", "lfc", "lsc", "lrc"}) {
    const SmartWeighting weighting(letters);
    CHECK(weighting.idf(10, 0) == 0.0);
    CHECK(weighting.idf(0, 0) == 0.0);
    for (const std::uint64_t documents : {0u, 1u, 5u, 10u}) {
      for (std::uint64_t df = 1; df <= 11; ++df) {  // also more than there are
        const double idf = weighting.idf(documents, df);
        CHECK(std::isfinite(idf));
        CHECK(idf >= 0.0);
      }
    }
  }
  CHECK(SmartWeighting("ltc").idf(10, 10) == 0.0);
  CHECK(SmartWeighting("lpc").idf(10, 5) == 0.0);
  CHECK(SmartWeighting("lpc").idf(10, 9) == 0.0);
}

TEST_CASE("the last letter says whether vectors are divided by their lengths") {
  CHECK(SmartWeighting("Ltc").is_cosine());
  for (const char* letters : {"nnn", "ltn", "bpn", "ssn"})
    CHECK_FALSE(SmartWeighting(letters).is_cosine());
}

TEST_CASE("the rarer term never weighs less") {
  for (const char* letters : {"lnc", "ltc", "lpc", "lfc", "lsc", "lrc"}) {
    const SmartWeighting weighting(letters);
    for (std::uint64_t df = 1; df < 100; ++df)
      CHECK(weighting.idf(100, df) >= weighting.idf(100, df + 1));
  }
}

TEST_CASE("unknown letters are refused by place, with those that are known") {
  const auto message = [](const char* letters) {
    return test::message_of([&] { SmartWeighting{letters}; });
  };
  CHECK(message("xtc") ==
        "weighting \"xtc\": letter 1, 'x', is not known; expected one of n, b, s, l, L");
  CHECK(message("lxc") ==
        "weighting \"lxc\": letter 2, 'x', is not known; expected one of n, t, p, f, s, r");
  CHECK(message("ltu") == "weighting \"ltu\": letter 3, 'u', is not known; expected one of c, n");
  CHECK(message("Ltn") == "weighting \"Ltn\": expected c after L, or l");
  for (const char* letters : {"", "l", "lt", "ltcc"})
    CHECK(message(letters).find("expected three letters, such as \"ltc\"") != std::string::npos);
}
