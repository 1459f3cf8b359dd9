// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <deque>
#include <random>

#include "support/expect.hpp"
#include "vkmoye/gen/machine/shadow_memory.hpp"

namespace vkmoye::gen::machine {
namespace {

constexpr std::uint64_t kElements = 700;  // several pages, the last one cut off

const ir::Array tile = {"tile", ScalarType::f32, ir::Array::Space::shared, Access::read_write, {},
                        ""};
const std::string one = "one", other = "other";

ShadowMemory ledger_into(ReasonsByKind& reasons) {
  return ShadowMemory(tile, kElements, 64, {0, 0}, /*is_initialised=*/false, reasons);
}
ElementAccess writer(std::int64_t thread, const std::string& source_text = one) {
  return {thread, &source_text, /*reads=*/false, /*writes=*/true, /*atomic=*/false};
}

TEST(ShadowMemory, ACopyAndItsOriginalDoNotSeeEachOther) {
  ReasonsByKind reasons;
  ShadowMemory ledger = ledger_into(reasons);
  ledger.record(3, writer(0));
  ShadowMemory copy = ledger;
  copy.record(4, writer(1));
  ledger.record(600, writer(2));
  EXPECT_TRUE(ledger.is_written(3) && copy.is_written(3));
  EXPECT_TRUE(!ledger.is_written(4) && copy.is_written(4));
  EXPECT_TRUE(ledger.is_written(600) && !copy.is_written(600));
  copy.barrier();
  copy.record(3, writer(5));
  EXPECT_THAT(reasons.list(), IsEmpty());
  ledger.record(3, writer(5, other));
  EXPECT_THAT(reasons.list(), ElementsAre(HasSubstr("'one' writes tile[3] in thread 0")));
}

TEST(ShadowMemory, AfterAJoinATouchOnEitherPathIsOne) {
  for (const bool either : {false, true}) {
    ReasonsByKind reasons;
    ShadowMemory ledger = ledger_into(reasons);
    ledger.record(0, writer(0));
    ShadowMemory copy = ledger;
    copy.record(0, writer(0));
    copy.record(1, writer(0));
    copy.record(600, writer(0));
    ledger.record(300, writer(0));
    ledger.join(copy, either);
    EXPECT_TRUE(ledger.is_written(0));
    for (const std::uint64_t at : {1, 300, 600}) EXPECT_EQ(ledger.is_written(at), either) << at;
    EXPECT_THAT(reasons.list(), IsEmpty());
    ledger.record(600, writer(1, other));
    EXPECT_THAT(reasons.list(), ElementsAre(HasSubstr("writes tile[600] in thread 0")));
  }
}

// What happened to a ledger, to be told again to one that nobody ever copied.
struct Event {
  std::uint64_t at = 0;
  ElementAccess access = {};
  enum class Kind : std::uint8_t { record, barrier, clear, join } kind = Kind::record;
  std::vector<Event> of_other = {};
};

void tell(ShadowMemory& ledger, const std::vector<Event>& events, ReasonsByKind& reasons) {
  for (const Event& event : events) {
    switch (event.kind) {
      case Event::Kind::record: ledger.record(event.at, event.access); break;
      case Event::Kind::barrier: ledger.barrier(); break;
      case Event::Kind::clear: ledger.clear(); break;
      case Event::Kind::join:
        ShadowMemory joined = ledger_into(reasons);
        tell(joined, event.of_other, reasons);
        ledger.join(joined, event.access.atomic);
        break;
    }
  }
}

// Everything that can be found out about it: who was there before somebody who touches every element.
std::vector<std::string> asked(ShadowMemory ledger, ReasonsByKind& reasons, std::size_t number) {
  std::deque<std::string> questions;
  const std::size_t before = reasons.list().size();
  for (std::uint64_t at = 0; at < kElements; ++at) {
    questions.push_back(fmt::format("question {} to {}", at, number));
    ledger.record(at, {63, &questions.back(), /*reads=*/true, /*writes=*/true, /*atomic=*/false});
  }
  return {reasons.list().begin() + static_cast<std::ptrdiff_t>(before), reasons.list().end()};
}

TEST(ShadowMemory, CopiesAreAsIfEachHadSeenEverythingByItself) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    ReasonsByKind reasons;
    std::vector<ShadowMemory> ledgers(3, ledger_into(reasons));
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
      event.access = {static_cast<std::int64_t>(any(4)), any(2) == 0 ? &one : &other,
                      /*reads=*/any(2) == 0, /*writes=*/any(2) == 0, /*atomic=*/any(8) == 0};
      event.at = any(2) == 0 ? any(kElements) : any(8);
      event.kind = what < 18   ? Event::Kind::barrier
                   : what < 20 ? Event::Kind::clear
                   : what < 25 ? Event::Kind::join
                               : Event::Kind::record;
      if (event.kind == Event::Kind::join) {
        event.of_other = events[j];
        ledgers[i].join(ledgers[j], event.access.atomic);
      } else {
        tell(ledgers[i], {event}, reasons);
      }
      events[i].push_back(event);
    }
    for (std::size_t i = 0; i < ledgers.size(); ++i) {
      ReasonsByKind of_told;
      ShadowMemory told = ledger_into(of_told);
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
