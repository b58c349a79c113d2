// Reads OFX statements, 1.x (SGML, unclosed tags) and 2.x (XML), with one tokenizer, because Brazilian banks export
// mixtures of both. Only the five entities of XML, the no-break space and numeric entities are expanded.
import { centsOf } from './amount.ts';
import { ofxPosted } from './posted.ts';
import { StatementError } from './statement-error.ts';
import { type Direction, directed, isBalance, lineCounter, oneLine, type StatementLine } from './statement-line.ts';

// The lengths limit the search at each «<»; a «<» that opens no tag is text, as in «A < B».
const TOKEN = /<(?:!--|!\[CDATA\[|!DOCTYPE|\?|(\/?)([A-Za-z][A-Za-z0-9._-]{0,63})(?:\s[^<>]{0,300})?\/?>)/gi;
const ENDS: Readonly<Record<string, string>> = { '<!--': '-->', '<![CDATA[': ']]>', '<?': '?>' };
const ENTITY = /&(?:(amp|lt|gt|quot|apos|nbsp)|#(\d{1,7})|#x([0-9a-f]{1,6}));/gi;
const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

const ENTRY = 'STMTTRN';
/** An unclosed entry ends at the end of its list. */
const LIST_ENDS: readonly string[] = ['BANKTRANLIST', 'STMTRS', 'CCSTMTRS', 'STMTTRNRS', 'OFX'];
/** What follows a list that may be unclosed. No field of an entry begins as these do, so a part of the name is enough. */
const BALANCES: readonly string[] = ['LEDGERBAL', 'AVAILBAL'];
const SINGLE_FIELDS = ['TRNTYPE', 'DTPOSTED', 'TRNAMT', 'FITID', 'CURSYM'] as const;
const TEXT_FIELDS = ['NAME', 'MEMO', 'CHECKNUM', 'REFNUM'] as const;
/** The original currency of a purchase whose amount is already in the currency of the account. */
const ORIGINAL_CURRENCY = 'ORIGCURRENCY';
const REAIS: readonly string[] = ['', 'BRL', 'R$', '986'];
const DEBITS: readonly string[] = ['DEBIT', 'D'];

type Field = (typeof SINGLE_FIELDS)[number] | (typeof TEXT_FIELDS)[number];
type Draft = { readonly line: number; readonly number: number; readonly fields: Map<Field, string[]> };

/** Each begins a statement of one account, with its own currency. */
const SECTIONS: readonly string[] = ['STMTTRNRS', 'CCSTMTTRNRS', 'STMTRS', 'CCSTMTRS'];
/** Without these an entry at the end of a file is truncated. */
const NEEDED = ['DTPOSTED', 'TRNAMT', 'FITID'] as const;

/**
 * The entries of an OFX statement in order, each with its line number. An entry that cannot be read is a fault, and so is
 * a file without its closing tag; its last entry is read if all its fields are whole. Accounts in other currencies are
 * skipped. Refuses a file that is not OFX, declares a document type, or has no account in reais.
 */
export function* readOfx(text: string): Generator<StatementLine> {
  const lineAt = lineCounter(text);
  let opened = false;
  let closed = false;
  let number = 0;
  let draft: Draft | undefined;
  let leaf = '';
  let value = '';
  let originalCurrency = false;
  let from = 0;
  const section = { isInReais: true, entries: 0 };
  let hasReais = false;
  let hasOther = false;

  // Every step advances in the text, and the caller limits its length.
  for (let token = tokenAt(text, from); token; token = tokenAt(text, from)) {
    if (leaf !== '') value += unescapeText(text.slice(from, token.start));
    from = token.end;
    if (token.kind === 'doctype') {
      throw new StatementError('The file declares a document type, which no bank statement does.');
    }
    if (token.kind === 'raw') {
      if (leaf !== '') value += token.raw;
      continue;
    }
    if (leaf === 'CURDEF') {
      section.isInReais = REAIS.includes(oneLine(value).toUpperCase());
      hasOther ||= !section.isInReais;
      hasReais ||= section.isInReais;
      if (!section.isInReais && section.entries > 0) throw notInReais();
    }
    if (draft && isField(leaf) && !(leaf === 'CURSYM' && originalCurrency)) add(draft.fields, leaf, oneLine(value));
    leaf = token.kind === 'open' ? token.name : '';
    value = '';
    if (token.name === ORIGINAL_CURRENCY) originalCurrency = token.kind === 'open';
    if (token.kind === 'open' && SECTIONS.includes(token.name)) Object.assign(section, { isInReais: true, entries: 0 });
    if (token.name === 'OFX') {
      opened = true;
      closed = token.kind === 'close';
    }
    const begins = token.name === ENTRY && token.kind === 'open';
    const ends =
      token.kind === 'close' ? token.name === ENTRY || LIST_ENDS.includes(token.name) : BALANCES.includes(token.name);
    if (draft && (begins || ends)) {
      const line = lineOf(draft);
      if (line) yield line;
      draft = undefined;
    }
    if (begins && opened && section.isInReais) {
      hasReais = true;
      section.entries++;
      draft = { line: lineAt(token.start), number: ++number, fields: new Map() };
      originalCurrency = false;
    }
  }

  if (!opened) throw new StatementError('The file is not an OFX statement: it has no <OFX>.');
  if (hasOther && !hasReais) throw notInReais();
  const last = leaf === '' ? nothingMore(text.slice(from)) : wholeValue(text.slice(from));
  if (draft && last !== undefined) {
    if (isField(leaf)) add(draft.fields, leaf, oneLine(value + unescapeText(last)));
    const { fields } = draft;
    const line = NEEDED.every(name => fields.has(name)) ? lineOf(draft) : undefined;
    if (line) yield line;
  }
  if (!closed) yield { line: lineAt(text.length), message: 'The file ends before </OFX>: it may be cut short.' };
}

function notInReais(): StatementError {
  return new StatementError('The statement is not in reais: its CURDEF is another currency.');
}

/**
 * The value at the end of a file, if its line is finished; otherwise the rest of it may be missing. Only a closing tag or a balance may
 * begin after it: a truncated text may be «devolvido».
 */
function wholeValue(tail: string): string | undefined {
  const lineEnd = tail.lastIndexOf('\n');
  if (lineEnd === -1 || tail.includes('<!')) return undefined;
  return nothingMore(tail.slice(lineEnd)) === undefined ? undefined : tail.slice(0, lineEnd);
}

/** The empty text when at most a closing tag or a balance begins in what is left of a file; otherwise undefined. */
function nothingMore(tail: string): '' | undefined {
  const [, slash, name = ''] = /^<(\/?)([A-Z0-9._]*)$/i.exec(tail.trim()) ?? [];
  if (slash === undefined) return tail.trim() === '' ? '' : undefined;
  const beginsBalance = name !== '' && BALANCES.some(balance => balance.startsWith(name.toUpperCase()));
  return slash === '/' || beginsBalance ? '' : undefined;
}

type Token =
  | { readonly kind: 'open' | 'close'; readonly name: string; readonly start: number; readonly end: number }
  | { readonly kind: 'raw'; readonly raw: string; readonly start: number; readonly end: number }
  | { readonly kind: 'doctype'; readonly start: number; readonly end: number };

/** The next token at or after an offset; undefined at the end, and at an unclosed comment or CDATA section. */
function tokenAt(text: string, from: number): Token | undefined {
  TOKEN.lastIndex = from;
  const match = TOKEN.exec(text);
  if (!match) return undefined;
  const [mark, slash, name] = match;
  const start = match.index;
  const inside = start + mark.length;
  if (name !== undefined) {
    return { kind: slash === '/' ? 'close' : 'open', name: name.toUpperCase(), start, end: inside };
  }
  const closing = ENDS[mark.toUpperCase()];
  if (closing === undefined) return { kind: 'doctype', start, end: inside };
  const end = text.indexOf(closing, inside);
  if (end === -1) return undefined;
  const raw = closing === ']]>' ? text.slice(inside, end) : '';
  return { kind: 'raw', raw, start, end: end + closing.length };
}

/** Banks do not escape «&» in names of shops, so an unknown entity stays as it is. */
function unescapeText(text: string): string {
  return text.replace(ENTITY, (whole: string, name?: string, decimal?: string, hexadecimal?: string) => {
    if (name !== undefined) return NAMED[name.toLowerCase()] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal);
    const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    return isCharacter ? String.fromCodePoint(code) : whole;
  });
}

function isField(name: string): name is Field {
  return (SINGLE_FIELDS as readonly string[]).includes(name) || (TEXT_FIELDS as readonly string[]).includes(name);
}

function add(fields: Map<Field, string[]>, name: Field, value: string): void {
  const values = fields.get(name);
  if (values) values.push(value);
  else fields.set(name, [value]);
}

function lineOf({ line, number, fields }: Draft): StatementLine | undefined {
  const fault = (message: string) => ({ line, message: `Entry ${number}: ${message}.` });
  const one = (name: Field) => fields.get(name)?.[0] ?? '';
  const twice = SINGLE_FIELDS.find(name => (fields.get(name)?.length ?? 0) > 1);
  if (twice) return fault(`${twice} appears twice`);
  const texts = [...(fields.get('NAME') ?? []), ...(fields.get('MEMO') ?? [])];
  if (texts.length > 0 && texts.every(isBalance)) return undefined;
  if (!REAIS.includes(one('CURSYM').toUpperCase())) return fault('CURSYM is not the real');
  const posted = ofxPosted(one('DTPOSTED'));
  if (!posted) return fault('DTPOSTED is not a date');
  const cents = centsOf(one('TRNAMT'));
  if (cents === undefined) return fault('TRNAMT is not an amount in reais and cents');
  const direction: Direction | undefined = DEBITS.includes(one('TRNTYPE').toUpperCase()) ? 'debit' : undefined;
  return {
    line,
    posted,
    amountCents: directed(cents, direction),
    texts,
    bankId: one('FITID'),
    documentNumber: one('CHECKNUM'),
    otherIds: fields.get('REFNUM') ?? [],
    txidColumn: '',
    endToEndIdColumn: '',
  };
}
