#include "plugin/cli/output/json_output.h"

#include <algorithm>
#include <iostream>
#include <limits>

#include "config/shown.h"
#include "plugin/cli/output/table.h"

namespace kindred::cli {

void print_json(const Json& json) { std::cout << json_line(json) << '\n'; }

std::string name_of(const Json& name) { return read_name(name.get<std::string>()); }

std::string text_of(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.dump();
}

std::string grouped_title(const Json& document) {
  const std::string title = text_of(document["title"]);
  const Json count = document.value("group_count", Json(0));
  if (count == 0) return title;
  return title + (title.empty() ? "" : " ") + "(and " + count.dump() + " of its group)";
}

std::string joined(const Json& names, const char* separator) {
  std::string text;
  for (const Json& name : names) append_item(text, name_of(name), separator);
  return text;
}

std::string label_text(const Json& labeled, const char* key) {
  const std::string label = name_of(labeled[key]);
  const std::string name_key = key == std::string("label") ? "name" : key + std::string("_name");
  if (!labeled.contains(name_key)) return label;
  return text_of(labeled[name_key]) + " (" + label + ")";
}

std::string labels_text(const Json& labels, const Json& answer) {
  const auto names = answer.find("names");
  std::string text;
  for (const Json& label : labels) {
    const auto found = names == answer.end() ? Json::const_iterator()
                                             : names->find(label.get_ref<const std::string&>());
    const bool is_named = names != answer.end() && found != names->end();
    append_item(text, is_named ? text_of(*found) : name_of(label));
  }
  return text;
}

double number_of(const Json& value) {
  if (value.is_null()) return std::numeric_limits<double>::quiet_NaN();
  return value.get<double>();
}

std::string fixed(const Json& number, int decimals) {
  return kindred::fixed(number_of(number), decimals);
}

std::string reason_text(const Json& reason) {
  constexpr std::size_t kShown = 3;

  const Json& voters = reason["voters"];
  if (voters.empty() && reason["terms"].empty())
    return "because it is like all documents of the tag, none of which is near";

  // The words that tell, then the documents that have given their vote.
  std::string words;
  for (const Json& term : reason["terms"]) append_item(words, text_of(term["word"]));
  if (voters.empty()) return "by its name: " + words;

  std::string votes;
  for (std::size_t i = 0; i < std::min(kShown, voters.size()); ++i)
    append_item(votes, name_of(voters[i]["id"]) + " " + percent(number_of(voters[i]["share"])));

  if (words.empty()) return "votes: " + votes;
  return "because of " + words + "; votes: " + votes;
}

std::string method_text(const Json& method) {
  std::string text = method["vote"].get<std::string>();
  if (method["linear"].get<bool>()) text += " + linear";
  return text + ", " + method["neighbors"].dump() + " neighbors";
}

std::string expectation_text(const Json& tuned) {
  const auto whole = [](const Json& share) {
    return fixed(100 * share.get<double>(), 0);
  };
  if (!tuned.contains("expected_at_most"))
    return "what to expect of later documents is not measured: no label has a second document";

  const std::string least = whole(tuned["expected_accuracy"]);
  const std::string most = whole(tuned["expected_at_most"]);
  std::string range = most;
  if (least != most) range = least + " to " + most;
  return "expect the best tag of " + range + " % of later documents to be right";
}

}  // namespace kindred::cli
