// SPDX-License-Identifier: MIT

#include "support/expect.hpp"
#include "vkmoye/contract/device_caps.hpp"

namespace vkmoye {
namespace {

TEST(FeatureSet, HasWhatWasAddedAndNotRemoved) {
  FeatureSet features = {Feature::f64, Feature::f16};
  features.add({Feature::i8, Feature::f16});
  EXPECT_EQ(features, (FeatureSet{Feature::f16, Feature::f64, Feature::i8}));
  features.remove(Feature::f64);
  EXPECT_FALSE(features.has(Feature::f64));
  EXPECT_TRUE(features.has(Feature::f16));
  EXPECT_EQ(features, (FeatureSet{Feature::f16, Feature::i8}));
  features.remove(Feature::f64);  // it is not in the set: nothing changes
  features.remove(Feature::i8);
  EXPECT_THAT(features.list(), ElementsAre(Feature::f16));
  features.remove(Feature::f16);
  EXPECT_THAT(features.list(), IsEmpty());
}

}  // namespace
}  // namespace vkmoye
