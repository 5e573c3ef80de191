// The HTTP face of the search server: any bytes get answers or are cut off, none hangs, and none is
// the server's fault. The first byte of an input says in which pieces the others arrive.
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "http/access.h"
#include "http/log.h"
#include "http/server.h"
#include "tests/search_server/probe_routes.h"

namespace {

using namespace search_server;

constexpr int kPatienceMs = 15'000;

struct Served {
  Access access{{probe::kToken, {}}};
  Router router;
  HttpServer server;

  Served() : server(with_routes(), access, probe::settings()) {}

 private:
  const Router& with_routes() {
    probe::add_routes(router, 0);
    add_metrics_route(router);
    access.add_routes(router);
    return router;
  }
};

[[noreturn]] void give_up(const char* why) {
  std::fprintf(stderr, "%s\n", why);
  std::abort();
}

/// Waits for `events` or the end of a connection. Signals of the fuzzer interrupt a wait.
short wait_for(int socket, short events) {
  pollfd ready{socket, events, 0};
  int count = 0;
  do {
    count = poll(&ready, 1, kPatienceMs);
  } while (count < 0 && errno == EINTR);
  if (count != 1) give_up("the server hangs");
  return ready.revents;
}

/// Takes what is there, or waits for it. False at the end.
bool receive(int socket, std::string& to, int flags) {
  std::array<char, 65536> buffer;
  const ssize_t size = recv(socket, buffer.data(), buffer.size(), flags);
  if (size > 0) to.append(buffer.data(), static_cast<std::size_t>(size));
  return size > 0;
}

void send_all(int socket, std::string_view bytes, std::size_t piece, std::string& answer) {
  while (!bytes.empty()) {
    const short events = wait_for(socket, POLLIN | POLLOUT);
    if ((events & POLLIN) != 0) receive(socket, answer, MSG_DONTWAIT);
    if ((events & (POLLHUP | POLLERR)) != 0) return;
    if ((events & POLLOUT) == 0) continue;
    const ssize_t sent =
        send(socket, bytes.data(), std::min(piece, bytes.size()), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) bytes.remove_prefix(static_cast<std::size_t>(sent));
    if (sent < 0 && errno != EAGAIN && errno != EINTR) return;
  }
}

/// All that the server answers to `bytes`, until it closes.
std::string answers(HttpServer& server, std::string_view bytes, std::size_t piece) {
  std::array<int, 2> ends;
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) give_up("no sockets");
  std::string answer;
  if (!server.adopt(ends[1])) {
    close(ends[0]);  // too many connections of inputs before are still being closed
    return answer;
  }
  send_all(ends[0], bytes, piece, answer);
  shutdown(ends[0], SHUT_WR);
  do {
    wait_for(ends[0], POLLIN);
  } while (receive(ends[0], answer, MSG_DONTWAIT));
  close(ends[0]);
  // Else what the thread of the connection still holds may be taken for a leak.
  while (server.connections() > 0) usleep(50);
  return answer;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Served served;
  if (size == 0) return 0;
  const std::size_t piece = data[0] == 0 ? size : data[0];
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string answer = answers(served.server, bytes, piece);
  if (!answer.empty() && answer.rfind("HTTP/1.", 0) != 0) give_up("this is no answer");
  if (answer.find(" 500 ") < 12 && bytes.find("fails") == std::string_view::npos) {
    give_up("the server failed");
  }
  return 0;
}
