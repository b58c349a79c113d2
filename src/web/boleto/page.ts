// The measures that both halves of the page share, in millimetres of an A4 sheet.

export const PAGE_HEIGHT = 297;
export const LEFT = 10;
export const WIDTH = 190;
export const RIGHT = LEFT + WIDTH;

/** FEBRABAN lets the ficha de compensação be 95 to 108 mm high; it is the sheet's foot. */
export const CUT_Y = PAGE_HEIGHT - 108;
