// Independent readers decode our pictures as a phone or a scanner would: pixels in, text out.
import { createRequire } from 'node:module';
import { PDFiumLibrary } from '@hyzyla/pdfium';
import { BinaryBitmap, DecodeHintType, HybridBinarizer, ITFReader, RGBLuminanceSource } from '@zxing/library';
import jsQr from 'jsqr';

export type Picture = { readonly width: number; readonly height: number; readonly rgba: Uint8ClampedArray };

// A package without types.
const { PNG } = createRequire(import.meta.url)('pngjs') as {
  PNG: { sync: { read(file: Buffer): { width: number; height: number; data: Buffer } } };
};

export function pngPicture(file: Buffer): Picture {
  const { width, height, data } = PNG.sync.read(file);
  return { width, height, rgba: new Uint8ClampedArray(data) };
}

const POINTS_PER_INCH = 72;
const pdfium = await PDFiumLibrary.init();

/** The only page of a PDF: its picture at a resolution, and its text, one line per drawn string. */
export async function pdfPage(file: Buffer, dpi: number): Promise<{ picture: Picture; text: string; pages: number }> {
  const document = await pdfium.loadDocument(file);
  try {
    const pages = document.getPageCount();
    const text = document.getPage(0).getText().replaceAll('\r\n', '\n').replaceAll('\0', '');
    const { width, height, data } = await document.getPage(0).render({ scale: dpi / POINTS_PER_INCH });
    // Blue and red are swapped, which does not matter in black and white.
    return { picture: { width, height, rgba: new Uint8ClampedArray(data) }, text, pages };
  } finally {
    document.destroy();
  }
}

/** The picture of every page of a PDF. */
export async function pdfPictures(file: Buffer, dpi: number): Promise<Picture[]> {
  const document = await pdfium.loadDocument(file);
  try {
    const pictures: Picture[] = [];
    for (const page of document.pages()) {
      const { width, height, data } = await page.render({ scale: dpi / POINTS_PER_INCH });
      pictures.push({ width, height, rgba: new Uint8ClampedArray(data) });
    }
    return pictures;
  } finally {
    document.destroy();
  }
}

/** The text of every page of a PDF. */
export async function pdfText(file: Buffer): Promise<string> {
  const document = await pdfium.loadDocument(file);
  try {
    return [...document.pages()].map(page => page.getText()).join('\n');
  } finally {
    document.destroy();
  }
}

/** How light a pixel is, from 0 to 255. */
export function lightAt({ width, rgba }: Picture, x: number, y: number): number {
  const at = (y * width + x) * 4;
  return (rgba[at]! + rgba[at + 1]! + rgba[at + 2]!) / 3;
}

export function readQr({ rgba, width, height }: Picture): string | undefined {
  return jsQr.default(rgba, width, height)?.data;
}

/** How many pixels wide the code is, without its quiet zone. */
export function qrSide({ rgba, width, height }: Picture): number {
  const corners = jsQr.default(rgba, width, height)?.location;
  return corners ? corners.topRightCorner.x - corners.topLeftCorner.x : 0;
}

export function readInterleaved2of5(picture: Picture, digits: number): string {
  const { width, height } = picture;
  const light = new Uint8ClampedArray(width * height);
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) light[y * width + x] = lightAt(picture, x, y);
  const hints = new Map<DecodeHintType, unknown>([
    [DecodeHintType.ALLOWED_LENGTHS, Int32Array.of(digits)],
    [DecodeHintType.TRY_HARDER, true],
  ]);
  const source = new RGBLuminanceSource(light, width, height);
  return new ITFReader().decode(new BinaryBitmap(new HybridBinarizer(source)), hints).getText();
}
