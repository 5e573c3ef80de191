// Linear classifiers: what a tuning stores, and what they say of a document.
#include "plugin/votes/classes/linear_comparison.h"

#include "tests/fixtures/catch.h"

using namespace kindred;

namespace {

StringTable table_of(const std::vector<std::string>& strings) {
  StringTable table;
  for (const std::string& text : strings) table.push_back(text);
  table.index();
  return table;
}

/// "cat" speaks for pets by 2, and against ships by .5; "sail" for ships by 1; "mast" for both.
LinearClassifiers pets_and_ships() {
  LinearClassifiers parts;
  parts.labels = table_of({"pets", "ships"});
  parts.offset = {-512, -1024};
  parts.terms = table_of({"cat", "mast", "sail"});
  parts.begin = {0, 2, 4, 5};
  parts.entries = {{0, 2048}, {1, -512}, {0, 1}, {1, 3}, {1, 1024}};
  parts.learned_from = learning_set(7, 100, 50);
  parts.left_out = {1.5, 1.25};
  return parts;
}

std::shared_ptr<const LinearClassifiers> classifiers() {
  return std::make_shared<const LinearClassifiers>(pets_and_ships());
}

std::vector<double> values_of(const LinearVotes& votes, const std::vector<std::uint32_t>& terms,
                              const std::vector<double>& weights, std::uint32_t labels,
                              const std::vector<std::uint32_t>& learned = {}) {
  LinearComparison comparison(votes);
  comparison.compare({terms, weights}, learned);
  std::vector<double> values;
  for (std::uint32_t label = 0; label < labels; ++label) values.push_back(comparison.value(label));
  return values;
}

}  // namespace

TEST_CASE("linear votes add up what a document's terms say, in the mirror's terms and labels") {
  const LinearVotes votes(classifiers(), table_of({"boat", "cat", "sail"}),
                          table_of({"newer", "ships", "pets"}));
  const auto values = values_of(votes, {1, 2}, {.6, .8}, 3);
  CHECK(std::isnan(values[0]));
  CHECK(values[1] == Approx(-1 - .5 * .6 + .8));
  CHECK(values[2] == Approx(-.5 + 2 * .6));
  CHECK(values_of(votes, {0}, {1}, 3)[2] == -.5);  // a term that they do not know
}

TEST_CASE(
    "linear votes do not depend on the order of terms, and follow terms and labels that come") {
  const StringTable labels = table_of({"pets", "ships"});
  const LinearVotes sorted(classifiers(), table_of({"cat", "mast", "sail"}), labels);
  const LinearVotes grown = LinearVotes(classifiers(), table_of({"sail"}), table_of({"pets"}))
                                .extended(table_of({"sail", "mast", "cat"}), labels);
  const auto values = values_of(sorted, {0, 1, 2}, {1.0 / 3, 2.0 / 3, 2.0 / 3}, 2);
  CHECK(values == values_of(grown, {0, 1, 2}, {2.0 / 3, 2.0 / 3, 1.0 / 3}, 2));
}

TEST_CASE("a document that was learned from is judged about as if it had not been") {
  const StringTable labels = table_of({"pets", "ships"});
  const LinearVotes votes(classifiers(), table_of({"cat"}), labels);
  // "cat" is worth 2 for pets and -.5 for ships; the offsets are -.5 and -1.
  const auto near = values_of(votes, {0}, {.5}, 2),
             near_left_out = values_of(votes, {0}, {.5}, 2, {0});
  CHECK(near == std::vector<double>{.5, -1.25});
  CHECK(near_left_out == std::vector<double>{1 - 1.5 * .5, -1.25});  // of ships nothing is missing
  const auto far_left_out = values_of(votes, {}, {}, 2, {1});
  CHECK(far_left_out == std::vector<double>{-(1 - 1.25 * .5), 1 - 1.5 * 2});
  CHECK(values_of(votes, {0}, {1}, 2, {0})[0] == 1.5);  // nothing is missing
}

TEST_CASE("the labels with the largest linear values go by their names where they are equal") {
  auto parts = pets_and_ships();
  parts.offset = {-512, -512};
  const StringTable labels = table_of({"ships", "none", "pets"});
  const LinearVotes votes(std::make_shared<const LinearClassifiers>(parts), table_of({"cat"}),
                          labels);
  LinearComparison comparison(votes);
  const auto best = [&](std::size_t most) {
    std::vector<std::uint32_t> found;
    comparison.append_best(most, labels, found);
    return found;
  };
  comparison.compare({}, {});
  CHECK(best(1) == std::vector<std::uint32_t>{2});
  CHECK(best(9).size() == 2);  // the third has no classifier
}

TEST_CASE("a learning set is a share of the documents that were there") {
  const LearningSet all = learning_set(1000, 1000, 1000), half = learning_set(1000, 1000, 500);
  std::size_t in_half = 0;
  for (std::uint32_t docid = 1; docid <= 1000; ++docid) {
    CHECK(all.has(docid));
    in_half += half.has(docid) ? 1 : 0;
  }
  CHECK(in_half > 440);
  CHECK(in_half < 560);
  CHECK_FALSE(all.has(1001));
}

TEST_CASE("packed classifiers keep every number, and damage to them is found") {
  const LinearClassifiers whole(pets_and_ships());
  const LinearClassifiers read = LinearClassifiers::unpacked(whole.packed());
  CHECK(read.packed().bytes == whole.packed().bytes);
  CHECK(read.labels[1] == "ships");
  CHECK(read.offset[1] == -1024);
  CHECK(read.of(0)[1].weight == -512);
  CHECK(read.learned_from.most_hash == whole.learned_from.most_hash);
  CHECK(read.left_out.own == 1.5);
  const std::string bytes = unpack(whole.packed(), "it");
  for (std::size_t size = 0; size < bytes.size(); ++size)
    CHECK_THROWS_AS(LinearClassifiers::unpacked(pack(bytes.substr(0, size))), std::runtime_error);
  CHECK_THROWS_AS(LinearClassifiers::unpacked(pack(bytes + '\0')), std::runtime_error);
  Packed lying = whole.packed();
  lying.size = std::uint64_t{1} << 60;
  CHECK_THROWS_AS(LinearClassifiers::unpacked(lying), std::runtime_error);
}
