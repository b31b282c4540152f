/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How pictures look that stand alone, light and dark: their ground (bg), texts, titles (t), what matters less
 * (d), and lines of a grid (g). Each adds classes of its own.
 */
#pragma once

/* Sizes are those of fonts; more and more_dark: rules of the picture. */
#define PICTURE_STYLE(text_size, title_size, grid, grid_dark, more, more_dark)                     \
	"<style>.bg{fill:#fff}text{font:" text_size " system-ui,sans-serif;fill:#1a1d21}"          \
	".t{font-size:" title_size ";font-weight:600}.d{fill:#5b6470}.g{stroke:" grid "}" more     \
	"@media (prefers-color-scheme:dark){.bg{fill:#14171a}text{fill:#e6e9ec}.d{fill:#9aa4af}"   \
	".g{stroke:" grid_dark "}" more_dark "}</style>\n"
