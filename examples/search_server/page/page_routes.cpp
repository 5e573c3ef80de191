#include "page/page_routes.h"

#include <functional>
#include <utility>

#include "http/access.h"
#include "http/encoding.h"
#include "http/problem.h"
#include "page/api_calls.h"
#include "page/form_actions.h"
#include "page/frame/assets.h"
#include "page/html/parts.h"
#include "page/html/search_state.h"
#include "page/pages.h"

namespace search_server {
namespace {

constexpr const char* kFold = "0.95";         // related documents this similar are one
constexpr const char* kListed = "50";         // suspects, candidates
constexpr const char* kLeastSure = "0.2";     // candidates
constexpr std::size_t kTagsLimit = 64 << 10;  // of a form with tags, in bytes

using Render = std::function<std::string(const ApiCalls&, const PageContext&)>;

PageContext context_of(const Request& request, const PageOptions& options) {
  PageContext context;
  context.may_write = request.may_write;
  context.has_session =
      request.may_write && request.header("cookie").find(Access::kCookie) != std::string::npos;
  context.collection = options.collection;
  context.path = request.path;
  context.target = request.target;
  context.query = request.query;
  context.fragment = request.header("x-fragment") == "main";
  return context;
}

Response problem_page(const Problem& problem, const Request& request, const PageOptions& options) {
  Response response = problem.response(request.path, request.id);
  const Json members = Json::parse(response.body);
  response.type = "text/html; charset=utf-8";
  response.body = render_problem(members, context_of(request, options));
  return response;
}

std::string search_page(const ApiCalls& api, const PageContext& context) {
  const SearchState state(context.query);
  return render_search(api.get(state.question(kResultsOnPage, kFacetsOnPage)), context);
}

std::string document_page(const ApiCalls& api, const PageContext& context) {
  const std::string id = context.parameter("id");
  if (id.empty())
    throw Problem(400, "missing-parameter", "The address has no id; expected /document?id=...");
  const Address document = Address("/documents").below(id);
  const Json answer = api.get(document);
  const Json related = api.get_if_any(
      document.below("related").with("k", "12").with("fold", kFold).with("explain", "1"));
  const Json reasons = api.post_if_any(Address("/classify"), {{"id", id}});
  return render_document(answer, related, reasons, context);
}

std::string try_page(const ApiCalls& api, const PageContext& context, const std::string& text) {
  Trial trial{text, nullptr, nullptr};
  if (text.find_first_not_of(" \t\r\n") != std::string::npos) {
    trial.reasons = api.post(Address("/classify"), {{"text", text}});
    trial.related =
        api.post(Address("/related"), {{"like", {{{"text", text}}}}, {"k", 12}, {"explain", true}});
  }
  return render_try(trial, context);
}

std::string explore_page(const ApiCalls& api, const PageContext& context) {
  const SearchState state(context.query);
  const bool narrowed = !state.filters().empty() || !state.value("q").empty();
  const Json map = api.get_if_any(Address("/map"));
  const Json found = narrowed && map.is_object() ? api.get(state.question(10, 100)) : Json();
  return render_explore(map, found, context);
}

std::string label_page(const ApiCalls& api, const PageContext& context) {
  const std::string label = context.parameter("label");
  const Json labels = api.get(Address("/labels"));
  const Json candidates = label.empty() ? Json()
                                        : api.get(Address("/labels")
                                                      .below(label)
                                                      .below("candidates")
                                                      .with("limit", kListed)
                                                      .with("min_confidence", kLeastSure)
                                                      .with("predicted", "1")
                                                      .with("explain", "1"));
  return render_label(labels, candidates, context);
}

std::string copies_page(const ApiCalls& api, const PageContext& context) {
  Address address("/duplicates");
  if (const std::string threshold = context.parameter("threshold"); !threshold.empty())
    address = address.with("threshold", threshold);
  return render_copies(api.get(address), context);
}

std::string about_page(const ApiCalls& api, const PageContext& context) {
  return render_about(api.get(Address("/status")), api.get_if_any(Address("/jobs")), context);
}

Response asset_response(const Asset& asset) {
  Response response;
  response.type = asset.type;
  response.body = asset.text;
  response.headers = {{"Cache-Control", "public, max-age=31536000, immutable"},
                      {"ETag", '"' + std::string(asset.path.text().substr(8)) + '"'}};
  return response;
}

/// Adds the pages: what a handler throws as a Problem is shown to people.
class Pages {
 public:
  Pages(Router& router, PageOptions options) : router_(router), options_(std::move(options)) {}

  void show(const char* path, const Render& render) {
    router_.add("GET", path,
                guarded([=, this_options = options_, &router = router_](const Request& request) {
                  return html_response(
                      render(ApiCalls(router, request), context_of(request, this_options)));
                }));
  }

  void take(const char* path, std::size_t limit, Handler handler) {
    RouteOptions options;
    options.body_limit = limit;
    router_.add("POST", path, guarded(std::move(handler)), options);
  }

 private:
  Handler guarded(Handler handler) const {
    return [handler = std::move(handler), options = options_](const Request& request) {
      try {
        return handler(request);
      } catch (const Problem& problem) {
        return problem_page(problem, request, options);
      }
    };
  }

  Router& router_;
  PageOptions options_;
};

}  // namespace

void add_page_routes(Router& router, const PageOptions& options) {
  Pages pages(router, options);
  pages.show("/", search_page);
  pages.show("/document", document_page);
  pages.show("/try", [](const ApiCalls& api, const PageContext& context) {
    return try_page(api, context, context.parameter("text"));
  });
  pages.show("/explore", explore_page);
  pages.show("/review", [](const ApiCalls& api, const PageContext& context) {
    return render_review(api.get(Address("/suspects").with("limit", kListed)), context);
  });
  pages.show("/label", label_page);
  pages.show("/copies", copies_page);
  pages.show("/about", about_page);
  pages.show("/session", [](const ApiCalls&, const PageContext& context) {
    return render_sign_in(!context.parameter("failed").empty(), context);
  });
  pages.take("/try", options.text_limit, [&router, options](const Request& request) {
    const Parameters form = form_parameters(request, options.text_limit);
    return html_response(try_page(ApiCalls(router, request), context_of(request, options),
                                  first_value(form, "text")));
  });
  pages.take("/document/tags", kTagsLimit, [&router, options](const Request& request) {
    return change_tags(ApiCalls(router, request), request, context_of(request, options),
                       form_parameters(request, kTagsLimit));
  });
  pages.take("/about/jobs", kTagsLimit, [&router](const Request& request) {
    return change_jobs(ApiCalls(router, request), request, form_parameters(request, kTagsLimit));
  });
  for (const Asset& asset : all_assets())
    router.add("GET", std::string(asset.path.text()),
               [&asset](const Request&) { return asset_response(asset); });
}

}  // namespace search_server
