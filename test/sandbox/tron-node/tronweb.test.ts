// The simulated node accepts what tronweb builds, signs and sends, and shows it as tronweb expects: the two are independent.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { TronWeb, utils } from 'tronweb';
import { startTronNode, type TronNode } from '../../../src/sandbox/tron-node/start.ts';

const KEY = '11'.repeat(32);
const PAYEE = 'TJRyWwFs9wTFGZg3JbrVriFbNfCug5tDeC';
const TOKEN = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';

let node: TronNode;
let tronWeb: TronWeb;
let sender: string;

before(async () => {
  node = await startTronNode({ blocks: 'manual' });
  tronWeb = new TronWeb({ fullHost: node.endpoints[0].url, privateKey: KEY });
  sender = tronWeb.address.fromPrivateKey(KEY) || '';
  node.setBalance(sender, 1_000_000_000n);
  node.setToken(TOKEN, { balances: { [sender]: 500_000_000n } });
});
after(() => node.stop());

test('a transfer of TRX by tronweb is accepted and carried out', async () => {
  const unsigned = await tronWeb.transactionBuilder.sendTrx(PAYEE, 2_500_000, sender);
  const sent = await tronWeb.trx.sendRawTransaction(await tronWeb.trx.sign(unsigned, KEY));
  assert.equal(sent.result, true);
  node.produce();
  assert.equal(node.balance(PAYEE), 2_500_000n);
  // 1 TRX for the new account, 0.1 in place of bandwidth.
  assert.equal(node.balance(sender), 1_000_000_000n - 2_500_000n - 1_100_000n);
  const info = await tronWeb.trx.getUnconfirmedTransactionInfo(unsigned.txID);
  assert.equal(info.fee, 1_100_000);
  assert.equal(await tronWeb.trx.getUnconfirmedBalance(PAYEE), 2_500_000);
});

test('a transfer of a token by tronweb is accepted and carried out', async () => {
  const parameters = [
    { type: 'address', value: PAYEE },
    { type: 'uint256', value: '7000000' },
  ];
  const options = { feeLimit: 30_000_000, txLocal: true };
  const { transaction } = await tronWeb.transactionBuilder.triggerSmartContract(
    TOKEN,
    'transfer(address,uint256)',
    options,
    parameters,
    sender,
  );
  const signed = await tronWeb.trx.sign(transaction, KEY);
  const sent = await tronWeb.trx.sendHexTransaction(
    Buffer.from(utils.transaction.txJsonToPb(signed).serializeBinary()).toString('hex') + signatureField(signed),
  );
  assert.equal('result' in sent && sent.result, true);
  node.produce();
  assert.equal(node.tokenBalance(TOKEN, PAYEE), 7_000_000n);
  const info = await tronWeb.trx.getUnconfirmedTransactionInfo(transaction.txID);
  assert.equal(info.receipt.result, 'SUCCESS');
  assert.equal(info.log.length, 1);
});

test('tronweb reads what a constant call returns', async () => {
  const { constant_result: words } = await tronWeb.transactionBuilder.triggerConstantContract(
    TOKEN,
    'balanceOf(address)',
    {},
    [{ type: 'address', value: PAYEE }],
    sender,
  );
  assert.equal(BigInt(`0x${words[0]}`), 7_000_000n);
});

test('a transaction that was changed after it was signed is refused', async () => {
  const unsigned = await tronWeb.transactionBuilder.sendTrx(PAYEE, 1, sender);
  const signed = await tronWeb.trx.sign(unsigned, KEY);
  const other = await tronWeb.transactionBuilder.sendTrx(PAYEE, 2, sender);
  const sent = await tronWeb.trx.sendRawTransaction({ ...other, signature: signed.signature });
  assert.equal(sent.code, 'SIGERROR');
});

/** `txJsonToPb` omits the signatures; they are field 2. */
function signatureField({ signature }: { readonly signature: readonly string[] }): string {
  return signature.map(each => `1241${each}`).join('');
}
