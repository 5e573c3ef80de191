#include "plugin/cli/pages/reports/reports.h"

#include <algorithm>
#include <cstddef>
#include <set>

#include "plugin/cli/output/json_output.h"
#include "plugin/cli/output/output_file.h"
#include "plugin/cli/output/table.h"
#include "plugin/cli/pages/reports/report_parts.h"
#include "suspects_page.h"

namespace kindred::cli {
namespace {

constexpr std::size_t kNearestShown = 3;  // neighbors that are not folded away
constexpr std::size_t kReasonsShown = 2;  // alike

/// A label that a suspect has, or that it may get.
struct LabelChoice {
  std::string label;
  std::string note;      ///< what speaks for it
  bool has = false;      ///< the suspect has it
  bool advised = false;  ///< it should have it, by the vote
};

std::string share_text(const Json& tag) { return fixed(tag["confidence"], 4) + " of the vote"; }

/// The labels that it has, then those that it would be given. Advised are all but the one that
/// looks wrong, and of the others the one that it lacks.
std::vector<LabelChoice> choices_of(const Json& suspect) {
  const bool is_wrong = suspect.contains("rival");
  const Json& lacking = is_wrong ? suspect["rival"] : suspect;
  std::vector<LabelChoice> choices;
  for (const Json& label : suspect["labels"]) {
    const bool is_doubted = is_wrong && label == suspect["label"];
    choices.push_back({name_of(label), is_doubted ? share_text(suspect) : "", true, !is_doubted});
  }
  choices.push_back({name_of(lacking["label"]), share_text(lacking), false, true});
  for (const Json& tag : suspect["proposed"]) {
    const std::string name = name_of(tag["label"]);
    const auto known = std::ranges::find(choices, name, &LabelChoice::label);
    if (known == choices.end()) choices.push_back({name, share_text(tag), false, false});
  }
  return choices;
}

std::string neighbor_rows(const Json& suspect, std::size_t begin, std::size_t end) {
  std::string html;
  for (std::size_t i = begin; i < end; ++i) {
    const Json& voter = suspect["neighbors"][i];
    const std::string id = name_of(voter["id"]), title = text_of(voter["title"]);
    html += row_html(title.empty() ? id : title, text_cell_html(joined(voter["labels"])) + "<td>" +
                                                     fixed(voter["similarity"], 4) + "</td>" +
                                                     text_cell_html(id));
  }
  return html;
}

std::string neighbors_html(const Json& suspect) {
  const std::vector<TableColumn> columns = {
      {"Neighbor"}, {"Labels", true}, {"Similarity"}, {"Id", true}};
  const std::size_t all = suspect["neighbors"].size(), shown = std::min(kNearestShown, all);
  std::string html = begin_table("Nearest neighbors", columns) + neighbor_rows(suspect, 0, shown);
  html.append(kEndTable);
  if (shown == all) return html;
  html += "<details><summary>" + counted(all - shown, "more neighbor") + "</summary>\n" +
          begin_table("Further neighbors", columns) + neighbor_rows(suspect, shown, all);
  return html.append(kEndTable) + "</details>\n";
}

std::string choices_html(const std::vector<LabelChoice>& choices) {
  std::string html = "<fieldset><legend>Labels; those that it has are checked</legend>\n";
  for (const LabelChoice& choice : choices) {
    html += std::string("<label class=\"choice\"><input type=\"checkbox\" autocomplete=\"off\"") +
            (choice.has ? " checked" : "") + "> " + escaped(choice.label);
    if (!choice.note.empty()) html += " <span class=\"soft\">" + choice.note + "</span>";
    html += "</label>\n";
  }
  return html + "</fieldset>\n";
}

std::string reason_rows(const Json& suspect, std::size_t begin, std::size_t end) {
  std::string html;
  for (std::size_t i = begin; i < end; ++i) {
    const Json& reason = suspect["reasons"][i];
    html += "<p class=\"soft\">" + escaped(name_of(reason["label"])) + " because of " +
            escaped(reason_text(reason)) + "</p>\n";
  }
  return html;
}

std::string reasons_html(const Json& suspect) {
  const std::size_t all = suspect["reasons"].size(), shown = std::min(kReasonsShown, all);
  std::string html = reason_rows(suspect, 0, shown);
  if (shown == all) return html;
  return html + "<details><summary>" + counted(all - shown, "more reason") + "</summary>\n" +
         reason_rows(suspect, shown, all) + "</details>\n";
}

std::string doubt_html(const Json& suspect) {
  if (!suspect.contains("rival"))
    return "<p>Lacks <b>" + escaped(name_of(suspect["label"])) + "</b> with " +
           share_text(suspect) + ".</p>\n";
  return "<p>Has <b>" + escaped(name_of(suspect["label"])) + "</b> with " + share_text(suspect) +
         ", but <b>" + escaped(name_of(suspect["rival"]["label"])) + "</b> gets " +
         fixed(suspect["rival"]["confidence"], 4) + ".</p>\n";
}

std::string suspect_html(const Json& suspect, std::size_t number) {
  const std::string id = name_of(suspect["id"]), title = text_of(suspect["title"]);
  std::string html = "<article tabindex=\"-1\">\n<h2>" + std::to_string(number) + ". " +
                     escaped(title.empty() ? id : title) + "</h2>\n<p class=\"soft\">" +
                     escaped(id) + "</p>\n" + doubt_html(suspect);
  html += choices_html(choices_of(suspect));
  html += reasons_html(suspect) + neighbors_html(suspect);
  return html +
         "<p class=\"bar-of-work\"><label><input type=\"checkbox\" class=\"seen\" "
         "autocomplete=\"off\"> seen</label> <button type=\"button\" class=\"advice\" hidden>"
         "Take the advice</button></p>\n</article>\n";
}

/// Ids and labels as the index has them, for the script of the page.
Json page_data(const Json& suspects) {
  Json list = Json::array();
  for (const Json& suspect : suspects) {
    Json labels = Json::array(), advised = Json::array();
    for (const LabelChoice& choice : choices_of(suspect)) {
      labels.push_back(choice.label);
      advised.push_back(choice.advised);
    }
    list.push_back({{"id", name_of(suspect["id"])},
                    {"labels", std::move(labels)},
                    {"advised", std::move(advised)}});
  }
  return list;
}

/// JSON that may stand in a script element: "</" would end it, "<!--" comment it out.
std::string script_json(const Json& json) {
  std::string text;
  for (const char c : json_line(json)) {
    if (c == '<') {
      text += "\\u003c";
    } else {
      text += c;
    }
  }
  return text;
}

/// A word of a shell command.
std::string shell_word(const std::string& text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

std::string how_to_apply(const std::string& database) {
  return "<h2>Apply the corrections</h2>\n<p>Each line is a document and the labels that it should "
         "have. Save them as <code>corrections.jsonl</code>. For a database that was made of a "
         "JSON Lines file, here <code>collection.jsonl</code>:</p>\n"
         "<textarea id=\"lines\" rows=\"6\" readonly hidden "
         "aria-label=\"Corrections\"></textarea>\n"
         "<pre tabindex=\"0\">jq -c --slurpfile fixed corrections.jsonl '(.id | tostring) as $id "
         "|\n"
         "  . + first(($fixed[] | select(.id == $id) | {labels}), {})' collection.jsonl "
         "&gt;corrected.jsonl\nkindred index --db " +
         escaped(shell_word(database)) + " corrected.jsonl</pre>\n";
}

/// A document once: first what looks wrong.
Json documents_of(const Json& answer) {
  std::set<std::string> known;
  Json list = Json::array();
  for (const char* key : {"wrong", "missing"})
    for (const Json& suspect : answer[key]["suspects"])
      if (known.insert(name_of(suspect["id"])).second) list.push_back(suspect);
  return list;
}

}  // namespace

void write_suspects_report(const std::string& path, const std::string& database,
                           const Json& answer) {
  const Json suspects = documents_of(answer);
  std::string html(suspects_page::kHead);
  html += begin_report("Kindred suspects", database + ": " + counted(suspects.size(), "document") +
                                               " whose neighbors have other labels");
  html +=
      "<p id=\"progress\" class=\"bar-of-work\" role=\"status\" hidden></p>\n"
      "<p id=\"keys\" class=\"soft\" hidden>Keys: <kbd>j</kbd> next, <kbd>k</kbd> previous, "
      "<kbd>a</kbd> take the advice, <kbd>s</kbd> seen. The address of the page keeps what you "
      "have done: bookmark it, or send it to somebody who has the page.</p>\n";
  for (std::size_t i = 0; i < suspects.size(); ++i) html += suspect_html(suspects[i], i + 1);
  html += suspects.empty() ? "<p>No document's labels are in doubt.</p>\n" : how_to_apply(database);
  html += "</main>\n<script id=\"data\" type=\"application/json\">" +
          script_json(page_data(suspects)) + "</script>\n";
  write_output_file(path, html.append(suspects_page::kTail));
}

}  // namespace kindred::cli
