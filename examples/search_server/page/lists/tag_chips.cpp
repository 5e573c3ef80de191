#include "page/lists/tag_chips.h"

#include "page/html/parts.h"
#include "page/lists/tag_form.h"

namespace search_server {
namespace {

Address documents_with(std::string_view kind, std::string_view label) {
  return Address("/").with(kind, label);
}

/// A button of the form around it that says what is done to which label.
Html tag_button(std::string_view doing, std::string_view sign, std::string_view label) {
  const std::string said = (doing == "accept" ? "Accept tag " : "Remove tag ") + std::string(label);
  return el(
      "button",
      {{"class", doing}, {"name", doing}, {"value", label}, {"aria-label", said}, {"title", said}},
      {el("span", {{"aria-hidden", "true"}}, {sign})});
}

Html chip_buttons(const Html& buttons) {
  return el("span", {{"class", "chip-buttons"}}, {buttons});
}

Html label_link(std::string_view kind, std::string_view label) {
  return el("a", {link(documents_with(kind, label))}, {isolated(label)});
}

Html person_chip(std::string_view label, bool may_write) {
  return el("li", {{"class", "chip person"}},
            {unseen("Given by people: "), label_link("label", label),
             may_write ? chip_buttons(tag_button("remove", "\u00d7", label)) : Html()});
}

Html guess_chip(std::string_view label, double confidence, bool may_write) {
  Html buttons;
  if (may_write) {
    buttons += tag_button("accept", "\u2713", label);
    buttons += tag_button("remove", "\u00d7", label);
    buttons = chip_buttons(buttons);
  }
  return el("li", {{"class", "chip guess"}},
            {unseen("Predicted: "), label_link("predicted", label),
             el("span", {{"class", "figure"}}, {percent(confidence)}), bar(confidence), buttons});
}

}  // namespace

Html label_chip(std::string_view label) {
  return el("span", {{"class", "chip person"}}, {label_link("label", label)});
}

Html label_chips(const Json& labels) {
  Html chips;
  for (const Json& label : labels)
    if (label.is_string()) chips += label_chip(label.get<std::string>());
  return chips;
}

Html predicted_chip(std::string_view label, double confidence) {
  return el("span", {{"class", "chip guess"}},
            {label_link("predicted", label),
             el("span", {{"class", "figure"}}, {percent(confidence)}), bar(confidence)});
}

Html tag_chips(const Json& document, const PageContext& context) {
  const Json& labels = list_of(document, "labels");
  const Json& predicted = list_of(document, "predicted");
  if (labels.empty() && predicted.empty()) return el("p", {{"class", "soft no-tags"}}, {"No tags"});
  Html chips;
  for (const Json& label : labels)
    if (label.is_string()) chips += person_chip(label.get<std::string>(), context.may_write);
  for (const Json& tag : predicted)
    chips += guess_chip(text_of(tag, "label"), number_of(tag, "confidence"), context.may_write);
  Html list = el("ul", {{"class", "chips"}}, {chips});
  if (!context.may_write) return list;
  return el("form", {{"method", "post"}, action(Address("/document/tags")), {"class", "tags"}},
            {tag_form_fields(document, context), list});
}

Html add_tag_form(const Json& document, const Json& classification, const PageContext& context) {
  if (!context.may_write) return {};
  Html suggested;
  for (const char* list : {"tags", "near_misses"})
    for (const Json& tag : list_of(classification, list))
      suggested += el("option", {{"value", text_of(tag, "label")}});
  return el(
      "form", {{"method", "post"}, action(Address("/document/tags")), {"class", "row"}},
      {tag_form_fields(document, context),
       el("label", {{"class", "grow"}},
          {el("span", {{"class", "soft"}}, {"Add a tag"}), el("input", {{"name", "add"},
                                                                        {"required", true},
                                                                        {"autocomplete", "off"},
                                                                        {"maxlength", "200"},
                                                                        {"list", "suggested"}})}),
       el("button", {}, {"Add"}), el("datalist", {{"id", "suggested"}}, {suggested})});
}

}  // namespace search_server
