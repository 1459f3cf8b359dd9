#include "vkmoye/base/text.hpp"
