#include "plugin/readers/rdf_triples.h"

#include <libxml/SAX2.h>
#include <libxml/parser.h>
#include <libxml/uri.h>
#include <serd/serd.h>
#include <algorithm>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "config/text_front.h"

namespace kindred {
namespace {

constexpr std::string_view kRdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
constexpr std::string_view kRdfRoot = "http://www.w3.org/1999/02/22-rdf-syntax-ns#RDF";
constexpr std::string_view kRdfType = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";
constexpr std::size_t kChunk = 1 << 16;
constexpr std::size_t kPage = 1 << 10;       ///< of Turtle; each byte may open a bracket
constexpr std::size_t kMostStack = 1 << 20;  ///< bytes

/// Calls of C that must not throw keep what was thrown.
class Thrown {
 public:
  void run(const std::function<void()>& body) {
    if (fault_) return;
    try {
      body();
    } catch (...) {
      fault_ = std::current_exception();
    }
  }
  bool is_there() const { return fault_ != nullptr; }
  void rethrow() const {
    if (fault_) std::rethrow_exception(fault_);
  }

 private:
  std::exception_ptr fault_;
};

/// serd's reader with what its callbacks need.
class TurtleReader {
 public:
  TurtleReader(const ByteSource& source, SkosTerms& skos, CollectedTerms& mistakes)
      : source_(source), skos_(skos), mistakes_(mistakes) {}

  void read() {
    stack_ = here();
    const std::unique_ptr<SerdReader, void (*)(SerdReader*)> reader(
        serd_reader_new(SERD_TURTLE, this, nullptr, set_base, set_prefix, take, nullptr),
        serd_reader_free);
    serd_reader_set_error_sink(reader.get(), take_error, this);
    serd_reader_read_source(reader.get(), read_bytes, has_failed, this, nullptr, kPage);
    thrown_.rethrow();
  }

 private:
  static TurtleReader& self(void* handle) { return *static_cast<TurtleReader*>(handle); }

  /// Where the stack has come to. Not the address of a variable: a sanitizer may keep these
  /// elsewhere.
  static std::uintptr_t here() {
    return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  }

  static std::size_t read_bytes(void* buffer, std::size_t, std::size_t count, void* handle) {
    // serd calls itself for what is nested, so what nests too deep ends here, before the stack
    // does.
    const std::uintptr_t first = self(handle).stack_;
    if (std::max(here(), first) - std::min(here(), first) > kMostStack) {
      self(handle).report(0, "brackets are nested too deep");
      return 0;
    }

    // As fread() does: fewer bytes are the end.
    std::size_t read = 0;
    self(handle).thrown_.run([&] {
      const std::span<char> room(static_cast<char*>(buffer), count);
      for (std::size_t got = 1; read < count && got > 0; read += got)
        got = self(handle).source_(room.subspan(read));
    });
    return read;
  }
  static int has_failed(void* handle) { return self(handle).thrown_.is_there() ? 1 : 0; }

  static SerdStatus set_base(void* handle, const SerdNode* uri) {
    return serd_env_set_base_uri(self(handle).names_.get(), uri);
  }
  static SerdStatus set_prefix(void* handle, const SerdNode* name, const SerdNode* uri) {
    return serd_env_set_prefix(self(handle).names_.get(), name, uri);
  }

  static SerdStatus take_error(void* handle, const SerdError* error) {
    char text[300];
    va_list args;
    va_copy(args, *error->args);
    std::vsnprintf(text, sizeof text, error->fmt, args);
    va_end(args);
    std::string fault = text;
    while (fault.ends_with('\n')) fault.pop_back();
    self(handle).report(error->line, fault);
    return SERD_SUCCESS;
  }

  void report(std::uint64_t line, const std::string& fault) {
    if (!has_error_) mistakes_.report(line, fault + "; what follows was not read");
    has_error_ = true;
  }

  static SerdStatus take(void* handle, SerdStatementFlags, const SerdNode*, const SerdNode* subject,
                         const SerdNode* predicate, const SerdNode* object, const SerdNode*,
                         const SerdNode* language) {
    TurtleReader& reader = self(handle);
    reader.thrown_.run([&] {
      RdfNode node = reader.node_of(object);
      if (language != nullptr) node.language = bytes_of_node(*language);
      reader.skos_.add(reader.node_of(subject), reader.node_of(predicate).text, node);
    });
    return reader.thrown_.is_there() ? SERD_ERR_INTERNAL : SERD_SUCCESS;
  }

  static std::string bytes_of_node(const SerdNode& node) {
    return {reinterpret_cast<const char*>(node.buf), node.n_bytes};
  }

  RdfNode node_of(const SerdNode* node) const {
    if (node->type == SERD_LITERAL) return {bytes_of_node(*node), "", true};
    if (node->type == SERD_BLANK) return {};
    SerdNode whole = serd_env_expand_node(names_.get(), node);
    RdfNode made{whole.buf == nullptr ? bytes_of_node(*node) : bytes_of_node(whole), "", false};
    serd_node_free(&whole);
    return made;
  }

  const ByteSource& source_;
  SkosTerms& skos_;
  CollectedTerms& mistakes_;
  Thrown thrown_;
  std::uintptr_t stack_ = 0;  // where it was when reading began
  bool has_error_ = false;
  const std::unique_ptr<SerdEnv, void (*)(SerdEnv*)> names_{serd_env_new(nullptr), serd_env_free};
};

std::string text_of_xml(const xmlChar* text) {
  return text == nullptr ? "" : reinterpret_cast<const char*>(text);
}

/// libxml2's parser with what its callbacks need. Elements are nodes and properties in turns.
class RdfXmlReader {
 public:
  RdfXmlReader(const ByteSource& source, SkosTerms& skos, CollectedTerms& mistakes)
      : source_(source), skos_(skos), mistakes_(mistakes) {}

  void read() {
    xmlSAXHandler calls = {};
    calls.initialized = XML_SAX2_MAGIC;
    calls.startElementNs = start;
    calls.endElementNs = end;
    calls.characters = take_text;
    calls.cdataBlock = take_text;
    calls.entityDecl = refuse_entity;
    calls.serror = take_error;

    parser_ = xmlCreatePushParserCtxt(&calls, this, nullptr, 0, nullptr);
    const std::unique_ptr<xmlParserCtxt, FreeParser> owner(parser_);
    if (parser_ == nullptr) throw std::bad_alloc();
    xmlCtxtUseOptions(parser_, XML_PARSE_NONET);

    std::vector<char> room(kChunk);
    while (!is_over()) {
      const std::size_t got = source_(room);
      xmlParseChunk(parser_, room.data(), static_cast<int>(got), got == 0 ? 1 : 0);
      if (got == 0) break;
    }
    thrown_.rethrow();
  }

 private:
  struct Level {
    enum Kind { kRoot, kNode, kProperty, kSkipped } kind;
    RdfNode subject{};   // of a node
    std::string name{};  // of a property
    RdfNode object{};    // of a property, if it has one
    std::string base{};  // for relative URIs
    std::string language{};
  };

  /// libxml2 keeps entities in a document, which it leaves to the caller.
  struct FreeParser {
    void operator()(xmlParserCtxt* parser) const {
      xmlFreeDoc(parser->myDoc);
      xmlFreeParserCtxt(parser);
    }
  };

  static RdfXmlReader& self(void* handle) { return *static_cast<RdfXmlReader*>(handle); }
  bool is_over() const { return has_error_ || thrown_.is_there(); }

  void refuse(int line, const std::string& fault) {
    if (!has_error_)
      mistakes_.report(static_cast<std::uint64_t>(line), fault + "; what follows was not read");
    has_error_ = true;
    xmlStopParser(parser_);
  }

  static void refuse_entity(void* handle, const xmlChar* name, int, const xmlChar*, const xmlChar*,
                            xmlChar*) {
    RdfXmlReader& reader = self(handle);
    reader.refuse(xmlSAX2GetLineNumber(reader.parser_), "the file declares the entity '" +
                                                            text_of_xml(name) +
                                                            "': expected RDF/XML without entities");
  }

#if LIBXML_VERSION >= 21200
  using ErrorPointer = const xmlError*;
#else
  using ErrorPointer = xmlError*;
#endif
  static void take_error(void* handle, ErrorPointer error) {
    if (error->level < XML_ERR_ERROR) return;
    std::string fault = error->message == nullptr ? "is not XML" : error->message;
    while (fault.ends_with('\n')) fault.pop_back();
    self(handle).refuse(error->line, fault);
  }

  static void take_text(void* handle, const xmlChar* text, int size) {
    RdfXmlReader& reader = self(handle);
    if (reader.levels_.empty() || reader.levels_.back().kind != Level::kProperty) return;
    reader.levels_.back().object.text.append(reinterpret_cast<const char*>(text),
                                             static_cast<std::size_t>(size));
  }

  static void start(void* handle, const xmlChar* name, const xmlChar*, const xmlChar* space, int,
                    const xmlChar**, int count, int, const xmlChar** attributes) {
    RdfXmlReader& reader = self(handle);
    reader.thrown_.run([&] {
      reader.open(text_of_xml(space) + text_of_xml(name), count, attributes);
    });
    if (reader.thrown_.is_there()) xmlStopParser(reader.parser_);
  }

  static void end(void* handle, const xmlChar*, const xmlChar*, const xmlChar*) {
    RdfXmlReader& reader = self(handle);
    reader.thrown_.run([&] {
      reader.close();
    });
    if (reader.thrown_.is_there()) xmlStopParser(reader.parser_);
  }

  void open(const std::string& name, int count, const xmlChar** attributes) {
    Level level{Level::kRoot};
    if (!levels_.empty()) {
      const Level& outer = levels_.back();
      const bool is_node = outer.kind == Level::kRoot || outer.kind == Level::kProperty;
      level.kind = is_node ? Level::kNode : Level::kProperty;
      if (outer.kind == Level::kSkipped) level.kind = Level::kSkipped;
      level.base = outer.base;
      level.language = outer.language;
    } else if (name != kRdfRoot) {
      return refuse(xmlSAX2GetLineNumber(parser_), "expected the element rdf:RDF, found " + name);
    }
    level.name = name;
    std::string about;
    std::string resource;

    // Five pointers for each attribute: its name, prefix and namespace, and where its value is.
    for (int i = 0; i < count; ++i) {
      const xmlChar** const at = attributes + std::ptrdiff_t{5} * i;
      const std::string key = text_of_xml(at[2]) + text_of_xml(at[0]);
      const std::string value(reinterpret_cast<const char*>(at[3]),
                              static_cast<std::size_t>(at[4] - at[3]));
      std::string_view own = key;
      const bool is_rdf = consume(own, kRdf);
      const bool is_xml = consume(own, "http://www.w3.org/XML/1998/namespace");
      if (is_rdf && own == "about") about = value;
      if (is_rdf && own == "ID") about = "#" + value;
      if (is_rdf && own == "resource") resource = value;
      if (is_rdf && own == "parseType") level.kind = Level::kSkipped;
      if (is_xml && own == "base") level.base = value;
      if (is_xml && own == "lang") level.language = value;
    }

    level.subject.text = resolved(about, level.base);
    level.object.text = resolved(resource, level.base);
    level.object.is_literal = resource.empty();
    if (level.kind == Level::kNode) {
      skos_.add(level.subject, kRdfType, {name, "", false});
      // A node inside a property is what the property says.
      if (levels_.back().kind == Level::kProperty) levels_.back().object = level.subject;
    }
    levels_.push_back(std::move(level));
  }

  void close() {
    if (levels_.empty()) return;
    Level level = std::move(levels_.back());
    levels_.pop_back();
    if (level.kind != Level::kProperty) return;
    if (level.object.is_literal) level.object.language = level.language;
    skos_.add(levels_.back().subject, level.name, level.object);
  }

  static std::string resolved(const std::string& uri, const std::string& base) {
    if (uri.empty() || base.empty()) return uri;
    const auto* const relative = reinterpret_cast<const xmlChar*>(uri.c_str());
    const std::unique_ptr<xmlChar, void (*)(void*)> whole(
        xmlBuildURI(relative, reinterpret_cast<const xmlChar*>(base.c_str())), xmlFree);
    return whole == nullptr ? uri : text_of_xml(whole.get());
  }

  const ByteSource& source_;
  SkosTerms& skos_;
  CollectedTerms& mistakes_;
  xmlParserCtxt* parser_ = nullptr;
  Thrown thrown_;
  bool has_error_ = false;
  std::vector<Level> levels_;
};

}  // namespace

void read_turtle(const ByteSource& source, SkosTerms& skos, CollectedTerms& mistakes) {
  TurtleReader(source, skos, mistakes).read();
}

void read_rdf_xml(const ByteSource& source, SkosTerms& skos, CollectedTerms& mistakes) {
  RdfXmlReader(source, skos, mistakes).read();
}

}  // namespace kindred
