// What nodes say, as a text for an operator: short, in one line, never evidence.

const MAX_LENGTH = 200;
const URL_TEXT = /\b[a-z][a-z0-9+.-]*:\/\/\S+/gi;
/** The path of a URL by itself, as in «Cannot POST /v2/…». */
const PATH_TEXT = /(?<!\w)\/[^\s"']{6,}/g;
const CONTROL = /\p{C}+/gu;

/** Without addresses of nodes: an error of a gateway may repeat the URL that it was called by, and that may hold a key. */
export function nodeWords(text: string): string {
  const words = text.replace(URL_TEXT, '…').replace(PATH_TEXT, '…').replace(CONTROL, ' ').trim();
  return words.length > MAX_LENGTH ? `${words.slice(0, MAX_LENGTH)}…` : words;
}
