// kindred review: the tags of an index to look at first, for a mail or a feed.

#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "config/shown.h"
#include "plugin/cli/commands/commands.h"
#include "plugin/cli/output/output_file.h"
#include "plugin/cli/output/table.h"
#include "plugin/cli/output/terminal.h"
#include "plugin/cli/question.h"

namespace kindred::cli {
namespace {

constexpr const char* kReviewFooter = R"(
Examples:
  kindred review --db wiki.db
  kindred review --db wiki.db --limit 10 | mail -s 'Tags to look at' anna
  kindred review --db wiki.db --atom >/var/www/review.atom
Missing and wrong tags are those of 'kindred suspects'. A tag drifts if people refuse it more often
than before, by what 'kindred log' has. Copies are near-duplicates that people tagged differently.
Nothing is changed.)";

struct ReviewCommand : QuestionCommand {
  bool atom = false;
};

/// A line of the review: what is to be looked at, and of which document or tag.
struct Finding {
  std::string kind;   ///< "missing", "wrong", "drifting", "copies" or "spelling"
  std::string about;  ///< ids or labels, which tell it from others of its kind
  std::string title;
  std::string text;  ///< more, or ""
};

std::string label_of(const Json& label, const Json& answer) {
  return labels_text(Json::array({label}), answer);
}

std::string share_text(const Json& judged) {
  if (judged["right"].is_null()) return "none judged";
  return fixed(100 * judged["right"].get<double>(), 0) + " % of " +
         std::to_string(judged["accepted"].get<std::uint64_t>() +
                        judged["refused"].get<std::uint64_t>());
}

void add_suspects(const Json& answer, const char* kind, std::vector<Finding>& findings) {
  for (const Json& suspect : answer[kind]["suspects"]) {
    Finding finding{kind, name_of(suspect["id"]) + '\n' + name_of(suspect["label"]), {}, {}};
    const std::string label = label_text(suspect);
    finding.title = name_of(suspect["id"]) + ": ";
    if (suspect.contains("rival")) {
      finding.title += label + " looks wrong, rather " + label_text(suspect["rival"]);
    } else {
      finding.title += "lacks " + label + " (" +
                       fixed(100 * suspect["confidence"].get<double>(), 0) + " %), has " +
                       labels_text(suspect["labels"], answer);
    }
    finding.text = text_of(suspect["title"]);
    findings.push_back(std::move(finding));
  }
}

std::vector<Finding> findings_of(const Json& answer) {
  std::vector<Finding> findings;
  add_suspects(answer, "missing", findings);
  add_suspects(answer, "wrong", findings);

  for (const Json& label : answer["drifting"])
    findings.push_back({"drifting",
                        name_of(label["label"]),
                        label_text(label) + ": right " + share_text(label["latest"]) + ", before " +
                            share_text(label["before"]),
                        {}});

  for (const Json& copies : answer["copies"]) {
    Finding finding{"copies", {}, "differ in " + labels_text(copies["labels"], answer) + ":", {}};
    for (const Json& document : copies["documents"]) {
      finding.about += name_of(document["id"]) + '\n';
      finding.title += ' ' + name_of(document["id"]);
    }
    finding.text = text_of(copies["documents"][0]["title"]);
    findings.push_back(std::move(finding));
  }

  for (const Json& spelling : answer["spellings"]) {
    Finding finding{"spelling", {}, {}, {}};
    for (std::size_t i = 0; i < spelling["labels"].size(); ++i) {
      finding.about += name_of(spelling["labels"][i]) + '\n';
      append_item(finding.title, label_of(spelling["labels"][i], answer) + " (" +
                                     text_of(spelling["documents"][i]) + ")");
    }
    findings.push_back(std::move(finding));
  }
  return findings;
}

std::string summary_of(const Json& answer) {
  return "predicted tags that people judged right: " + share_text(answer["judged"]) +
         " in the last " + counted(answer["request"]["days"].get<std::uint64_t>(), "day") +
         ", before " + share_text(answer["judged_before"]) + "; labels given " +
         text_of(answer["given"]) + ", taken off " + text_of(answer["taken_off"]);
}

const char* heading_of(const std::string& kind) {
  if (kind == "missing") return "Missing tags";
  if (kind == "wrong") return "Tags that look wrong";
  if (kind == "drifting") return "Tags that are refused more often than before";
  if (kind == "copies") return "Copies with different tags";
  return "Tags that are perhaps one";
}

void print_text(const Json& answer) {
  std::string kind;
  for (const Finding& finding : findings_of(answer)) {
    if (finding.kind != kind)
      std::cout << (kind.empty() ? "" : "\n") << heading_of(finding.kind) << '\n';
    kind = finding.kind;
    std::cout << "  " << shown(finding.title) << '\n';
    if (!finding.text.empty()) std::cout << "    " << shown(finding.text) << '\n';
  }
  std::cout << (kind.empty() ? "nothing to look at\n" : "\n") << summary_of(answer) << '\n';
}

/// A part of an IRI that stands for any bytes.
std::string iri_part(const std::string& bytes) {
  constexpr const char* kDigits = "0123456789ABCDEF";
  std::string part;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (is_plain) {
      part += c;
    } else {
      part.append({'%', kDigits[byte / 16], kDigits[byte % 16]});
    }
  }
  return part;
}

/// A feed (RFC 4287). An entry has the same id as long as it is about the same, so that a reader
/// shows it once.
void print_atom(const Json& answer, const std::string& database) {
  const std::string time = text_of(answer["time"]);
  const auto id_of = [&](const std::string& about) {
    return "urn:kindred:" + iri_part(database) + ':' + iri_part(about);
  };
  const auto element = [](const char* name, const std::string& text) {
    return std::string("<") + name + ">" + escaped(text) + "</" + name + ">\n";
  };

  std::cout << "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
               "<feed xmlns=\"http://www.w3.org/2005/Atom\">\n"
            << element("id", id_of("")) << element("title", "Tags to look at: " + database)
            << element("updated", time) << "<author><name>Kindred</name></author>\n"
            << element("subtitle", summary_of(answer));
  for (const Finding& finding : findings_of(answer)) {
    std::cout << "<entry>\n"
              << element("id", id_of(finding.kind + '\n' + finding.about))
              << element("title", finding.title) << element("updated", time) << "<category term=\""
              << escaped(finding.kind) << "\"/>\n"
              << element("summary", std::string(heading_of(finding.kind)) +
                                        (finding.text.empty() ? "" : ": " + finding.text))
              << "</entry>\n";
  }
  std::cout << "</feed>\n";
}

void print_review(const Json& answer, const QuestionCommand& command) {
  if (static_cast<const ReviewCommand&>(command).atom) {
    print_atom(answer, command.database.database);
  } else {
    print_text(answer);
  }
}

}  // namespace

void add_review(CLI::App& program, Action& action) {
  auto options = std::make_shared<ReviewCommand>();
  CLI::App& command =
      add_question(program, action, "review", "review", "compared", print_review, options);
  options->database.needs_labels = true;
  add_keys(command, "review", options->request, {"limit", "query", "days", "min_similarity"});
  command.add_flag("--atom", options->atom, "Print an Atom feed, with an entry for each")
      ->excludes(command.get_option("--json"));
  command.footer(kReviewFooter + 1);
}

}  // namespace kindred::cli
