#include <microhttpd.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "http/exchange.h"
#include "http/log.h"
#include "nlohmann/json.hpp"

namespace search_server {
namespace {

constexpr std::size_t kBlock = 16 << 10;
/// A stream without bytes is asked again after so long, and has so long to find some.
constexpr std::chrono::milliseconds kPause{100};
constexpr std::chrono::milliseconds kWait{5};

}  // namespace

ResponsePointer Exchange::make_streamed(Response& response) {
  auto self = std::make_unique<std::shared_ptr<Exchange>>(shared_from_this());
  ResponsePointer answer(MHD_create_response_from_callback(
      MHD_SIZE_UNKNOWN, kBlock, &Exchange::read_stream, self.get(),
      [](void* cls) { delete static_cast<std::shared_ptr<Exchange>*>(cls); }));
  if (!answer) throw std::bad_alloc();
  self.release();
  add_headers(answer.get(), head_.request, response);
  return answer;
}

ssize_t Exchange::read_stream(void* cls, std::uint64_t, char* to, std::size_t most) {
  const std::shared_ptr<Exchange> self = *static_cast<std::shared_ptr<Exchange>*>(cls);
  return self->take_streamed(to, most);
}

ssize_t Exchange::take_streamed(char* to, std::size_t most) {
  const std::lock_guard lock(mutex_);
  if (streamed_.empty() && (stream_failed_ || parts_.aborting)) {
    return MHD_CONTENT_READER_END_WITH_ERROR;
  }
  if (streamed_.empty() && stream_ended_) return MHD_CONTENT_READER_END_OF_STREAM;
  const std::size_t size = std::min(most, streamed_.size());
  std::memcpy(to, streamed_.data(), size);
  streamed_.erase(0, size);
  sent_bytes_ += size;
  if (size > 0) connection_record()->expect_progress(time_for(parts_.times.send, size));
  if (streamed_.empty() && !stream_ended_ && !fetching_) fetch_later({});
  if (size == 0) suspend();
  return static_cast<ssize_t>(size);
}

void Exchange::fetch_later(std::chrono::milliseconds delay) {
  fetching_ = true;
  parts_.pool.submit_after(delay, [self = shared_from_this()] { self->fetch(); });
}

void Exchange::fetch() {
  std::optional<std::string> bytes;
  bool failed = false;
  try {
    bytes = stream_->next(kWait);
  } catch (const std::exception& error) {
    failed = true;
    log_event(LogLevel::kError, "stream-failed",
              {{"request_id", head_.request.id}, {"what", error.what()}});
  } catch (...) {
    failed = true;
    log_event(LogLevel::kError, "stream-failed", {{"request_id", head_.request.id}});
  }
  std::unique_ptr<BodyStream> ended;
  const std::lock_guard lock(mutex_);
  fetching_ = false;
  const bool idle = bytes && bytes->empty();
  if (gone_ || parts_.aborting) {
    ended = std::move(stream_);
  } else if (idle && !(parts_.draining && stream_->is_endless())) {
    fetch_later(kPause);
    return;
  } else if (bytes && !idle) {
    streamed_ = std::move(*bytes);
  } else {
    stream_ended_ = true;
    stream_failed_ = failed;
    ended = std::move(stream_);
  }
  resume();
}

}  // namespace search_server
