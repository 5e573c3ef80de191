#pragma once

#include <random>
#include <stdexcept>
#include <string>

#include "plugin/engine.h"
#include "tests/attack/living/living_model.h"

namespace kindred::attack {

/// An engine answered something else than it should have.
class WrongAnswer : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What an engine answers to questions that `draw` chooses, a line each, with every bit of every
/// number. Engines of the same revision give the same text. Seldom asks what compares all
/// documents.
std::string answers_of(const Engine& engine, const Model& model, std::mt19937 draw);

/// @throws WrongAnswer with the first line that differs.
void expect_same_answers(const std::string& answers, const std::string& expected,
                         const std::string& of);

/// Holds counts, ids, similarities and, if tags are by the plain vote, shares of labels against
/// those of the model.
/// @throws WrongAnswer that says what differs.
void expect_answers_of_model(const Engine& engine, const Model& model, bool is_plain,
                             std::mt19937 draw);

}  // namespace kindred::attack
