// Questions in JSON: a request is answered by an object of the envelope, or refused by an Error.
// The first line of an input is the question; what writes is asked of an index that is not there.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "config/error.h"
#include "plugin/ask/ask.h"
#include "plugin/ask/question.h"
#include "tests/fixtures/on_cpu.h"
#include "tests/fixtures/small_collection.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kindred;
  static const test::Collection collection;
  static const Settings settings = test::on_cpu(1);
  static Engine engine(collection.path, settings);
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::string_view question = input.substr(0, input.find('\n'));
  const std::string_view request = input.substr(std::min(question.size() + 1, size));
  try {
    const bool changes = writes(question) || question == "tune" || question == "train_topics" ||
                         question == "save_mirror";
    AskedIndex index{.path = changes ? "/nowhere" : collection.path,
                     .settings = settings,
                     .engine = [&]() -> Engine& {
                       if (changes) throw Error(Errc::kUnsupported, "it writes");
                       return engine;
                     },
                     .on_step = [](const AskStep&) { return true; }};
    const Json answer = Json::parse(ask(index, question, request));
    if (answer["question"] != question || !answer["request"].is_object()) __builtin_trap();
  } catch (const Error&) {
  }
  return 0;
}
