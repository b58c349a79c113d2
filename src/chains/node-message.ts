// What nodes say, as a text for an operator: short, in one line, never evidence.

const MAX_LENGTH = 200;
const URL_TEXT = /\b[a-z][a-z0-9+.-]*:\/\/\S+/gi;
/** The path of a URL by itself, as in «Cannot POST /v2/…». */
const PATH_TEXT = /(?<!\w)\/[^\s"']{6,}/g;
const CONTROL = /\p{C}+/gu;

/** Without addresses of nodes: an error of a gateway may repeat the URL that it was called by, and that may hold a key. */
export function nodeMessage(text: string): string {
  const plain = text.replace(URL_TEXT, '…').replace(PATH_TEXT, '…').replace(CONTROL, ' ').trim();
  return plain.length > MAX_LENGTH ? `${plain.slice(0, MAX_LENGTH)}…` : plain;
}
