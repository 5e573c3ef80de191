#include "plugin/handle.h"

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "tests/fixtures/catch.h"
#include "tests/fixtures/temporary_directory.h"

using search_server::Library;

namespace {

/// Why a library is not loaded.
std::string refusal(const std::string& path) {
  try {
    const Library library(path);
    return "";
  } catch (const std::runtime_error& e) {
    return e.what();
  }
}

}  // namespace

TEST_CASE("a library is loaded from a copy, so that its file may change") {
  const kindred::test::TemporaryDirectory directory;
  const std::string path = directory / "libkindred.so";
  std::filesystem::copy(KINDRED_LIBRARY, path);
  const Library first(path);
  std::ofstream(path, std::ios::trunc) << "no library";
  CHECK(first.functions().abi_version == KINDRED_ABI_VERSION);
  CHECK(refusal(path).starts_with(path + ": "));
  std::filesystem::copy(KINDRED_LIBRARY, path, std::filesystem::copy_options::overwrite_existing);
  const Library second(path);
  // Each has its own functions: one of them may be unloaded.
  CHECK(first.functions().open != second.functions().open);
}

TEST_CASE("a library that is none, too old or of another ABI is refused with the reason") {
  CHECK(refusal("/no/such/library.so") == "/no/such/library.so: cannot read the library");
  CHECK(refusal("libno-such-library.so").find("libno-such-library.so") != std::string::npos);
  CHECK(refusal(NO_KINDRED_LIBRARY) ==
        std::string(NO_KINDRED_LIBRARY) + ": expected a library with kindred_plugin()");
  CHECK(refusal(OTHER_ABI_LIBRARY) ==
        std::string(OTHER_ABI_LIBRARY) + ": expected ABI version 1, found 99");
  CHECK(refusal(OLD_LIBRARY) ==
        std::string(OLD_LIBRARY) + ": version 0.0.1 is older than this server");
}

TEST_CASE("a handle keeps its library, and tells why a call failed") {
  const kindred::test::TemporaryDirectory directory;
  search_server::HandleOptions options;
  options.database = directory / "db";
  options.create = true;
  auto library = std::make_shared<const Library>(KINDRED_LIBRARY);
  const search_server::Handle handle(library, options);
  library.reset();
  CHECK(handle.ask("status")["documents"] == 0);
  try {
    handle.ask("topics");
    FAIL("there are no topics");
  } catch (const search_server::PluginError& e) {
    CHECK(e.code() == KINDRED_NOT_FOUND);
    CHECK(std::string(e.what()).find("db") != std::string::npos);
  }
}
