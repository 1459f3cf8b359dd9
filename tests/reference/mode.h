/* SPDX-License-Identifier: MIT */
/* Modes.

     mode m; */
#ifndef MODE_H
#define MODE_H

/* --- numbers --- */

/* Of this
   interface. */
#define MODE_MAJOR 1
#define MODE_MINOR 2

enum { MODE_OK = 0 /* fine */ };
/* The first. */
VKMOYE_API int vkmoye_first(void);
VKMOYE_API int vkmoye_last(void);

#endif
