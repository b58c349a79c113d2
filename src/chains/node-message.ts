// What nodes say, as a text for operators: short, on one line, never evidence.

const MAX_LENGTH = 200;
const URL_TEXT = /\b[a-z][a-z0-9+.-]*:\/\/\S+/gi;
/** The path of a URL by itself, as in «Cannot POST /v2/…». */
const PATH_TEXT = /(?<!\w)\/[^\s"']{6,}/g;
const CONTROL = /\p{C}+/gu;

/** Without addresses of nodes: the error of a gateway may repeat the URL that was called, which may hold a key. */
export function nodeMessage(text: string): string {
  const plain = text.replace(URL_TEXT, '…').replace(PATH_TEXT, '…').replace(CONTROL, ' ').trim();
  return plain.length > MAX_LENGTH ? `${plain.slice(0, MAX_LENGTH)}…` : plain;
}
