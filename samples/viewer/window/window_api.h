/* SPDX-License-Identifier: MIT
 * What the window module offers. It is loaded only when a window is wanted, so that the viewer itself
 * needs neither GLFW nor X11. C, so that nothing but this table crosses the border. */
#ifndef QUARRY_VIEWER_WINDOW_API_H
#define QUARRY_VIEWER_WINDOW_API_H

#include <vulkan/vulkan_core.h>

#ifdef __cplusplus
extern "C" {
#endif

#define QUARRY_WINDOW_API_VERSION 1u
#define QUARRY_WINDOW_ENTRY "quarry_window_api"

/* NOLINTBEGIN(modernize-use-using): C has no other way */
typedef struct QuarryWindow QuarryWindow;

typedef struct QuarryWindowState {
  int width;  /* pixels; 0 while minimised */
  int height;
  int closing; /* the user or the display wants it gone */
  int toggled_overlay; /* presses of F1 since the last poll */
  int budget_steps;    /* presses of + less those of - since the last poll */
  float mouse_x;
  float mouse_y;
  float wheel; /* since the last poll */
  int buttons[3];
  float move[3]; /* keys held: right, up, forward; -1 to 1 */
} QuarryWindowState;

typedef struct QuarryWindowApi {
  unsigned version;
  /* Returns null and sets *problem to a sentence on failure. */
  QuarryWindow* (*open)(int width, int height, const char* title, const char** problem);
  const char* const* (*extensions)(QuarryWindow* window, unsigned* count);
  VkResult (*surface)(QuarryWindow* window, VkInstance instance, VkSurfaceKHR* surface);
  void (*poll)(QuarryWindow* window, QuarryWindowState* state);
  void (*wait)(QuarryWindow* window, double seconds); /* until something happens, or that long */
  void (*close)(QuarryWindow* window);
} QuarryWindowApi;

typedef const QuarryWindowApi* (*QuarryWindowEntry)(void);
/* NOLINTEND(modernize-use-using) */

#ifdef __cplusplus
}
#endif

#endif
