#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "http/body_reader.h"

/// A body that is there already, read in pieces.
class BodyOfText final : public search_server::BodyReader {
 public:
  explicit BodyOfText(std::string text, std::size_t piece = 64 << 10)
      : text_(std::move(text)), piece_(piece) {}

  bool read(std::string& to) override {
    if (at_ == text_.size()) return false;
    const std::size_t size = std::min(piece_, text_.size() - at_);
    to.append(text_, at_, size);
    at_ += size;
    return true;
  }

 private:
  const std::string text_;
  const std::size_t piece_;
  std::size_t at_ = 0;
};
