#include "tests/attack/living/living_answers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <iterator>
#include <set>
#include <sstream>

#include "config/error.h"
#include "tests/fixtures/related_to.h"

namespace kindred::attack {
namespace {

constexpr std::array kVotes = {"similarity", "majority", "best", "nearest", "centroid", "profile"};
constexpr double kTolerance = 1e-6;  // of a similarity in single precision, with room for its error

std::string bits(double number) {
  char text[40];
  std::snprintf(text, sizeof text, "%a", number);
  return text;
}

void write_tags(std::ostream& out, const char* name, const std::vector<Tag>& tags) {
  out << ' ' << name;
  for (const Tag& tag : tags) out << ' ' << tag.label << '=' << bits(tag.confidence);
}

Xapian::docid any_of(const Model& model, std::mt19937& draw) {
  return std::next(model.documents().begin(), draw() % model.documents().size())->first;
}

/// Asks one engine, and writes what it says.
class Questions {
 public:
  Questions(const Engine& engine, const Model& model, std::mt19937 draw)
      : engine_(engine), model_(model), draw_(draw) {}

  std::string ask();

 private:
  Example example();
  std::string filter();
  void line(const std::string& name, const std::function<void()>& answer);
  void status();
  void related(const Example& like, std::int64_t k, const std::string& filter);
  void neighborhood(const Example& like, const std::string& filter);
  void classify(const Example& example, const std::string& filter);
  void duplicates();
  void suspects();

  const Engine& engine_;
  const Model& model_;
  std::mt19937 draw_;
  std::ostringstream out_;
};

std::string Questions::ask() {
  status();
  const auto most = static_cast<std::int64_t>(model_.documents().size()) + 5;
  for (const std::int64_t k : {std::int64_t{1}, std::int64_t{10}, most}) {
    const Example like = example();
    related(like, k, "");
    related(like, k, filter());
    classify(like, draw_() % 3 == 0 ? filter() : "");
  }
  neighborhood(example(), draw_() % 2 == 0 ? filter() : "");
  if (draw_() % 12 == 0) duplicates();
  if (draw_() % 12 == 0) suspects();
  return out_.str();
}

/// A document by its docid or its id, one that was deleted, or features.
Example Questions::example() {
  const unsigned kind = static_cast<unsigned>(draw_() % 8);
  if (kind == 0 || model_.documents().empty()) {
    Record record;
    record.terms = random_document(draw_).record().terms;
    return record;
  }
  if (kind == 1 && !model_.deleted().empty())
    return Docid{*std::next(model_.deleted().begin(), draw_() % model_.deleted().size())};
  const Xapian::docid docid = any_of(model_, draw_);
  const ModelDocument& document = model_.documents().at(docid);
  if (kind < 4 && (document.id.empty() || model_.is_named(document)))
    return UniqueId{model_.shown_id(docid)};
  return Docid{docid};
}

std::string Questions::filter() {
  const auto label = [&] { return "label:k" + std::to_string(draw_() % 9); };
  const std::string first = label();
  return draw_() % 3 == 0 ? first + " OR predicted:k" + std::to_string(draw_() % 7) : first;
}

void Questions::line(const std::string& name, const std::function<void()>& answer) {
  out_ << name << ':';
  try {
    answer();
  } catch (const Error& e) {
    if (e.code() != Errc::kNotFound) throw;
    out_ << " not found";
  }
  out_ << '\n';
}

void Questions::status() {
  const api::StatusAnswer status = engine_.status();
  out_ << "status: " << status.documents << " documents, " << status.terms << " terms, "
       << status.nonzeros << " entries, " << status.labels << " labels, " << status.labeled
       << " labeled, revision " << status.revision << ", " << status.uuid << ", " << status.tagged
       << " tagged, " << status.pending << " pending, " << status.opted_out << " opted out, "
       << status.rejected << " rejected\nlabels:";
  for (const std::string& label : engine_.labels()) out_ << ' ' << label;
  out_ << '\n';
}

void Questions::related(const Example& like, std::int64_t k, const std::string& filter) {
  line("related " + std::to_string(k) + " [" + filter + "]", [&] {
    const RelatedResult answer = engine_.related(test::like({like}, k, filter));
    out_ << " revision " << answer.revision;
    for (const api::RelatedDocument& result : answer.results)
      out_ << "; " << result.docid << ' ' << result.id << ' ' << *result.title << ' '
           << bits(result.similarity);
  });
}

void Questions::neighborhood(const Example& like, const std::string& filter) {
  const RelatedRequest request = test::like({like}, 10, filter);
  line("neighborhood [" + filter + "]", [&] {
    for (const SimilarDocument& document : engine_.neighborhood(request).documents)
      out_ << "; " << document.docid << ' ' << bits(document.similarity);
  });
}

void Questions::classify(const Example& example, const std::string& filter) {
  ClassifyRequest request;
  request.filter = filter;
  request.scores = request.voters = true;
  if (draw_() % 2 == 0) request.vote = kVotes[draw_() % kVotes.size()];
  line("classify [" + filter + "] by " + request.vote.value_or("the settings"), [&] {
    const Classification answer = engine_.classify(example, request);
    write_tags(out_, "tags", answer.tags);
    write_tags(out_, "withheld", answer.withheld.value_or(std::vector<Tag>()));
    write_tags(out_, "scores", answer.scores);
    for (const api::Voter& voter : *answer.voters)
      out_ << "; " << voter.docid << ' ' << voter.id << ' ' << bits(voter.similarity);
  });
}

void Questions::duplicates() {
  DuplicatesRequest request;
  request.min_similarity = 0.8;
  const api::DuplicatesAnswer report = engine_.duplicates(request);
  out_ << "duplicates: " << report.examined << ' ' << report.found << ' ' << report.grouped;
  for (const api::DuplicateGroup& group : report.groups) {
    out_ << "; " << bits(group.least_similarity) << ' ' << bits(group.greatest_similarity);
    for (const api::Duplicate& document : group.documents)
      out_ << ' ' << document.docid << ' ' << document.id << ' ' << document.labels.size();
  }
  out_ << '\n';
}

void Questions::suspects() {
  line("suspects", [&] {
    const api::SuspectsAnswer report = engine_.suspects();
    for (const api::SuspectList* list : {&report.missing, &report.wrong})
      for (const api::Suspect& suspect : list->suspects) {
        const Tag rival = suspect.rival.value_or(Tag());
        out_ << "; " << suspect.docid << ' ' << suspect.label << ' ' << rival.label << ' '
             << bits(suspect.confidence) << ' ' << bits(rival.confidence);
      }
  });
}

void expect_count(const char* what, std::uint64_t count, std::uint64_t expected) {
  if (count == expected) return;
  throw WrongAnswer(std::to_string(count) + ' ' + what + ", where " + std::to_string(expected) +
                    " were written");
}

void expect_near(const std::string& what, double number, double expected) {
  if (std::abs(number - expected) < kTolerance) return;
  throw WrongAnswer(what + ": " + std::to_string(number) + ", where the model has " +
                    std::to_string(expected));
}

void expect_counts(const api::StatusAnswer& status, const Model& model) {
  std::set<std::string> terms, labels;
  std::uint64_t entries = 0, labeled = 0;
  for (const auto& [docid, document] : model.documents()) {
    for (const auto& [term, count] : document.terms) terms.insert(term);
    labels.insert(document.labels.begin(), document.labels.end());
    entries += document.terms.size();
    labeled += !document.labels.empty();
  }
  expect_count("documents", status.documents, model.documents().size());
  expect_count("terms", status.terms, terms.size());
  expect_count("entries", status.nonzeros, entries);
  expect_count("labels", status.labels, labels.size());
  expect_count("labeled documents", status.labeled, labeled);
}

}  // namespace

std::string answers_of(const Engine& engine, const Model& model, std::mt19937 draw) {
  return Questions(engine, model, draw).ask();
}

void expect_same_answers(const std::string& answers, const std::string& expected,
                         const std::string& of) {
  if (answers == expected) return;
  std::istringstream these(answers), those(expected);
  std::string line, other;
  while (std::getline(these, line) && std::getline(those, other))
    if (line != other) break;
  throw WrongAnswer(of + " answers\n  " + line +
                    "\nwhere one that is opened from nothing answers\n  " + other);
}

void expect_answers_of_model(const Engine& engine, const Model& model, bool is_plain,
                             std::mt19937 draw) {
  expect_counts(engine.status(), model);
  if (model.documents().empty() || !is_plain) return;
  const Xapian::docid docid = any_of(model, draw);
  const auto all = static_cast<std::int64_t>(model.documents().size());
  const auto results = engine.related(test::like({Docid{docid}}, all)).results;
  const auto expected = model.similar(docid);
  expect_count("related documents", results.size(), expected.size());
  for (const api::RelatedDocument& result : results) {
    const auto at = expected.find(result.docid);
    if (at == expected.end())
      throw WrongAnswer("document " + std::to_string(result.docid) + " shares no weight");
    expect_near("similarity of " + std::to_string(result.docid), result.similarity, at->second);
    if (result.id != model.shown_id(result.docid))
      throw WrongAnswer("document " + std::to_string(result.docid) + " has the id " + result.id);
  }
  ClassifyRequest vote;
  vote.vote = "similarity";
  vote.neighbors = all;
  vote.scores = true;
  const auto shares = model.shares(docid);
  const std::vector<Tag> scores = engine.classify(Docid{docid}, vote).scores;
  expect_count("labels with votes", scores.size(), shares.size());
  for (const Tag& tag : scores) {
    const auto at = shares.find(tag.label);
    expect_near("the share of " + tag.label, tag.confidence, at == shares.end() ? -1 : at->second);
  }
}

}  // namespace kindred::attack
