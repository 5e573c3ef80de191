#include "http/exchange.h"

#include <microhttpd.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "http/log.h"
#include "http/problem.h"

namespace search_server {
namespace {

/// A handler starts, and the connection is suspended, when so much of a body waits to be read.
constexpr std::size_t kWindow = 64 << 10;
/// Of a body that nobody wants so much is taken, or all that the route allows, so that its client
/// reads the answer.
constexpr std::size_t kMostDiscarded = 1 << 20;

const Problem& too_busy() {
  static const Problem kProblem =
      Problem(503, "too-busy", "Too many requests wait for an answer. Try again later.")
          .with("Retry-After", "1");
  return kProblem;
}

Problem wrong_method(const std::vector<std::string>& allowed, const std::string& method) {
  std::string methods;
  for (const std::string& one : allowed) {
    methods += (methods.empty() ? "" : ", ") + one + (one == "GET" ? ", HEAD" : "");
  }
  return Problem(405, "method-not-allowed",
                 "The method is " + method + ", but must be one of " + methods + ".")
      .with("Allow", methods);
}

Problem unexpected(const std::string& request_id, const char* what) {
  log_event(LogLevel::kError, "handler-failed", {{"request_id", request_id}, {"what", what}});
  return Problem(500, "internal-error", "The server failed; its log says more by this request_id.");
}

}  // namespace

Exchange::Exchange(ServerParts& parts, MHD_Connection* connection, std::string target)
    : parts_(parts), connection_(connection) {
  head_.request.target = std::move(target);
}

Exchange::~Exchange() = default;

Connection* Exchange::connection_record() const {
  const auto* info = MHD_get_connection_info(connection_, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return static_cast<Connection*>(info->socket_context);
}

std::chrono::milliseconds Exchange::time_for(std::chrono::milliseconds time,
                                             std::size_t bytes) const {
  return time + std::chrono::milliseconds(bytes * 1000 / parts_.times.slowest);
}

void Exchange::find_route() {
  Request& request = head_.request;
  request.deadline = began_ + parts_.times.request;
  Router::Match match = parts_.router.match(request.method, head_.raw_path);
  if (match.route == nullptr && match.allowed.empty()) {
    throw Problem(404, "no-such-page", "There is nothing at " + request.path + ".");
  }
  if (match.route == nullptr) throw wrong_method(match.allowed, request.method);
  route_ = match.route;
  request.captures = std::move(match.captures);
  request.may_write = parts_.access.may_write(request);
  parts_.access.check(request, *route_);
  body_limit_ = route_->options.body_limit;
  if (head_.chunked ? body_limit_ == 0 : head_.content_length > body_limit_) {
    throw body_too_large(body_limit_);
  }
  if (body_limit_ > 0 && !route_->options.body_optional && !head_.chunked &&
      request.header("content-length").empty()) {
    throw Problem(411, "length-required", "The request needs a Content-Length.");
  }
  request.set_body(this);
}

bool Exchange::on_head(const std::string& method) {
  std::unique_lock lock(mutex_);
  connection_record()->expect_progress(parts_.times.body);
  try {
    read_head(connection_, method, std::move(head_.request.target), parts_.head, head_);
    find_route();
  } catch (const Problem& problem) {
    refuse(problem);
  } catch (const std::exception& error) {
    refuse(unexpected(head_.request.id, error.what()));
  }
  if (!head_.has_body) {
    body_ = Body::kEnded;
    return true;
  }
  body_ = answer_ ? Body::kDiscarded : Body::kArriving;
  const bool at_once = head_.must_close || head_.expects_continue || parts_.aborting ||
                       head_.content_length > kMostDiscarded;
  return answer_ && at_once ? send(lock) : true;
}

bool Exchange::on_data(const char* data, std::size_t& size) {
  std::unique_lock lock(mutex_);
  if (parts_.aborting) return false;
  if (body_ == Body::kArriving && !started_ && arrived_.size() >= kWindow) start(lock);
  // 0.9.75 drops a client that has closed its side if it sees that with the end of a body in its
  // own buffer, as it would after a suspension. So the end is always taken.
  const bool is_end = !head_.chunked && head_.content_length - received_ <= kWindow;
  if (body_ == Body::kArriving && arrived_.size() >= kWindow && !is_end) return suspend();
  received_ += size;
  connection_record()->expect_progress(time_for(parts_.times.body, 0));
  if (body_ == Body::kArriving && received_ > body_limit_) {
    too_large_ = true;
    body_ = Body::kDiscarded;
    if (!started_) refuse(body_too_large(body_limit_));
  }
  if (body_ == Body::kArriving) {
    arrived_.append(data, size);
  } else {
    discarded_ += size;
  }
  size = 0;
  changed_.notify_all();
  // While a handler reads, it is read() that tells whether the client is too slow.
  const bool is_read = started_ && body_ == Body::kArriving;
  const bool slow = Clock::now() - began_ > time_for(parts_.times.body, received_);
  const bool too_much = discarded_ > kMostDiscarded && received_ > body_limit_;
  return !too_much && (is_read || !slow);
}

bool Exchange::on_end() {
  std::unique_lock lock(mutex_);
  body_ = Body::kEnded;
  changed_.notify_all();
  connection_record()->expect_nothing();
  if (!answer_ && !started_) start(lock);
  if (answer_) return send(lock);
  if (parts_.aborting) return false;
  // Asked again, 0.9.75 has stopped to listen to the client. Else it would do so after the
  // suspension, and drop a client that has closed its side.
  const bool first = !std::exchange(ended_before_, true);
  return first || suspend();
}

void Exchange::start(std::unique_lock<std::mutex>& lock) {
  started_ = true;
  if (route_->options.unpooled) {
    lock.unlock();
    handle();
    lock.lock();
  } else if (!parts_.pool.submit([self = shared_from_this()] { self->handle(); })) {
    refuse(too_busy());
  }
}

void Exchange::refuse(const Problem& problem) {
  Response response = problem.response(head_.request.target, head_.request.id);
  if (head_.must_close) response.headers.emplace_back("Connection", "close");
  status_ = response.status;
  sent_bytes_ = response.body.size();
  answer_ = make_answer(head_.request, response);
  if (body_ == Body::kArriving) body_ = Body::kDiscarded;
  arrived_.clear();
}

void Exchange::handle() {
  {
    const std::lock_guard lock(mutex_);
    if (gone_) return;
  }
  try {
    Response response = answer();
    answer_not_modified(head_.request, response);
    if (parts_.draining) response.headers.emplace_back("Connection", "close");
    complete(std::move(response));
  } catch (const std::exception& error) {
    log_event(LogLevel::kError, "answer-failed",
              {{"request_id", head_.request.id}, {"what", error.what()}});
    const std::lock_guard lock(mutex_);
    gone_ = true;
    resume();
  }
}

Response Exchange::answer() const {
  const Request& request = head_.request;
  const auto told = [&](const Problem& problem) {
    return problem.response(request.target, request.id);
  };
  try {
    if (Clock::now() > request.deadline) throw too_busy();
    return route_->handler(request);
  } catch (const Problem& problem) {
    return told(problem);
  } catch (const ClientGone&) {
    return told(Problem(408, "client-gone", "The request did not arrive in time."));
  } catch (const std::exception& error) {
    return told(unexpected(request.id, error.what()));
  } catch (...) {
    return told(unexpected(request.id, "an exception that is no std::exception"));
  }
}

void Exchange::complete(Response response) {
  if (head_.is_head) response.stream.reset();
  const bool streams = response.stream != nullptr;
  const int status = response.status;
  const std::size_t bytes = response.body.size();
  ResponsePointer answer = streams ? make_streamed(response) : make_answer(head_.request, response);
  const std::lock_guard lock(mutex_);
  if (gone_) return;  // an answer with a stream owns this exchange, which is not to own it then
  stream_ = std::move(response.stream);
  status_ = status;
  sent_bytes_ = bytes;
  answer_ = std::move(answer);
  if (body_ == Body::kArriving) body_ = Body::kDiscarded;
  arrived_.clear();
  resume();
}

bool Exchange::send(std::unique_lock<std::mutex>& lock) {
  if (sent_) return true;
  sent_ = true;
  connection_record()->expect_progress(time_for(parts_.times.send, sent_bytes_));
  MHD_Response* const answer = answer_.get();  // which lives until on_closed()
  const auto status = static_cast<unsigned>(status_);
  // libmicrohttpd locks the answer, also when it calls take_streamed(), which locks mutex_.
  lock.unlock();
  return MHD_queue_response(connection_, status, answer) == MHD_YES;
}

bool Exchange::suspend() {
  if (gone_) return false;  // the answer could not be made
  connection_record()->expect_nothing();
  suspended_ = true;
  MHD_suspend_connection(connection_);
  return true;
}

void Exchange::resume() {
  if (!suspended_) return;
  suspended_ = false;
  MHD_resume_connection(connection_);
}

void Exchange::abort() {
  const std::lock_guard lock(mutex_);
  changed_.notify_all();
  resume();
}

bool Exchange::read(std::string& to) {
  std::unique_lock lock(mutex_);
  const auto arrived = [this] {
    return !arrived_.empty() || body_ != Body::kArriving || gone_ || parts_.aborting;
  };
  const Clock::time_point waits_from = Clock::now();
  const bool in_time = changed_.wait_for(lock, parts_.times.body, arrived);
  waited_ += Clock::now() - waits_from;
  const bool slow = !in_time || waited_ > time_for(parts_.times.body, received_);
  if (too_large_) throw body_too_large(body_limit_);
  if (slow && body_ == Body::kArriving && !gone_ && !parts_.aborting) {
    throw Problem(408, "body-too-slow", "The body did not arrive in time.");
  }
  if (!arrived_.empty()) {
    to.append(arrived_);
    arrived_.clear();
    head_.request.deadline = Clock::now() + parts_.times.request;
    resume();
    return true;
  }
  if (gone_ || parts_.aborting) throw ClientGone();
  return false;
}

void Exchange::on_closed(bool completed) {
  std::unique_lock lock(mutex_);
  connection_record()->expect_request(parts_.times.head);
  gone_ = true;
  suspended_ = false;
  changed_.notify_all();
  std::unique_ptr<BodyStream> ended;
  if (!fetching_) ended = std::move(stream_);
  const ResponsePointer sent = std::move(answer_);
  log(completed);
  lock.unlock();
  ended.reset();
}

void Exchange::log(bool completed) const {
  const double seconds = std::chrono::duration<double>(Clock::now() - began_).count();
  const Request& request = head_.request;
  // The handler of a client that left may still run, and own the times.
  const bool owned = sent_ || !started_;
  parts_.metrics.count(route_, status_, seconds, owned ? request.timings : Timings{});
  if (!logs(LogLevel::kInfo)) return;
  nlohmann::ordered_json fields = {{"request_id", request.id},
                                   {"method", head_.is_head ? "HEAD" : request.method},
                                   {"route", route_ == nullptr ? "none" : route_->pattern},
                                   {"status", status_},
                                   {"ms", std::round(seconds * 1e6) / 1e3},
                                   {"bytes", sent_bytes_}};
  if (!completed) fields["aborted"] = true;
  if (logs(LogLevel::kDebug)) fields["target"] = request.target;
  log_event(LogLevel::kInfo, "request", fields);
}

}  // namespace search_server
