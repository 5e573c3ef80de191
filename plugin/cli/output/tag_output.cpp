#include "plugin/cli/output/tag_output.h"

#include <algorithm>
#include <cstddef>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/shown.h"
#include "plugin/cli/output/document_output.h"
#include "plugin/cli/output/json_output.h"
#include "plugin/cli/output/table.h"

namespace kindred::cli {
namespace {

Json change_json(const TagChange& change) {
  return {{"id", change.id},
          {"docid", change.docid},
          {"given", tags_json(change.given)},
          {"taken_off", change.taken_off}};
}

void print_change(const TagChange& change) {
  std::cout << "  " << shown(change.id) << ':';
  for (const Tag& tag : change.given) {
    std::cout << " +" << shown(tag.label) << ' ' << fixed(tag.confidence, 4);
  }
  for (const std::string& label : change.taken_off) std::cout << " -" << shown(label);
  std::cout << '\n';
}

void print_labels(std::string_view what, const std::vector<std::string>& labels) {
  if (labels.empty()) return;
  std::cout << "  " << what << ':';
  std::string_view separator = " ";
  for (const std::string& label : labels) {
    std::cout << separator << shown(label);
    separator = ", ";
  }
  std::cout << '\n';
}

Json report_json(const TagReport& report, bool dry_run, double seconds) {
  Json sample = Json::array();
  for (const TagChange& change : report.sample) sample.push_back(change_json(change));
  Json json = {{"revision", report.revision},   {"dry_run", dry_run},
               {"matched", report.matched},     {"continued", report.continued},
               {"examined", report.examined},   {"tagged", report.tagged},
               {"labeled", report.labeled},     {"opted_out", report.opted_out},
               {"gone", report.gone},           {"changed", report.changed},
               {"written", report.written},     {"given", report.given},
               {"taken_off", report.taken_off}, {"rejected", report.rejected},
               {"allowed", report.allowed},     {"seconds", seconds},
               {"sample", std::move(sample)}};
  return with_shards(std::move(json), report.shards);
}

/// In byte order.
std::vector<std::string> predicted_labels(const StoredDocument& document) {
  std::vector<std::string> labels;
  for (const Tag& tag : document.predicted) labels.push_back(tag.label);
  std::sort(labels.begin(), labels.end());
  return labels;
}

Json document_json(const StoredDocument& document) {
  return {{"id", document.id},
          {"labels", document.labels},
          {"predicted", predicted_labels(document)},
          {"rejected", document.rejected},
          {"auto_tag", document.auto_tag}};
}

constexpr std::size_t kVotersShown = 3;  // --json has all

}  // namespace

void print_report(const TagReport& report, bool dry_run, double seconds, bool json) {
  if (json) {
    print_json(report_json(report, dry_run, seconds));
    return;
  }
  if (report.matched == 0) {
    std::cout << "no document matches\n";
    return;
  }
  if (report.continued > 0) {
    std::cout << "went on after " << counted(report.continued, "document")
              << " of an interrupted run\n";
  }
  std::cout << (dry_run ? "would change " : "changed ") << report.changed << " of "
            << counted(report.examined, "document") << ": " << counted(report.given, "tag")
            << " given, " << report.taken_off << " taken off in " << fixed(seconds, 2) << " s\n"
            << report.tagged << " with predicted tags, " << report.labeled
            << " with tags from people, " << report.opted_out << " opted out\n";
  if (report.examined > 0 && report.labeled == report.examined) {
    std::cout << "all of these have tags from people; values that are none go into the setting "
                 "labels.system ('kindred status' shows what it found)\n";
  }
  if (report.rejected > 0) {
    std::cout << counted(report.rejected, "tag")
              << " found taken off by somebody; not to be given again\n";
  }
  if (report.allowed > 0) {
    std::cout << counted(report.allowed, "refused tag") << (dry_run ? " would be" : "")
              << " allowed again\n";
  }
  for (const TagChange& change : report.sample) print_change(change);
  if (report.changed > report.sample.size() && !report.sample.empty()) std::cout << "  [...]\n";
}

Json tags_json(const std::vector<Tag>& tags) {
  Json json = Json::array();
  for (const Tag& tag : tags)
    json.push_back({{"label", tag.label}, {"confidence", tag.confidence}});
  return json;
}

std::string labels_text(const std::vector<std::string>& labels) {
  std::string text;
  for (const std::string& label : labels) text += (text.empty() ? "" : ", ") + label;
  return text;
}

void print_tags(const StoredDocument& document, bool json) {
  if (json) {
    print_json(document_json(document));
    return;
  }
  std::cout << shown(document.id) << '\n';
  print_labels("from people", document.labels);
  print_labels("predicted", predicted_labels(document));
  print_labels("rejected", document.rejected);
  if (!document.auto_tag) std::cout << "  opted out\n";
}

Json reason_json(const TagReason& reason, const std::vector<Voter>& neighbors) {
  Json voters = Json::array();
  for (const TagVoter& voter : reason.voters)
    voters.push_back({{"id", neighbors[voter.neighbor].id}, {"share", voter.share}});
  Json terms = Json::array();
  for (const TermContribution& term : reason.terms)
    terms.push_back({{"term", term.term}, {"contribution", term.contribution}});
  return {{"voters", std::move(voters)}, {"terms", std::move(terms)}};
}

std::string reason_text(const TagReason& reason, const std::vector<Voter>& neighbors) {
  std::string text;
  for (std::size_t i = 0; i < std::min(kVotersShown, reason.voters.size()); ++i) {
    const TagVoter& voter = reason.voters[i];
    text += (i == 0 ? "" : ", ") + neighbors[voter.neighbor].id + " " + fixed(voter.share, 4);
  }
  text += "; terms";
  for (const TermContribution& term : reason.terms) text += " " + term.term;
  return text;
}

}  // namespace kindred::cli
