// The dimensions that both halves of the page share, in millimetres of an A4 sheet.

export const PAGE_HEIGHT = 297;
export const LEFT = 10;
export const WIDTH = 190;
export const RIGHT = LEFT + WIDTH;

/** FEBRABAN allows a height of 95 to 108 mm for the ficha de compensação, at the bottom of the sheet. */
export const CUT_Y = PAGE_HEIGHT - 108;
