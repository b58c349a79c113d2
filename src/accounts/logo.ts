// Reads a logo. Only bitmap pictures are accepted, by their first bytes and not their name: an SVG could contain a script. Their size in
// pixels is checked too, since a few bytes can unpack to gigabytes in the payer's browser.

export type LogoType = 'image/png' | 'image/jpeg' | 'image/webp';
export type Logo = { readonly type: LogoType; readonly bytes: Buffer };

export const MAX_LOGO_BYTES = 32_768;
const MAX_SIDE = 1_024;
const DATA_URL = /^data:[\w/+.-]{0,50};base64,([A-Za-z0-9+/]+={0,2})$/;

type Size = { readonly width: number; readonly height: number };

/** The picture in a `data:` URL, or its fault. */
export function readLogo(text: string): { readonly logo: Logo } | { readonly wrong: string } {
  const base64 = DATA_URL.exec(text)?.[1];
  if (base64 === undefined) return { wrong: 'must be a data: URL in base64' };
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length > MAX_LOGO_BYTES) return { wrong: `must have at most ${MAX_LOGO_BYTES / 1024} kB` };
  const found = pictureIn(bytes);
  if (!found) return { wrong: 'must be a PNG, JPEG or WebP' };
  const { width, height } = found.size;
  if (width < 1 || height < 1 || width > MAX_SIDE || height > MAX_SIDE) {
    return { wrong: `must have at most ${MAX_SIDE} by ${MAX_SIDE} pixels` };
  }
  return { logo: { type: found.type, bytes } };
}

function pictureIn(bytes: Buffer): { readonly type: LogoType; readonly size: Size } | undefined {
  const readers = [
    ['image/png', pngSize],
    ['image/jpeg', jpegSize],
    ['image/webp', webpSize],
  ] as const;
  for (const [type, read] of readers) {
    const size = read(bytes);
    if (size) return { type, size };
  }
  return undefined;
}

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

/** https://www.w3.org/TR/png-3/#11IHDR */
function pngSize(bytes: Buffer): Size | undefined {
  if (bytes.length < 33 || !bytes.subarray(0, PNG.length).equals(PNG)) return undefined;
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

/** The size is in a start-of-frame segment. ITU-T T.81, B.2.2 */
function jpegSize(bytes: Buffer): Size | undefined {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return undefined;
  let at = 2;
  while (at + 9 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes.readUInt8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}

/** https://www.rfc-editor.org/rfc/rfc9649#section-2 */
function webpSize(bytes: Buffer): Size | undefined {
  if (bytes.length < 30 || bytes.toString('latin1', 0, 4) !== 'RIFF' || bytes.toString('latin1', 8, 12) !== 'WEBP') {
    return undefined;
  }
  const kind = bytes.toString('latin1', 12, 16);
  if (kind === 'VP8X') return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
  if (kind === 'VP8 ') return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
  if (kind !== 'VP8L') return undefined;
  const bits = bytes.readUInt32LE(21);
  return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
}
