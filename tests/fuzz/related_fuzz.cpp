// Related documents by queries of examples, with a filter, folded: any request is answered in the
// order that it promises, without a document twice, or refused by an Error.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config/error.h"
#include "tests/fixtures/on_cpu.h"
#include "tests/fixtures/small_collection.h"
#include "tests/fuzz/input_folder.h"

namespace {

using namespace kindred;

/// The small collection, and copies of it with more and more other words.
std::vector<Record> with_copies() {
  std::vector<Record> copies;
  for (Record record : test::small_collection()) {
    for (const char* more : {"", " cat", " budget and cat"}) {
      record.id += "x";
      record.text += more;
      copies.push_back(record);
    }
  }
  return copies;
}

/// What is before the next 0 byte; it is taken from the front.
std::string read_text(std::string_view& input) {
  const std::size_t end = std::min(input.find('\0'), input.size());
  std::string text(input.substr(0, end));
  input.remove_prefix(std::min(end + 1, input.size()));
  return text;
}

RelatedRequest request_of(std::string_view input) {
  RelatedRequest request;
  request.fold = (test::take_byte(input) - 27) / 200.0;  // from below 0 to above 1
  request.limit = test::take_byte(input) % 40;
  request.like_top = test::take_byte(input) % 30;
  const unsigned least = test::take_byte(input);
  request.min_similarity = least % 64 / 100.0;
  request.feedback = least < 128;
  if (const unsigned docid = test::take_byte(input) % 32; docid > 0) request.like = {Docid{docid}};
  request.like_query = read_text(input);
  request.unlike_query = read_text(input);
  request.filter = std::string(input);
  return request;
}

void require(bool holds) {
  if (!holds) __builtin_trap();
}

/// What holds for every answer to the request.
void check(const RelatedRequest& request, const RelatedResult& answer) {
  std::set<Xapian::docid> seen;
  float before = 1;
  require(answer.results.size() <= static_cast<std::size_t>(request.limit));
  for (const api::RelatedDocument& result : answer.results) {
    require(result.similarity > 0 && result.similarity >= request.min_similarity);
    require(request.feedback || result.similarity == result.rank_score);
    require(result.rank_score <= before);
    before = result.rank_score;
    require(seen.insert(result.docid).second);
    require(result.folded.has_value() == (request.fold > 0));
    if (!result.folded) continue;
    float folded_before = result.similarity;
    for (const api::FoldedDocument& folded : *result.folded) {
      require(request.feedback || folded.similarity <= folded_before);
      require(seen.insert(folded.docid).second);
      folded_before = folded.similarity;
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const test::Collection collection(with_copies());
  static const Engine engine(collection.path, test::on_cpu(1));
  const RelatedRequest request =
      request_of(std::string_view(reinterpret_cast<const char*>(data), size));
  try {
    const RelatedResult answer = engine.related(request);
    check(request, answer);
    const Neighborhood numbers = engine.neighborhood(request);
    require(numbers.documents.size() == answer.results.size());
  } catch (const Error&) {
  }
  return 0;
}
