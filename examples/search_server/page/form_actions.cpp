#include "page/form_actions.h"

#include "http/problem.h"
#include "page/pages.h"

namespace search_server {
namespace {

Json labels_of(const Parameters& form, std::string_view name) {
  Json labels = Json::array();
  for (const auto& [field, value] : form)
    if (field == name && !value.empty()) labels.push_back(value);
  return labels;
}

Json change_of(const Parameters& form) {
  Json change = Json::object();
  for (const char* doing : {"accept", "remove", "add"})
    if (Json labels = labels_of(form, doing); !labels.empty()) change[doing] = std::move(labels);
  if (const std::string other = first_value(form, "change"); !other.empty())
    change = {{"add", {other}}, {"remove", {first_value(form, "replace")}}};
  if (change.empty())
    throw Problem(400, "missing-field",
                  "The form names no tag; expected accept, remove, add or change.");
  return change;
}

}  // namespace

Response change_tags(const ApiCalls& api, const Request& request, PageContext context,
                     const Parameters& form) {
  const std::string back = local_target(first_value(form, "back"));
  if (!request.may_write) return see_other(Address("/session").with("next", back).text());
  const Address document = Address("/documents").below(first_value(form, "id"));
  try {
    api.post(document.below("tags"), change_of(form), first_value(form, "mark"));
  } catch (const Problem& problem) {
    if (problem.status() != 412) throw;
    context.target = back;
    return html_response(render_conflict(api.get(document), form, context), 412);
  }
  if (request.header("x-fragment") != "none") return see_other(back);
  Response response;
  response.status = 204;
  return response;
}

Response change_jobs(const ApiCalls& api, const Request& request, const Parameters& form) {
  const Address about("/about");
  if (!request.may_write) return see_other(Address("/session").with("next", about.text()).text());
  if (const std::string id = first_value(form, "cancel"); !id.empty()) {
    api.remove(Address("/jobs").below(id));
  } else {
    api.post(Address("/jobs").below(first_value(form, "start")), Json::object());
  }
  return see_other(about.text());
}

}  // namespace search_server
