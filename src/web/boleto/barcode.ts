// Draws the barcode of a boleto: interleaved 2 of 5, as vector shapes, so that it is sharp on any printer.
import assert from 'node:assert/strict';
import bwipjs from 'bwip-js/node';
import { type Box, fillBoxes, type Paper } from './paper.ts';

/** The size that FEBRABAN requires for 44 digits. */
export const BARCODE_MM = { width: 103, height: 13 } as const;

const NARROW = 1;
/**
 * The largest ratio of wide to narrow bars that the symbology allows; 405 modules then give bars of a quarter of a
 * millimetre.
 */
const WIDE = 3;

export function drawBarcode(paper: Paper, barcode: string, x: number, y: number): void {
  assert(/^\d{44}$/.test(barcode), 'a barcode has 44 digits');
  const widths = barWidths(barcode);
  const module = BARCODE_MM.width / widths.reduce((sum, width) => sum + width);
  const bars: Box[] = [];
  let left = x;
  for (const [index, width] of widths.entries()) {
    const isBar = index % 2 === 0;
    if (isBar) bars.push({ x: left, y, width: width * module, height: BARCODE_MM.height });
    left += width * module;
  }
  fillBoxes(paper, bars, 'black');
}

/** Bar, space, bar, space … bar, in modules. */
export function barWidths(barcode: string): number[] {
  const [symbol] = bwipjs.raw({ bcid: 'interleaved2of5', text: barcode });
  assert(symbol && 'sbs' in symbol, 'a linear code has bars');
  const widths = symbol.sbs.map(width => (width > 1 ? WIDE : NARROW));
  // The encoder adds a white space after the last bar, which the page has already.
  return widths.length % 2 === 0 ? widths.slice(0, -1) : widths;
}
