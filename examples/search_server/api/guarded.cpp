#include "api/guarded.h"

#include <xapian.h>

#include <utility>

#include "index/query.h"

namespace search_server {

Problem busy(const std::string& type, const std::string& detail) {
  Problem problem(503, type, detail);
  problem.with("Retry-After", "2");
  return problem;
}

Problem problem_of(const PluginError& error) {
  const std::string text = error.what();
  switch (error.code()) {
    case KINDRED_INVALID_ARGUMENT:
      return Problem(400, "refused", text);
    case KINDRED_NOT_FOUND:
      return Problem(404, "not-found", text);
    case KINDRED_UNSUPPORTED:
      return Problem(403, "unsupported", text);
    case KINDRED_CORRUPT:
      return busy("index-damaged", text);
    case KINDRED_OUT_OF_MEMORY:
      return busy("out-of-memory", text);
    case KINDRED_DEVICE:
      return busy("device-failed", text);
    case KINDRED_DATABASE:
      return busy("index-unavailable", text);
    case KINDRED_CANCELED:
      return busy("too-slow", "the answer took longer than a request may");
    default:
      return Problem(500, "internal", text);
  }
}

Handler guarded(Handler handler) {
  return [handler = std::move(handler)](const Request& request) {
    try {
      return handler(request);
    } catch (const PluginError& e) {
      throw problem_of(e);
    } catch (const QueryMistake& e) {
      throw Problem(400, "bad-query", e.what());
    } catch (const Xapian::Error& e) {
      throw busy("index-unavailable", e.get_description());
    }
  };
}

Jobs::Work guarded_work(Jobs::Work work) {
  return [work = std::move(work)](JobContext& context) {
    try {
      return work(context);
    } catch (const PluginError& e) {
      throw problem_of(e);
    }
  };
}

}  // namespace search_server
