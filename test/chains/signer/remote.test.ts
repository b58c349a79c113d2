// A remote signer: one by ethers signs as Web3Signer does; a silent, a broken and a refusing one have different errors.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { computeAddress, Transaction, Wallet } from 'ethers';
import { makeCertificate } from '../../../packages/psp/src/certificates/make.ts';
import { openSigners } from '../../../src/chains/signer/open-signers.ts';
import { postDeps } from '../../../src/chains/signer/post-json.ts';
import { remoteSigner } from '../../../src/chains/signer/remote.ts';
import { SignerRefused, SignerSilent, type UnsignedTransaction } from '../../../src/chains/signer/signer.ts';
import { StartError } from '../../../src/lib/errors.ts';
import { ownFolder } from '../../harness/process.ts';
import { VECTOR_ADDRESS } from './vectors.ts';

const ETHERS_KEY = `0x${'5a'.repeat(32)}`;
const ETHERS_ADDRESS = computeAddress(ETHERS_KEY);
const TRANSACTION: UnsignedTransaction = {
  chainId: 31_337,
  nonce: 7n,
  to: VECTOR_ADDRESS,
  value: 10n ** 18n + 1n,
  data: '0xa9059cbb',
  gas: 60_000n,
  maxFeePerGas: 30_000_000_001n,
  maxPriorityFeePerGas: 1_000_000_000n,
};

/** Answers like Web3Signer and like a node with keys, with a wallet of ethers. */
function ethersSigner(t: TestContext): Promise<string> {
  const wallet = new Wallet(ETHERS_KEY);
  const answerTo = async ({ method, params: [asked] }: { method: string; params: Record<string, string>[] }) => {
    if (method === 'eth_accounts') return { result: [wallet.address.toLowerCase()] };
    const { from, gas, ...fields } = asked ?? {};
    if (from?.toLowerCase() !== wallet.address.toLowerCase())
      return { error: { code: -32_000, message: 'no such key' } };
    return {
      result: await wallet.signTransaction({ ...fields, gasLimit: gas ?? null, nonce: Number(fields['nonce']) }),
    };
  };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const call = JSON.parse(Buffer.concat(chunks).toString());
    response.end(JSON.stringify({ jsonrpc: '2.0', id: call.id, ...(await answerTo(call)) }));
  });
  return listen(t, server).then(place => `http://${place}`);
}

async function listen(t: TestContext, server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  return `127.0.0.1:${address.port}`;
}

/** A signer that answers everything with this. */
const answering =
  (status: number, text: string): RequestListener =>
  (request, response) => {
    request.resume();
    response.writeHead(status).end(text);
  };

test('a node signs exactly the request', async t => {
  const url = await ethersSigner(t);
  const signers = await openSigners([{ name: 'far', kind: 'remote', url, address: ETHERS_ADDRESS.toLowerCase() }]);
  const open = signers.get('far');
  assert.ok(open?.signer.kind === 'transaction');
  assert.deepEqual([open.evm, open.tron], [ETHERS_ADDRESS, undefined]);
  const signed = Transaction.from(await open.signer.signTransaction(TRANSACTION));
  assert.equal(signed.from, ETHERS_ADDRESS);
  const { to, nonce, value, data, gasLimit, maxFeePerGas, maxPriorityFeePerGas, chainId, type } = signed;
  assert.deepEqual(
    { to, nonce, value, data, gas: gasLimit, maxFeePerGas, maxPriorityFeePerGas, chainId, type },
    { ...TRANSACTION, nonce: 7, chainId: 31_337n, type: 2 },
  );
  await assert.rejects(
    openSigners([{ name: 'far', kind: 'remote', url, address: VECTOR_ADDRESS }]),
    (error: unknown) => {
      assert.ok(error instanceof StartError);
      assert.equal(error.message, 'signers[0].address is not an address that the remote signer has a key for.');
      return true;
    },
  );
  const stranger = remoteSigner(postDeps(url), VECTOR_ADDRESS);
  await assert.rejects(stranger.signTransaction(TRANSACTION), (error: unknown) => {
    assert.ok(error instanceof SignerRefused);
    assert.match(error.message, /^The remote signer refused: .+ \(-?\d+\)\.$/);
    return true;
  });
});

test('silence and a refusal are different errors', async t => {
  const answers: [RequestListener, new () => Error, RegExp][] = [
    [() => {}, SignerSilent, /does not answer: nothing within 0\.2 s\.$/],
    [(_request, response) => response.writeHead(200).write('{'), SignerSilent, /nothing within 0\.2 s/],
    [request => request.socket.destroy(), SignerSilent, /does not answer: ECONNRESET\.$/],
    [answering(503, 'busy'), SignerSilent, /HTTP status 503 and no result/],
    [answering(429, '{}'), SignerSilent, /HTTP status 429/],
    [answering(403, 'no'), SignerRefused, /HTTP status 403/],
    [answering(200, 'hello'), SignerRefused, /HTTP status 200 and no result/],
    [answering(302, ''), SignerRefused, /HTTP status 302/],
    [answering(200, '{"result":"0x"}'), SignerRefused, /without signed bytes/],
    [answering(200, '{"result":{"raw":"0x1"}}'), SignerRefused, /without signed bytes/],
    [
      answering(400, `{"error":{"code":-32000,"message":"locked\\n${'x'.repeat(500)}"}}`),
      SignerRefused,
      /^The remote signer refused: locked x{193} \(-32000\)\.$/,
    ],
  ];
  for (const [listener, kind, message] of answers) {
    const url = `http://${await listen(t, createServer(listener))}`;
    const signer = remoteSigner(postDeps(url, {}, 200), VECTOR_ADDRESS);
    await assert.rejects(signer.signTransaction(TRANSACTION), (error: unknown) => {
      assert.ok(error instanceof kind, String(error));
      assert.match(error.message, message);
      return true;
    });
  }
  const nowhere = remoteSigner(postDeps('http://127.0.0.1:1'), VECTOR_ADDRESS);
  await assert.rejects(nowhere.signTransaction(TRANSACTION), /does not answer: ECONNREFUSED\.$/);
});

test('a closed kept connection is not taken for silence', async t => {
  const server = createServer(answering(200, '{"result":"0x01"}'));
  const signer = remoteSigner(postDeps(`http://${await listen(t, server)}`), VECTOR_ADDRESS);
  for (let count = 0; count < 5; count++) {
    assert.equal(await signer.signTransaction(TRANSACTION), '0x01');
    server.closeAllConnections();
  }
});

test('a signer may ask for a certificate; wrong files are named', async t => {
  const folder = await ownFolder(t);
  const ca = await makeCertificate({ commonName: 'ca', use: 'ca' });
  const server = await makeCertificate({ commonName: 'localhost', use: 'server', issuer: ca });
  const client = await makeCertificate({ commonName: 'trilho', use: 'client', issuer: ca });
  const files = { ca: ca.certificatePem, cert: client.certificatePem, key: client.keyPem, other: server.keyPem };
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text, { mode: 0o600 });
  const tls = { key: server.keyPem, cert: server.certificatePem, ca: ca.certificatePem, requestCert: true };
  const place = await listen(t, createTlsServer(tls, answering(200, '{"result":"0x01"}')));
  const url = `https://localhost:${place.split(':')[1]}`;
  const at = (name: string) => path.join(folder, name);
  const far = { name: 'far', kind: 'remote', url, address: VECTOR_ADDRESS, caFile: at('ca') } as const;
  const open = async (more: object) => (await openSigners([{ ...far, ...more }])).get('far')?.signer;

  const known = await open({ certificateFile: at('cert'), privateKeyFile: at('key') });
  assert.ok(known?.kind === 'transaction');
  assert.equal(await known.signTransaction(TRANSACTION), '0x01');
  const unknown = await open({});
  assert.ok(unknown?.kind === 'transaction');
  await assert.rejects(unknown.signTransaction(TRANSACTION), SignerSilent);

  const wrong: [object, string][] = [
    [{ certificateFile: at('cert'), privateKeyFile: at('other') }, 'privateKeyFile does not belong to certificateFile'],
    [{ certificateFile: at('key'), privateKeyFile: at('key') }, 'certificateFile holds no certificate in PEM'],
    [{ certificateFile: at('cert'), privateKeyFile: at('cert') }, 'privateKeyFile holds no private key in PEM'],
    [{ caFile: at('none') }, 'caFile cannot be read (ENOENT)'],
    [{ caFile: at('key') }, 'caFile holds no certificate in PEM'],
    [{ address: `0x${'Aa'.repeat(20)}` }, 'address has capital letters that do not match its checksum'],
  ];
  for (const [more, fault] of wrong) {
    await assert.rejects(open(more), (error: unknown) => {
      assert.ok(error instanceof StartError && error.message.startsWith(`signers[0].${fault}`), String(error));
      return true;
    });
  }
});
