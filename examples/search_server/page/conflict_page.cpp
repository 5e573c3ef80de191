#include <algorithm>
#include <iterator>
#include <set>
#include <vector>

#include "page/frame/frame.h"
#include "page/html/parts.h"
#include "page/lists/tag_chips.h"
#include "page/lists/tag_form.h"
#include "page/pages.h"

namespace search_server {
namespace {

using Labels = std::set<std::string>;

std::vector<std::string> only_in(const Labels& these, const Labels& others) {
  std::vector<std::string> only;
  std::set_difference(these.begin(), these.end(), others.begin(), others.end(),
                      std::back_inserter(only));
  return only;
}

Html change_line(std::string_view said, const std::vector<std::string>& labels) {
  if (labels.empty()) return {};
  Html names;
  for (const std::string& label : labels) {
    if (!names.empty()) names += ", ";
    names += el("strong", {}, {isolated(label)});
  }
  return el("li", {}, {said, names});
}

/// What is different from the tags that the form had.
Html changes(const Json& document, const Json& shown) {
  if (!shown.is_object()) return {};
  const Labels had = labels_in(list_of(shown, "labels"));
  const Labels has = labels_in(list_of(document, "labels"));
  Html lines = change_line("Given by people since: ", only_in(has, had));
  lines += change_line("Taken off by people since: ", only_in(had, has));
  if (shown.contains("predicted")) {
    const Labels guessed = labels_in(list_of(shown, "predicted"));
    const Labels guesses = labels_in(list_of(document, "predicted"));
    lines += change_line("Predicted since: ", only_in(guesses, guessed));
    lines += change_line("No longer predicted: ", only_in(guessed, guesses));
  }
  return lines.empty() ? Html() : el("ul", {{"class", "since"}}, {lines});
}

bool is_decision(const std::string& field) {
  return field == "accept" || field == "add" || field == "remove" || field == "change";
}

/// What was asked for, once more, for the tags as they are now.
Html once_more(const Json& document, const Parameters& form, const PageContext& context) {
  Html fields = tag_form_fields(document, context);
  Html doing;
  for (const auto& [name, value] : form) {
    if (value.empty() || (!is_decision(name) && name != "replace")) continue;
    fields += hidden(name, value);
    if (!is_decision(name)) continue;
    if (!doing.empty()) doing += ", ";
    doing += name == "remove" ? "remove " : name == "change" ? "change to " : "accept ";
    doing += isolated(value);
  }
  return el("form", {{"method", "post"}, action(Address("/document/tags")), {"class", "row"}},
            {fields, el("button", {{"class", "main-button"}}, {"All the same: ", doing})});
}

}  // namespace

std::string render_conflict(const Json& document, const Parameters& form,
                            const PageContext& context) {
  const Json shown = Json::parse(first_value(form, "shown"), nullptr, false);
  View view;
  view.title = "The tags have changed meanwhile";
  view.said = view.title + ". Nothing was done.";
  view.main += el("h1", {}, {view.title});
  view.main += el("p", {{"class", "lead"}},
                  {"Nothing was done, as the tags of this document are not those any more that you "
                   "saw when you decided."});
  view.main +=
      el("section", {{"class", "document-tags conflict"}, {"data-item", text_of(document, "id")}},
         {el("h2", {}, {title_link(document)}), changes(document, shown),
          el("p", {{"class", "soft"}}, {"The tags as they are now:"}), tag_chips(document, context),
          once_more(document, form, context)});
  return framed(view, context);
}

}  // namespace search_server
