// OFX statements in the styles of several Brazilian banks; every name and number is invented.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readStatement } from '../../../src/rails/statement/statement.ts';
import { StatementError } from '../../../src/rails/statement/statement-error.ts';

const TXID = '03G7RM8Q2ZK5T1XW9B4C6D8F0';
const END_TO_END_ID = 'E99999999202611161503aBc12345678';

const read = (text: string, charset: BufferEncoding = 'utf8') => readStatement(Buffer.from(text, charset), 'ofx');
const wrapped = (body: string) =>
  `OFXHEADER:100\n\n<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>BRL\n<BANKTRANLIST>\n${body}\n</BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>\n`;
const entry = (fields: string) => `<STMTTRN><DTPOSTED>20261116<TRNAMT>10.00${fields}</STMTTRN>`;

const OLD_BANK = `OFXHEADER:100
DATA:OFXSGML
VERSION:102
SECURITY:NONE
ENCODING:USASCII
CHARSET:1252
COMPRESSION:NONE
OLDFILEUID:NONE
NEWFILEUID:NONE

<OFX>
<SIGNONMSGSRSV1><SONRS><STATUS><CODE>0<SEVERITY>INFO</STATUS><DTSERVER>20261117080000[-3:BRT]<LANGUAGE>POR</SONRS></SIGNONMSGSRSV1>
<BANKMSGSRSV1>
<STMTTRNRS>
<TRNUID>1001
<STMTRS>
<CURDEF>BRL
<BANKACCTFROM><BANKID>0999<ACCTID>000123<ACCTTYPE>CHECKING</BANKACCTFROM>
<BANKTRANLIST>
<DTSTART>20261101100000[-3:BRT]
<DTEND>20261130100000[-3:BRT]
<STMTTRN>
<TRNTYPE>CREDIT
<DTPOSTED>20261116120000[-3:BRT]
<TRNAMT>1234,56
<FITID>20261116001
<CHECKNUM>20261116001
<MEMO>PIX RECEBIDO PADARIA SÃO JOSÉ ${TXID.toLowerCase()}
</STMTTRN>
<STMTTRN>
<TRNTYPE>DEBIT
<DTPOSTED>20261117000000[-3:BRT]
<TRNAMT>-12,90
<FITID>20261117001
<MEMO>TARIFA MANUTENÇÃO & SERVIÇOS
</STMTTRN>
</BANKTRANLIST>
<LEDGERBAL><BALAMT>1221,66<DTASOF>20261130100000[-3:BRT]</LEDGERBAL>
</STMTRS>
</STMTTRNRS>
</BANKMSGSRSV1>
</OFX>
`.replaceAll('\n', '\r\n');

test('an SGML statement in 1252 with open tags, decimal commas and CRLF is read', () => {
  const expected = {
    entries: [
      {
        reference: '20261116001',
        postedDay: '2026-11-16',
        postedAt: new Date('2026-11-16T15:00:00Z'),
        amountCents: 123_456n,
        text: `PIX RECEBIDO PADARIA SÃO JOSÉ ${TXID.toLowerCase()}`,
        txid: TXID,
      },
      {
        reference: '20261117001',
        postedDay: '2026-11-17',
        amountCents: -1_290n,
        text: 'TARIFA MANUTENÇÃO & SERVIÇOS',
      },
    ],
    faults: [],
  };
  assert.deepEqual(read(OLD_BANK, 'latin1'), expected);
  // The header says 1252, wrongly.
  assert.deepEqual(read(OLD_BANK, 'utf8'), expected);
});

test('an XML statement with escapes, CDATA, a comment and a nested payee is read', () => {
  const { entries, faults } = read(`<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<?OFX OFXHEADER="200" VERSION="211" SECURITY="NONE" OLDFILEUID="NONE" NEWFILEUID="NONE"?>
<!-- <STMTTRN> in a comment is none -->
<OFX xmlns:x="urn:example">
  <BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>BRL</CURDEF><BANKTRANLIST>
    <STMTTRN>
      <TRNTYPE>CREDIT</TRNTYPE><DTPOSTED>20261116150312.000[0:GMT]</DTPOSTED><TRNAMT>10.00</TRNAMT>
      <FITID>6f1c-a&amp;b</FITID><CHECKNUM/>
      <PAYEE><NAME>Caf&#233; &quot;A&#x26;B&quot; &lt;Ltda&gt;</NAME><CITY>Olinda</CITY></PAYEE>
      <MEMO><![CDATA[Pix & <afins> ${END_TO_END_ID}]]></MEMO>
      <ORIGCURRENCY><CURRATE>5.5</CURRATE><CURSYM>USD</CURSYM></ORIGCURRENCY>
    </STMTTRN>
  </BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1>
</OFX>`);
  assert.deepEqual(faults, []);
  assert.deepEqual(entries, [
    {
      reference: '6f1c-a&b',
      postedDay: '2026-11-16',
      postedAt: new Date('2026-11-16T15:03:12Z'),
      amountCents: 1_000n,
      text: `Café "A&B" <Ltda> | Pix & <afins> ${END_TO_END_ID}`,
      endToEndId: END_TO_END_ID,
    },
  ]);
});

test('a statement on one line, with entries left open, is read', () => {
  const { entries, faults } = read(
    '<ofx><stmtrs><curdef>BRL<banktranlist><stmttrn><dtposted>20261116<trnamt>1.00<fitid>a<memo>x<stmttrn><dtposted>20261117<trnamt>2.00<fitid>b<memo>y</banktranlist></stmtrs></ofx>',
  );
  assert.deepEqual(faults, []);
  assert.deepEqual(
    entries.map(({ reference, amountCents, text }) => [reference, amountCents, text]),
    [
      ['a', 100n, 'x'],
      ['b', 200n, 'y'],
    ],
  );
});

test('an entry that cannot be read is a fault with its line, and the others still come', () => {
  const { entries, faults } = read(
    wrapped(
      [
        entry('<FITID>1'),
        '<STMTTRN>\n<DTPOSTED>20261116\n<TRNAMT>1.234\n<FITID>2\n</STMTTRN>',
        '<STMTTRN><DTPOSTED>20261131<TRNAMT>1.00<FITID>3</STMTTRN>',
        '<STMTTRN><DTPOSTED>20261116<FITID>4</STMTTRN>',
        entry('<TRNAMT>20.00<FITID>5'),
        entry('<FITID>6<CURRENCY><CURRATE>5.5<CURSYM>USD</CURRENCY>'),
        entry(`<FITID>${'7'.repeat(256)}`),
        entry('<FITID>8'),
      ].join('\n'),
    ),
  );
  assert.deepEqual(
    entries.map(({ reference }) => reference),
    ['1', '8'],
  );
  assert.deepEqual(faults, [
    { line: 6, message: 'Entry 2: TRNAMT is not an amount in reais and cents.' },
    { line: 11, message: 'Entry 3: DTPOSTED is not a date.' },
    { line: 12, message: 'Entry 4: TRNAMT is not an amount in reais and cents.' },
    { line: 13, message: 'Entry 5: TRNAMT appears twice.' },
    { line: 14, message: 'Entry 6: CURSYM is not the real.' },
    { line: 15, message: "The bank's id is longer than 255 characters." },
  ]);
});

test('a file that is cut short never gives half an entry', () => {
  const whole = wrapped(`${entry('<FITID>1<MEMO>um')}\n<STMTTRN><DTPOSTED>20261116<TRNAMT>1500.00<FITID>2</STMTTRN>`);
  const second = whole.indexOf('1500.00');
  const { entries, faults } = read(whole.slice(0, second + 2));
  assert.deepEqual(
    entries.map(({ reference }) => reference),
    ['1'],
  );
  assert.deepEqual(faults, [{ line: 6, message: 'The file ends before </OFX>: it may be cut short.' }]);
});

test('a debit is never a credit, with or without its sign', () => {
  const of = (type: string, amount: string) =>
    read(wrapped(`<STMTTRN><TRNTYPE>${type}<DTPOSTED>20261116<TRNAMT>${amount}<FITID>1</STMTTRN>`)).entries[0]
      ?.amountCents;
  assert.equal(of('DEBIT', '10.00'), -1_000n);
  assert.equal(of('DEBIT', '-10.00'), -1_000n);
  assert.equal(of('CREDIT', '-10.00'), -1_000n);
  assert.equal(of('PAYMENT', '10.00'), 1_000n);
});

test('ids of a pix are also found in the fields for numbers', () => {
  const { entries } = read(
    wrapped([entry(`<FITID>${END_TO_END_ID}<REFNUM>${TXID}`), entry(`<FITID>2<CHECKNUM>${TXID}`)].join('\n')),
  );
  assert.equal(entries[0]?.endToEndId, END_TO_END_ID);
  assert.equal(entries[0]?.reference, END_TO_END_ID);
  assert.deepEqual(
    entries.map(({ txid }) => txid),
    [TXID, TXID],
  );
});

test('two different entries with one id are both kept; one entry that is listed twice counts once', () => {
  const other = '<STMTTRN><DTPOSTED>20261117<TRNAMT>10.00<FITID>000000</STMTTRN>';
  const { entries, faults } = read(wrapped([entry('<FITID>000000'), other, entry('<FITID>000000'), other].join('\n')));
  assert.equal(entries.length, 2);
  assert.equal(entries[0]?.reference, '000000');
  assert.match(entries[1]?.reference ?? '', /^000000~[0-9a-f]{32}$/);
  assert.deepEqual(
    faults.map(({ line }) => line),
    [7, 8],
  );
});

test('entries without an id are identified by their content and number', () => {
  const { entries } = read(wrapped([entry('<FITID><MEMO>a'), entry('<FITID>\n<MEMO>a'), entry('<MEMO>b')].join('\n')));
  assert.equal(new Set(entries.map(({ reference }) => reference)).size, 3);
});

test('a balance is not an entry', () => {
  const body = [entry('<FITID>1<MEMO>SALDO ANTERIOR'), entry('<FITID>2<MEMO>Saldo Bazar Ltda')].join('\n');
  assert.deepEqual(
    read(wrapped(body)).entries.map(({ reference }) => reference),
    ['2'],
  );
});

test('what is not an escape or a tag stays as written, and control characters do not', () => {
  const { entries } = read(wrapped(entry('<FITID>1<MEMO>A&B &euro; &#0; &#xD800; 1 < 2\u0000 <3')));
  assert.equal(entries[0]?.text, 'A&B &euro; &#0; &#xD800; 1 < 2 <3');
});

test('a very long text is cut only after its ids were found', () => {
  const { entries } = read(wrapped(entry(`<FITID>1<MEMO>${'😀'.repeat(2_000)}x ${TXID}`)));
  assert.equal(entries[0]?.txid, TXID);
  assert.equal(entries[0]?.text.length, 1_000);
  const odd = read(wrapped(entry(`<FITID>1<MEMO>x${'😀'.repeat(2_000)}`))).entries[0]?.text ?? '';
  assert.ok(odd.isWellFormed() && odd.length === 999);
});

test('a file that is not an OFX statement in reais is refused', () => {
  const refused = (text: string, message: RegExp) =>
    assert.throws(
      () => read(text),
      error => error instanceof StatementError && message.test(error.message),
    );
  refused('', /no <OFX>/);
  refused('Data;Valor\n16/11/2026;10,00\n', /no <OFX>/);
  refused('%PDF-1.7 <<>>', /no <OFX>/);
  refused('<OFX><CURDEF>USD<BANKTRANLIST></BANKTRANLIST></OFX>', /not in reais/);
  refused('<!DOCTYPE OFX [<!ENTITY a "b">]><OFX></OFX>', /document type/);
  assert.throws(() => readStatement(Buffer.from('\ufeff<OFX></OFX>', 'utf16le'), 'ofx'), StatementError);
});

test('signs that only windows-1252 has are read', () => {
  const bytes = Buffer.concat([
    Buffer.from('<OFX><STMTTRN><DTPOSTED>20261116<TRNAMT>1.00<FITID>1<MEMO>', 'latin1'),
    Buffer.from([0x80, 0x20, 0x96, 0x20, 0x93, 0xe7, 0x94]),
    Buffer.from('</STMTTRN></OFX>', 'latin1'),
  ]);
  assert.equal(readStatement(bytes, 'ofx').entries[0]?.text, '€ – “ç”');
});

const section = (currency: string, body: string) =>
  `<STMTTRNRS><STMTRS><CURDEF>${currency}<BANKTRANLIST>${body}</BANKTRANLIST></STMTRS></STMTTRNRS>`;

test('with accounts in reais and in dollars only those in reais are read', () => {
  const body =
    section('BRL', entry('<FITID>1')) + section('USD', entry('<FITID>2')) + section('BRL', entry('<FITID>3'));
  const { entries, faults } = read(`<OFX><BANKMSGSRSV1>${body}</BANKMSGSRSV1></OFX>`);
  assert.deepEqual(faults, []);
  assert.deepEqual(
    entries.map(({ reference }) => reference),
    ['1', '3'],
  );
  const late = `<OFX><STMTRS>${entry('<FITID>1')}<CURDEF>USD</STMTRS>${section('BRL', entry('<FITID>2'))}</OFX>`;
  assert.throws(() => read(late), /not in reais/);
});

test('a last entry with complete lines is read without its closing tags; one that may be cut is not', () => {
  const head = `<OFX><STMTRS><CURDEF>BRL\n<BANKTRANLIST>\n${entry('<FITID>1')}\n<STMTTRN>\n<DTPOSTED>20261116\n`;
  const cut = [{ line: 0, message: 'The file ends before </OFX>: it may be cut short.' }];
  const references = (tail: string) => {
    const { entries, faults } = read(head + tail);
    assert.deepEqual(
      faults.map(fault => ({ ...fault, line: 0 })),
      cut,
    );
    return entries.map(({ reference, text }) => `${reference} ${text}`.trim());
  };
  assert.deepEqual(references('<TRNAMT>15.00\n<FITID>2\n<MEMO>dois\n'), ['1', '2 dois']);
  assert.deepEqual(references('<TRNAMT>15.00\n<FITID>2\n<MEMO>dois\n</STMTT'), ['1', '2 dois']);
  assert.deepEqual(references('<TRNAMT>15.00</TRNAMT><FITID>2</FITID>'), ['1', '2']);
  assert.deepEqual(references('<FITID>2\n<MEMO>dois\n<TRNAMT>15'), ['1']);
  assert.deepEqual(references('<TRNAMT>15.00\n<FITID>2\n<MEMO>Pix devolv'), ['1']);
  assert.deepEqual(references('<TRNAMT>15.00\n'), ['1']);
  // The list was over, though it is not closed.
  for (const next of ['<LEDGERBAL>', '<LEDGERBAL>\n<BALAMT>12', '<AVAILBAL><BALAMT>1', '<LEDGERB', '<A']) {
    assert.deepEqual(references(`<TRNAMT>15.00\n<FITID>2\n<MEMO>dois\n${next}`), ['1', '2 dois'], next);
    assert.deepEqual(references(`<TRNAMT>15.00</TRNAMT><FITID>2</FITID>\n${next}`), ['1', '2'], next);
  }
  // Another field had begun.
  for (const next of ['<MEMO', '<', '<MEMO ', '<![CDATA[dois\n']) {
    assert.deepEqual(references(`<TRNAMT>15.00\n<FITID>2\n${next}`), ['1'], next);
    assert.deepEqual(references(`<TRNAMT>15.00</TRNAMT>\n<FITID>2</FITID>\n${next}`), ['1'], next);
  }
  assert.deepEqual(references('<TRNAMT>15.00\n<FITID>2\n<MEMO><![CDATA[Pix\n'), ['1']);
  assert.deepEqual(references('<TRNAMT>15.00</TRNAMT>\n<FITID>2</FITID>\n</'), ['1', '2']);
});
