// Draws on an A4 page, in millimetres from its upper left corner: lines, boxes, and text that never leaves its box.
import type PDFDocument from 'pdfkit';
import { toLatin } from './latin.ts';

export type Paper = InstanceType<typeof PDFDocument>;

/** Millimetres. */
export type Box = { readonly x: number; readonly y: number; readonly width: number; readonly height: number };

const POINTS_PER_MM = 72 / 25.4;

const REGULAR = 'Helvetica';
const BOLD = 'Helvetica-Bold';
const RULE_POINTS = 0.5;

const INK = { black: '#000000', rule: '#444444', label: '#505050', shade: '#f1f1f1' } as const;
type Ink = keyof typeof INK;

export function drawRule(paper: Paper, from: readonly [number, number], to: readonly [number, number]): void {
  paper.moveTo(mm(from[0]), mm(from[1])).lineTo(mm(to[0]), mm(to[1])).lineWidth(RULE_POINTS).stroke(INK.rule);
}

/** Fills several boxes as one shape: some viewers widen a single box to whole pixels, which distorts a barcode. */
export function fillBoxes(paper: Paper, boxes: readonly Box[], ink: Ink): void {
  for (const { x, y, width, height } of boxes) paper.rect(mm(x), mm(y), mm(width), mm(height));
  paper.fill(INK[ink]);
}

export function frameBox(paper: Paper, { x, y, width, height }: Box): void {
  paper.rect(mm(x), mm(y), mm(width), mm(height)).lineWidth(RULE_POINTS).stroke(INK.rule);
}

/** Fills a path whose units are squares of the given side. */
export function fillPath(paper: Paper, path: string, x: number, y: number, unit: number): void {
  paper.save().translate(mm(x), mm(y)).scale(mm(unit)).path(path).fill(INK.black).restore();
}

type TextStyle = {
  /** Points; text that is too long is shrunk to the least size, then cut. */
  readonly size: number;
  readonly leastSize?: number;
  readonly bold?: boolean;
  readonly ink?: Ink;
  readonly align?: 'left' | 'center' | 'right';
  /** The maximum number of lines, by default one; each line is `leading` millimetres below the one before. */
  readonly lines?: number;
  readonly leading?: number;
  /** Whether the last line is on the baseline, with the others above it. */
  readonly upwards?: boolean;
};

/** The position of a text: the left end of its baseline, and its maximum width. */
type Place = { readonly x: number; readonly y: number; readonly width: number };

/** Draws text on its baseline. */
export function drawText(paper: Paper, text: string, place: Place, style: TextStyle): void {
  paper.font(style.bold ? BOLD : REGULAR);
  const { lines, size } = fitText(paper, toLatin(text).slice(0, MAX_CHARACTERS), place.width, style);
  paper.fontSize(size).fillColor(INK[style.ink ?? 'black']);
  for (const [index, line] of lines.entries()) {
    const free = place.width - widthMm(paper, line);
    const indent = style.align === 'right' ? free : style.align === 'center' ? free / 2 : 0;
    const above = style.upwards ? lines.length - 1 : 0;
    const baseline = place.y + (index - above) * (style.leading ?? 0);
    paper.text(line, mm(place.x + indent), mm(baseline), { lineBreak: false, baseline: 'alphabetic' });
  }
}

/** More than any box of the page can show. */
const MAX_CHARACTERS = 300;
const SIZE_STEP = 0.25;
const ELLIPSIS = '…';

function fitText(paper: Paper, text: string, width: number, style: TextStyle): { lines: string[]; size: number } {
  const most = style.lines ?? 1;
  const least = style.leastSize ?? style.size;
  for (let size = style.size; size > least; size -= SIZE_STEP) {
    const lines = wrap(paper.fontSize(size), text, width);
    if (lines.length <= most) return { lines, size };
  }
  const lines = wrap(paper.fontSize(least), text, width);
  if (lines.length <= most) return { lines, size: least };
  const rest = lines.slice(most - 1).join(' ');
  return { lines: [...lines.slice(0, most - 1), cut(paper, rest, width)], size: least };
}

/** Lines of whole words; a word wider than a line is broken where the line ends. */
function wrap(paper: Paper, text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (widthMm(paper, longer) <= width) {
      line = longer;
      continue;
    }
    if (line !== '') lines.push(line);
    line = word;
    while (widthMm(paper, line) > width) {
      const head = longestHead(paper, line, width);
      lines.push(head);
      line = line.slice(head.length);
    }
  }
  if (line !== '') lines.push(line);
  return lines;
}

function cut(paper: Paper, text: string, width: number): string {
  return longestHead(paper, text, width - widthMm(paper, ELLIPSIS)).trimEnd() + ELLIPSIS;
}

/** As many characters as fit, at least one. */
function longestHead(paper: Paper, text: string, width: number): string {
  let length = 1;
  while (length < text.length && widthMm(paper, text.slice(0, length + 1)) <= width) length++;
  return text.slice(0, length);
}

function widthMm(paper: Paper, text: string): number {
  return paper.widthOfString(text) / POINTS_PER_MM;
}

function mm(millimetres: number): number {
  return millimetres * POINTS_PER_MM;
}
