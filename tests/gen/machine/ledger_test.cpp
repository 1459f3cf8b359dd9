// SPDX-License-Identifier: MIT
#include "vkmoye/gen/machine/ledger.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <random>

namespace vkmoye::gen::machine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint64_t kElements = 700;  // several pages, the last one cut off

const ir::Array tile = {"tile", ScalarType::f32, ir::Array::Space::shared, Access::read_write, {},
                        ""};
const std::string one = "one", other = "other";

Ledger ledger_into(Reasons& reasons) {
  return Ledger(tile, kElements, 64, {0, 0}, /*is_initialised=*/false, reasons);
}
Toucher writer(std::int64_t thread, const std::string& partition = one) {
  return {thread, &partition, /*reads=*/false, /*writes=*/true, /*atomic=*/false};
}

TEST(Ledger, ACopyAndItsOriginalDoNotSeeEachOther) {
  Reasons reasons;
  Ledger ledger = ledger_into(reasons);
  ledger.touch(3, writer(0));
  Ledger copy = ledger;
  copy.touch(4, writer(1));
  ledger.touch(600, writer(2));
  EXPECT_TRUE(ledger.is_written(3) && copy.is_written(3));
  EXPECT_TRUE(!ledger.is_written(4) && copy.is_written(4));
  EXPECT_TRUE(ledger.is_written(600) && !copy.is_written(600));
  copy.barrier();
  copy.touch(3, writer(5));
  EXPECT_THAT(reasons.list(), IsEmpty());
  ledger.touch(3, writer(5, other));
  EXPECT_THAT(reasons.list(), ElementsAre(HasSubstr("'one' writes tile[3] in thread 0")));
}

TEST(Ledger, AfterAJoinATouchOnEitherPathIsOne) {
  for (const bool either : {false, true}) {
    Reasons reasons;
    Ledger ledger = ledger_into(reasons);
    ledger.touch(0, writer(0));
    Ledger copy = ledger;
    copy.touch(0, writer(0));
    copy.touch(1, writer(0));
    copy.touch(600, writer(0));
    ledger.touch(300, writer(0));
    ledger.join(copy, either);
    EXPECT_TRUE(ledger.is_written(0));
    for (const std::uint64_t at : {1, 300, 600}) EXPECT_EQ(ledger.is_written(at), either) << at;
    EXPECT_THAT(reasons.list(), IsEmpty());
    ledger.touch(600, writer(1, other));
    EXPECT_THAT(reasons.list(), ElementsAre(HasSubstr("writes tile[600] in thread 0")));
  }
}

// What happened to a ledger, to be told again to one that nobody ever copied.
struct Event {
  std::uint64_t at = 0;
  Toucher toucher = {};
  enum class Kind : std::uint8_t { touch, barrier, clear, join } kind = Kind::touch;
  std::vector<Event> of_other = {};
};

void tell(Ledger& ledger, const std::vector<Event>& events, Reasons& reasons) {
  for (const Event& event : events) {
    switch (event.kind) {
      case Event::Kind::touch: ledger.touch(event.at, event.toucher); break;
      case Event::Kind::barrier: ledger.barrier(); break;
      case Event::Kind::clear: ledger.clear(); break;
      case Event::Kind::join:
        Ledger joined = ledger_into(reasons);
        tell(joined, event.of_other, reasons);
        ledger.join(joined, event.toucher.atomic);
        break;
    }
  }
}

// Everything that can be found out about it: who was there before somebody who touches every element.
std::vector<std::string> asked(Ledger ledger, Reasons& reasons, std::size_t number) {
  std::deque<std::string> questions;
  const std::size_t before = reasons.list().size();
  for (std::uint64_t at = 0; at < kElements; ++at) {
    questions.push_back(fmt::format("question {} to {}", at, number));
    ledger.touch(at, {63, &questions.back(), /*reads=*/true, /*writes=*/true, /*atomic=*/false});
  }
  return {reasons.list().begin() + static_cast<std::ptrdiff_t>(before), reasons.list().end()};
}

TEST(Ledger, CopiesAreAsIfEachHadSeenEverythingByItself) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    Reasons reasons;
    std::vector<Ledger> ledgers(3, ledger_into(reasons));
    std::vector<std::vector<Event>> events(ledgers.size());
    const auto any = [&](std::uint64_t count) { return random() % count; };
    for (int step = 0; step < 120; ++step) {
      const std::size_t i = any(3), j = any(3), what = any(100);
      if (what < 12) {
        ledgers[i] = ledgers[j];
        events[i] = events[j];
        continue;
      }
      Event event;
      event.toucher = {static_cast<std::int64_t>(any(4)), any(2) == 0 ? &one : &other,
                       /*reads=*/any(2) == 0, /*writes=*/any(2) == 0, /*atomic=*/any(8) == 0};
      event.at = any(2) == 0 ? any(kElements) : any(8);
      event.kind = what < 18   ? Event::Kind::barrier
                   : what < 20 ? Event::Kind::clear
                   : what < 25 ? Event::Kind::join
                               : Event::Kind::touch;
      if (event.kind == Event::Kind::join) {
        event.of_other = events[j];
        ledgers[i].join(ledgers[j], event.toucher.atomic);
      } else {
        tell(ledgers[i], {event}, reasons);
      }
      events[i].push_back(event);
    }
    for (std::size_t i = 0; i < ledgers.size(); ++i) {
      Reasons of_told;
      Ledger told = ledger_into(of_told);
      tell(told, events[i], of_told);
      for (std::uint64_t at = 0; at < kElements; ++at) {
        ASSERT_EQ(ledgers[i].is_written(at), told.is_written(at)) << at;
      }
      ASSERT_EQ(asked(ledgers[i], reasons, i), asked(told, of_told, i));
    }
  }
}

}  // namespace
}  // namespace vkmoye::gen::machine
