// CSV statements in the styles of several Brazilian banks; every name and number is invented.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readStatement } from '../../../src/rails/statement/statement.ts';
import { StatementError } from '../../../src/rails/statement/statement-error.ts';

const TXID = '03G7RM8Q2ZK5T1XW9B4C6D8F0';
const END_TO_END_ID = 'E99999999202611161503aBc12345678';

/** Only with the file itself. */
const readAlone = (text: string) => readStatement(Buffer.from(text), 'csv');
/** With the operator's confirmation that debits have a minus, so that a short file needs no debit. */
const read = (text: string, charset: BufferEncoding = 'utf8') =>
  readStatement(Buffer.from(text, charset), 'csv', { debitsHaveMinus: true });
const brief = (text: string, charset: BufferEncoding = 'utf8') =>
  read(text, charset).entries.map(({ postedDay, amountCents, text }) => [postedDay, amountCents, text]);
const references = (text: string) => read(text).entries.map(({ reference }) => reference);

test('a statement with commas and an id for each entry', () => {
  const reading = read(
    `Data,Valor,Identificador,Descrição\n16/11/2026,1234.56,6f1c0c52-1,"Transferência recebida pelo Pix - ""Ateliê"", ${TXID}"\n17/11/2026,-50.00,6f1c0c52-2,Compra no débito\n`,
  );
  assert.deepEqual(reading, {
    entries: [
      {
        reference: '6f1c0c52-1',
        postedDay: '2026-11-16',
        amountCents: 123_456n,
        text: `Transferência recebida pelo Pix - "Ateliê", ${TXID}`,
        txid: TXID,
      },
      { reference: '6f1c0c52-2', postedDay: '2026-11-17', amountCents: -5_000n, text: 'Compra no débito' },
    ],
    faults: [],
  });
});

test('a statement with lines about the account above its header, and two columns of text', () => {
  const text =
    'Extrato Conta Corrente\nConta ;00012-3\nPeríodo ;01/11/2026 a 30/11/2026\nSaldo ;1.000,00\n\nData Lançamento;Histórico;Descrição;Valor;Saldo\n16/11/2026;Pix recebido;Oficina Beira Mar;1.234,56;2.234,56\n16/11/2026;Tarifa;;-1,00;2.233,56\n';
  assert.deepEqual(brief(text), [
    ['2026-11-16', 123_456n, 'Pix recebido | Oficina Beira Mar'],
    ['2026-11-16', -100n, 'Tarifa'],
  ]);
});

test('a statement in Latin-1 with columns for credit and debit, and a balance above', () => {
  const text =
    'Data;Histórico;Docto.;Crédito (R$);Débito (R$);Saldo (R$);\r\n16/11/26;SALDO ANTERIOR;;;;100,00;\r\n16/11/26;PIX RECEBIDO AÇAÍ DO PORTO;1234567;10,00;;110,00;\r\n17/11/26;TARIFA;1234568;;-1,50;108,50;\r\n18/11/26;TARIFA;1234569;0,00;1,50;107,00;\r\n19/11/26;NADA;1;;;107,00;\r\n20/11/26;DOIS;1;1,00;1,00;107,00;\r\n';
  assert.deepEqual(brief(text, 'latin1'), [
    ['2026-11-16', 1_000n, 'PIX RECEBIDO AÇAÍ DO PORTO'],
    ['2026-11-17', -150n, 'TARIFA'],
    ['2026-11-18', -150n, 'TARIFA'],
  ]);
  assert.deepEqual(
    read(text, 'latin1').faults.map(({ line }) => line),
    [6, 7],
  );
});

test('a statement all in quotes, with a direction beside the amount and balances among its rows', () => {
  const text =
    '"Data","Lançamento","Detalhes","N° documento","Valor","Tipo Lançamento"\n"30/10/2026","Saldo Anterior","","","100,00",""\n"16/11/2026","Pix - Recebido","16/11 12:03 FEIRA DO LIVRO","161203","1.234,56","Entrada"\n"16/11/2026","Pix - Enviado","GRAFICA SOL","161204","34,56","Saída"\n"00/00/0000","S A L D O","","","1.300,00",""\n';
  assert.deepEqual(brief(text), [
    ['2026-11-16', 123_456n, 'Pix - Recebido | 16/11 12:03 FEIRA DO LIVRO'],
    ['2026-11-16', -3_456n, 'Pix - Enviado | GRAFICA SOL'],
  ]);
  assert.deepEqual(read(text).faults, []);
});

test('a pix report in English with tabs, a byte order mark, times and columns for both ids', () => {
  const { entries, faults } = read(
    `\ufeffDate\tTime\tAmount\tMemo\tTxId\tendToEndId\n2026-11-16\t12:03:04\tR$ 10,00 C\tpix in\tpedido42\t${END_TO_END_ID}\n2026-11-16\t\t10,00 D\tpix out ${TXID}\t***\t\n`,
  );
  assert.deepEqual(faults, []);
  assert.equal(entries[0]?.txid, 'PEDIDO42');
  assert.equal(entries[0]?.endToEndId, END_TO_END_ID);
  assert.deepEqual(entries[0]?.postedAt, new Date('2026-11-16T15:03:04Z'));
  assert.equal(entries[1]?.txid, TXID);
  assert.equal(entries[1]?.amountCents, -1_000n);
  assert.equal(entries[1]?.postedAt, undefined);
});

test('an amount with a bare comma in a file of commas is a fault, never a smaller amount', () => {
  const { entries, faults } = read(
    'data,valor,descricao\n16/11/2026,10,00,pix\n16/11/2026,10,00\n16/11/2026,10\n16/11/2026,"10,00",pix\n',
  );
  assert.deepEqual(
    faults.map(({ line }) => line),
    [2, 4],
  );
  // Line 3 has as many columns as the header and looks like an amount of ten with the text «00».
  assert.deepEqual(
    entries.map(({ amountCents }) => amountCents),
    [1_000n, 1_000n],
  );
});

test('a row that cannot be read is a fault with its line, and the others still come', () => {
  const { entries, faults } = read(
    [
      'data;valor;memo',
      '16/11/2026;1,00;"duas',
      'linhas"',
      '31/11/2026;1,00;x',
      '16/11/2026;um;x',
      '16/11/2026;1,00;"aberta',
      '16/11/2026;2,00;x',
      '16/11/2026;1,00;"x" y',
      '16/11/2026;1,00;x;y',
      ';;',
      '',
      `16/11/2026;1,00;${'x'.repeat(20_000)}`,
      '16/11/2026;3,00;PIX "LOJA" x',
      '16/11/2026;4,00',
      'Total;10,00',
    ].join('\r\n'),
  );
  assert.deepEqual(
    entries.map(({ amountCents, text }) => [amountCents, text]),
    [
      [100n, 'duas linhas'],
      [200n, 'x'],
      [300n, 'PIX "LOJA" x'],
      [400n, ''],
    ],
  );
  assert.deepEqual(
    faults.map(({ line }) => line),
    [4, 5, 6, 8, 9, 12, 15],
  );
});

test('two equal rows have different references, the same each time', () => {
  const text = 'data;valor;memo\n16/11/2026;10,00;pix\n16/11/2026;10,00;pix\n16/11/2026;10,01;pix\n';
  const [first, second, third] = references(text);
  assert.equal(new Set([first, second, third]).size, 3);
  assert.deepEqual(references(text), [first, second, third]);
});

test('a row keeps its reference in a longer file, another order, separator, charset and style', () => {
  const row = references('data;valor;memo\n16/11/2026;1.010,00;pão\n')[0];
  assert.equal(references('memo,date,amount\nantes,2026-11-15,5.00\npão,2026-11-16,1010.00\n')[1], row);
  const latin1 = read('Data\tValor\tMemo\n16/11/2026\tR$ 1.010,00\tpão\n', 'latin1');
  assert.equal(latin1.entries[0]?.reference, row);
});

test('a repeated document number is another entry, in the same file and in the next', () => {
  const head = 'data;valor;documento\n';
  const [first, second, third] = references(`${head}16/11/2026;1,00;77\n17/11/2026;1,00;77\n17/11/2026;1,00;77\n`);
  assert.equal(new Set([first, second, third]).size, 3);
  assert.match(first ?? '', /^77~/);
  assert.deepEqual(references(`${head}17/11/2026;1,00;77\n`), [second]);
});

test('a column of ids that holds txids does not make two payments of one code the same', () => {
  const [first, second] = references(`data;valor;identificador\n16/11/2026;1,00;${TXID}\n17/11/2026;1,00;${TXID}\n`);
  assert.notEqual(first, second);
  assert.deepEqual(references(`data;valor;identificador\n17/11/2026;1,00;${TXID}\n`), [second]);
  assert.equal(read(`data;valor;identificador\n16/11/2026;1,00;${TXID}\n`).entries[0]?.txid, TXID);
});

test('one id with the same content is one entry; with other content it is another', () => {
  const { entries, faults } = read('data;valor;id\n16/11/2026;1,00;a\n16/11/2026;1,00;a\n16/11/2026;2,00;a\n');
  assert.deepEqual(
    entries.map(({ amountCents }) => amountCents),
    [100n, 200n],
  );
  assert.deepEqual(
    faults.map(({ line }) => line),
    [3],
  );
});

test('a file that is not a CSV statement is refused', () => {
  const refused = (text: string, message: RegExp) =>
    assert.throws(
      () => read(text),
      error => error instanceof StatementError && message.test(error.message),
    );
  refused('', /have no heading with a date and an amount/);
  refused('OFXHEADER:100\n<OFX></OFX>', /have no heading with a date and an amount/);
  refused('16/11/2026;PIX;10,00\n', /have no heading with a date and an amount/);
  refused(`${'x\n'.repeat(60)}data;valor\n`, /first 50 lines/);
  refused('data;valor;amount\n16/11/2026;1,00;2,00\n', /two columns/);
  refused(
    'Data;Estabelecimento;Portador;Valor;Parcela\n16/11/2026;PADARIA;A B;R$ 10,00;-\n',
    /credit card \(column «Portador»\)/,
  );
  refused('Data de Compra;Nome no Cartão;Descrição;Data;Valor\n;A B;PADARIA;16/11/2026;10,00\n', /«Nome no Cartão»/);
  assert.deepEqual(read('data;valor').entries, []);
});

const DIRECTION_NAMES = [
  ...['Deb/Cred', 'Déb./Créd.', 'Cred/Deb', 'Débito/Crédito', 'Crédito/Débito', 'D/C', 'C/D', 'Tipo', 'Tipo Movimento'],
  ...['Tipo de Movimento', 'Tipo Movimentação', 'Tipo Lançamento', 'Tipo de Transação', 'Tipo Operação', 'Operação'],
  ...['Natureza', 'Sinal', 'Entrada/Saída', 'Indicador', 'Indicador D/C', 'Sentido', 'Movimentação', 'Direction'],
];
const WORDS = [
  ['C', 'D'],
  ['CR', 'DB'],
  ['Crédito', 'Débito'],
  ['CREDITO', 'DEBITO'],
  ['Entrada', 'Saída'],
  ['+', '-'],
  ['Recebido', 'Enviado'],
  ['Pix recebido', 'Pix enviado'],
] as const;

test('a column for the direction is recognised by its common names and values, and a debit is never received', () => {
  for (const name of DIRECTION_NAMES) {
    for (const [credit, debit] of WORDS) {
      const text = `Data;Histórico;Valor;${name}\n16/11/2026;A;10,00;${credit}\n16/11/2026;B;20,00;${debit}\n`;
      const { entries, faults } = readAlone(text);
      assert.deepEqual(faults, [], `${name} ${debit}`);
      assert.deepEqual(
        entries.map(({ amountCents }) => amountCents),
        [1_000n, -2_000n],
        `${name} ${debit}`,
      );
    }
  }
});

test('a column for entries and exits decides by its letters, also when other rows have signs', () => {
  for (const name of ['Entrada/Saída', 'E/S', 'Entradas/Saídas', 'Entradas e Saídas']) {
    const text = `Data;Valor;Memo;${name}\n16/11/2026;10,00;A;E\n16/11/2026;20,00;B;S\n16/11/2026;-3,00;C;E\n`;
    const { entries, faults } = readAlone(text);
    assert.deepEqual(faults, [], name);
    assert.deepEqual(
      entries.map(({ amountCents }) => amountCents),
      [1_000n, -2_000n, -300n],
      name,
    );
  }
});

test('an amount without a sign and a known direction is a fault that says what to do', () => {
  const cases = {
    'nothing beside it': 'Data;Valor;Memo\n16/11/2026;10,00;x\n',
    'a column with an unknown name': 'Data;Valor;Memo;Xyz\n16/11/2026;10,00;x;D\n16/11/2026;10,00;x;C\n',
    'a debit under an unknown name, and minus signs elsewhere':
      'Data;Valor;Memo;Xyz\n16/11/2026;10,00;PIX RECEBIDO;D\n16/11/2026;-1,00;x;D\n',
    'the letters of entry and exit under another name': 'Data;Valor;Xyz\n16/11/2026;10,00;E\n16/11/2026;10,00;S\n',
    'a text that begins with a debit under an unknown name, and minus signs elsewhere':
      'Data;Valor;Memo;Xyz\n16/11/2026;10,00;x;DEBITO EM CONTA\n16/11/2026;-1,00;TARIFA;\n',
    'a minus before a return alone': 'Data;Valor;Memo\n16/11/2026;10,00;x\n16/11/2026;-1,00;ESTORNO TARIFA\n',
    'a minus before a return under an unknown name':
      'Data;Valor;Memo;Xyz\n16/11/2026;10,00;x;\n16/11/2026;-1,00;x;ESTORNO\n',
    'a minus before a credit alone': 'Data;Valor;Memo;Tipo\n16/11/2026;10,00;x;\n16/11/2026;-1,00;x;C\n',
    'two columns that contradict each other': 'Data;Valor;Tipo;D/C\n16/11/2026;10,00;Crédito;D\n',
    'a return, which may go either way': 'Data;Valor;Memo\n16/11/2026;10,00;Pix recebido devolvido\n',
    'a minus in a file that also has a debit without one':
      'Data;Valor;Tipo\n16/11/2026;10,00;\n16/11/2026;-10,00;\n16/11/2026;10,00;D\n',
  };
  for (const [what, text] of Object.entries(cases)) {
    const { entries, faults } = readAlone(text);
    assert.ok(!entries.some(({ amountCents }) => amountCents > 0n), what);
    assert.match(faults[0]?.message ?? '', /is a credit or a debit.*«Tipo».*--debits-have-minus/, what);
  }
});

test('an unknown value in the column of the direction is always a fault', () => {
  const rows = (...texts: string[]) =>
    `Data;Valor;Memo;Tipo\n${texts.map(word => `16/11/2026;10,00;x;${word}\n`).join('')}16/11/2026;-1,00;TARIFA;\n`;
  const { entries, faults } = read(rows('Pagamento', 'PIX', 'E', 'S', 'Pix recebido'));
  assert.deepEqual(
    faults.map(({ line }) => line),
    [2, 3, 4, 5],
  );
  assert.deepEqual(
    entries.map(({ amountCents }) => amountCents),
    [1_000n, -100n],
  );
  assert.match(faults[0]?.message ?? '', /is a credit or a debit\. Write C or D there; or.*«Histórico»/);
  // Each fix that the message names.
  assert.deepEqual(read(rows('PIX').replace('Tipo', 'Histórico')).faults, []);
  assert.deepEqual(readAlone('Data;Valor;Tipo;D/C\n16/11/2026;10,00;PIX;C\n').faults, []);
});

test('a fee for a received pix is not taken for a credit', () => {
  const descriptions = [
    'TARIFA PIX RECEBIDO',
    'Tarifa de recebimento Pix',
    'TAR. PIX RECEBIDO',
    'IOF',
    'Taxa Pix recebido',
  ];
  const file = `Data;Valor;Memo\n${descriptions.map(word => `16/11/2026;1,00;${word}\n`).join('')}16/11/2026;1,00;Cobrança tarifa pix recebido\n`;
  const alone = readAlone(file);
  assert.deepEqual(alone.entries, []);
  assert.equal(alone.faults.length, descriptions.length + 1);
  assert.match(alone.faults[0]?.message ?? '', /fee .* a minus or a plus/);
  assert.equal(read(file).faults.length, descriptions.length);
  const signed = readAlone('Data;Valor;Memo\n16/11/2026;-1,00;TARIFA PIX RECEBIDO\n16/11/2026;+1,00;TARIFA\n');
  assert.deepEqual(
    signed.entries.map(({ amountCents }) => amountCents),
    [-100n, 100n],
  );
});

test('a sign, a letter, a text of the bank or the operator decides the direction, and no other row does', () => {
  const cents = ({ entries, faults }: ReturnType<typeof read>) => {
    assert.deepEqual(faults, []);
    return entries.map(({ amountCents }) => amountCents);
  };
  const file = (...rows: string[]) => `Data;Valor;Memo\n${rows.map(row => `16/11/2026;${row}\n`).join('')}`;
  assert.deepEqual(cents(readAlone(file('+10,00;x', '5,00 C;x', '5,00 D;x', '(5,00);x', '0,00;x'))), [
    1_000n,
    500n,
    -500n,
    -500n,
    0n,
  ]);
  assert.deepEqual(
    cents(
      readAlone(file('10,00;Transferência recebida pelo Pix - A', '5,00;PIX - RECEBIDO A', '1,00;Pix enviado - A')),
    ),
    [1_000n, 500n, -100n],
  );
  assert.deepEqual(cents(read(file('10,00;x', '-5,00;x'))), [1_000n, -500n]);
  const { entries, faults } = readAlone(file('10,00;x', '-5,00;x'));
  assert.deepEqual([entries.map(({ amountCents }) => amountCents), faults.map(({ line }) => line)], [[-500n], [2]]);
});

test('the operator cannot turn a debit without a sign into a credit', () => {
  const { entries, faults } = read('Data;Valor;Tipo\n16/11/2026;10,00;D\n16/11/2026;10,00;PIX\n');
  assert.deepEqual(
    entries.map(({ amountCents }) => amountCents),
    [-1_000n],
  );
  assert.deepEqual(
    faults.map(({ line }) => line),
    [3],
  );
});

test('a column «tipo» with the kind of movement is text, and its balances are no entries', () => {
  const text = [
    'Tipo;Protocolo;Data;Valor',
    'Saldo anterior;;15/11/2026;1.000,00',
    `Pix recebido ${TXID};9001;16/11/2026;10,00`,
    'Tarifa de pix;9002;16/11/2026;-0,50',
    'Saldo do dia 16/11/2026;;16/11/2026;1.009,50',
  ].join('\n');
  assert.deepEqual(readAlone(text).faults, []);
  assert.deepEqual(
    readAlone(text).entries.map(({ amountCents, text, txid }) => [amountCents, text, txid]),
    [
      [1_000n, `Pix recebido ${TXID}`, TXID],
      [-50n, 'Tarifa de pix', undefined],
    ],
  );
});

test('columns «transação» and «identificação» are text, and searched for a txid', () => {
  const { entries } = readAlone(
    `Data,Transação,Tipo Transação,Identificação,Valor\n16/11/2026,Transf Pix recebida,CRÉDITO,Maria ${TXID},"10,00"\n17/11/2026,Transf ${TXID},CRÉDITO,Maria,"10,00"\n`,
  );
  assert.deepEqual(
    entries.map(({ txid }) => txid),
    [TXID, TXID],
  );
  assert.equal(entries[0]?.text, `Transf Pix recebida | Maria ${TXID}`);
});

test('a statement with «Data Mov.», days in eight digits and a column «Deb_Cred»', () => {
  const text =
    '"Conta";"Data Mov.";"Nr_Doc";"Historico";"Valor";"Deb_Cred"\n"00012";"20261116";"161203";"CRED PIX";"6000.000,00";"C"\n"00012";"20261116";"161204";"ENVIO PIX";"20.00";"D"\n';
  assert.deepEqual(readAlone(text).faults, []);
  assert.deepEqual(
    readAlone(text).entries.map(({ postedDay, amountCents }) => [postedDay, amountCents]),
    [
      ['2026-11-16', 600_000_000n],
      ['2026-11-16', -2_000n],
    ],
  );
});

test('returned money is marked as such also when the bank abbreviates', () => {
  const texts = [
    'DEV PIX',
    'DEVOL. PIX',
    'Devol Pix',
    'EST. PIX ENV',
    'REVERSÃO PIX',
    'PIX RETORNADO',
    'PIX REJEITADO',
  ];
  const names = ['PIX RECEBIDO DEV SISTEMAS LTDA', 'PIX EST SOLUCOES', 'Pix de Estevao'];
  const rows = [...texts, ...names].map(text => `16/11/2026;1,00;${text} ${TXID};C\n`);
  const { entries } = read(`Data;Valor;Memo;Tipo\n${rows.join('')}`);
  assert.deepEqual(
    entries.filter(({ isReturn }) => isReturn).map(({ text }) => text.replace(` ${TXID}`, '')),
    texts,
  );
  assert.equal(entries.length, rows.length);
});

test('returned money is marked as such', () => {
  const { entries } = read(
    'Data;Valor;Memo\n16/11/2026;1,00;Devolução de Pix\n16/11/2026;1,00;ESTORNO TARIFA\n16/11/2026;1,00;Pix devolvido\n16/11/2026;1,00;TED cancelada\n16/11/2026;1,00;Pix de Devolder\n',
  );
  assert.deepEqual(
    entries.map(({ isReturn }) => isReturn),
    [true, true, true, true, undefined],
  );
});
