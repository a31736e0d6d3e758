#pragma once

#define pdMS_TO_TICKS(ms) (ms)
