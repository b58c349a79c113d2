import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { uuidV7 } from '../../src/lib/ids.ts';
import { MAX_PIX_CENTS, staticBrCodes, txidOf } from '../../src/rails/br-code.ts';
import { qrPng, qrSvg } from '../../src/web/qr-code.ts';
import { lightAt, type Picture, pngPicture, readQr } from '../harness/pictures.ts';
import { scaled } from '../harness/scale.ts';

const brCode = staticBrCodes({
  key: 'sandbox@example.com',
  receiverName: 'Padaria São João',
  receiverCity: 'São Paulo',
});
const code = (amountCents: bigint, at: Date) => brCode(amountCents, txidOf(uuidV7(at)));

const USUAL = code(15_990n, new Date('2026-11-16T12:00:00Z'));
const PAYLOADS = {
  'a usual code': USUAL,
  'the shortest text': '0',
  'a code of 512 characters': USUAL.padEnd(512, 'Ab9.'),
  'letters that are not ASCII': `${USUAL} ação, São João, ç, ã, é`,
};

const PIXELS_PER_MODULE = 3;

/** Draws the SVG's rectangles in order, and refuses any other element. */
function svgPicture(svg: string): Picture {
  const [, left, top, side, height] = /viewBox="(-?\d+) (-?\d+) (\d+) (\d+)"/.exec(svg)!.map(Number);
  assert.equal(side, height);
  const width = side! * PIXELS_PER_MODULE;
  const rgba = new Uint8ClampedArray(width * width * 4).fill(128);
  for (const [, fill, path] of svg.matchAll(/<path fill="(#[0-9a-f]{3})" d="([^"]+)"/g)) {
    const light = { '#fff': 255, '#000': 0 }[fill!]!;
    const rest = path!.replace(/M(-?\d+) (-?\d+)h(\d+)v(\d+)h-\3z/g, (_run, ...numbers) => {
      const [x, y, wide, high] = numbers.slice(0, 4).map(number => Number(number)) as [number, number, number, number];
      for (let row = (y - top!) * PIXELS_PER_MODULE; row < (y - top! + high) * PIXELS_PER_MODULE; row++) {
        const from = (row * width + (x - left!) * PIXELS_PER_MODULE) * 4;
        rgba.fill(light, from, from + wide * PIXELS_PER_MODULE * 4);
      }
      return '';
    });
    assert.equal(rest, '', 'a path of rectangles');
  }
  return { width, height: width, rgba };
}

/** The white around a code, in pixels; the same on all four sides. */
function quietPixels(picture: Picture): number {
  const { width, height } = picture;
  const isWhite = (x: number, y: number) => lightAt(picture, x, y) === 255;
  let quiet = 0;
  const ring = (at: number) =>
    Array.from({ length: width }, (_, index) => index).every(
      index =>
        isWhite(index, at) && isWhite(index, height - 1 - at) && isWhite(at, index) && isWhite(width - 1 - at, index),
    );
  while (quiet < width / 2 && ring(quiet)) quiet++;
  return quiet;
}

for (const [name, emv] of Object.entries(PAYLOADS)) {
  test(`the PNG of ${name} is read back`, async () => {
    assert.equal(readQr(pngPicture(await qrPng(emv))), emv);
  });

  test(`the SVG of ${name} is read back`, () => {
    assert.equal(readQr(svgPicture(qrSvg(emv))), emv);
  });
}

test('any charge makes a code that is read back from both pictures', async () => {
  const moments = fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true });
  await fc.assert(
    fc.asyncProperty(fc.bigInt(1n, MAX_PIX_CENTS), moments, async (amountCents, at) => {
      const emv = code(amountCents, at);
      assert.equal(readQr(pngPicture(await qrPng(emv))), emv);
      assert.equal(readQr(svgPicture(qrSvg(emv))), emv);
    }),
    { numRuns: scaled(10, 3) },
  );
});

test('four modules around the code are white, in both pictures', async () => {
  const png = pngPicture(await qrPng(USUAL));
  const svg = svgPicture(qrSvg(USUAL));
  assert.equal(quietPixels(svg), 4 * PIXELS_PER_MODULE);
  const modules = svg.width / PIXELS_PER_MODULE;
  assert.equal(quietPixels(png), (4 * png.width) / modules);
});

test('the PNG has whole pixels for each module, black or white, and is wide enough for a phone', async () => {
  const png = pngPicture(await qrPng(USUAL));
  assert.equal(png.width % (svgPicture(qrSvg(USUAL)).width / PIXELS_PER_MODULE), 0);
  assert.ok(png.width >= 600, `${png.width} pixels`);
  assert.deepEqual([...new Set(png.rgba)].sort(), [0, 255]);
});

test('a code is read through a stain that level M corrects and level L would not', async () => {
  const png = pngPicture(await qrPng(USUAL));
  const stain = Math.round(png.width * 0.26);
  const from = Math.round(png.width * 0.5);
  for (let y = from; y < from + stain; y++)
    png.rgba.fill(255, (y * png.width + from) * 4, (y * png.width + from + stain) * 4);
  assert.equal(readQr(png), USUAL);
});

test('the same text gives the same picture', async () => {
  assert.equal(qrSvg(USUAL), qrSvg(USUAL));
  assert.deepEqual(await qrPng(USUAL), await qrPng(USUAL));
});

test('a text that does not fit into a code is refused', async () => {
  assert.throws(() => qrSvg('x'.repeat(3_000)));
  await assert.rejects(async () => qrPng('x'.repeat(3_000)));
});
