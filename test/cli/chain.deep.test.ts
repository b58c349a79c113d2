// trilho chain as a process: it prints a configuration with which a sandbox sends real transactions, and keeps its chain.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { NETWORKS } from '../../src/chains/asset.ts';
import { callNode } from '../../src/sandbox/evm-node/evm-node.ts';
import { ADDRESSES, CHARGE_PART } from '../harness/orders.ts';
import {
  ASK_AGAIN_MS,
  copyProject,
  folderWithDatabase,
  launch,
  ownFolder,
  PROJECT,
  type Running,
  refusalOf,
  runToEnd,
  startTrilho,
  until,
} from '../harness/process.ts';

const TRILHO = path.join(PROJECT, 'bin/trilho.js');
const command = (...args: string[]) => [process.execPath, TRILHO, 'chain', ...args];

async function startChain(folder: string, ...args: string[]): Promise<Running & { readonly url: string }> {
  const running = launch({ folder, command: command('--port', '0', '--block-seconds', '1', ...args) });
  await until('the node to print its settings', () => {
    assert.equal(running.child.exitCode, null, running.stderr());
    return running.stdout().includes('A sandbox that sends on it');
  });
  return { ...running, url: /^ {2}Node +(\S+),/m.exec(running.stdout())?.[1] ?? '' };
}

async function end({ pid, ended }: Running): Promise<void> {
  process.kill(pid, 'SIGTERM');
  const { code, stderr } = await ended();
  assert.deepEqual([code, stderr], [0, '']);
}

describe('trilho chain', { concurrency: 2 }, () => {
  test('a sandbox with its settings pays an order on it, and after a restart the transaction is still there', async t => {
    const folder = await folderWithDatabase(t);
    const chain = await startChain(folder);
    const printed = /^\{.*^\}/ms.exec(chain.stdout())?.[0] ?? '';
    const file = 'test-chain/trilho.json';
    assert.deepEqual(JSON.parse(printed), JSON.parse(readFileSync(path.join(folder, file), 'utf8')));

    assert.match(chain.stdout(), /TRILHO_CONFIG=\S+ TRILHO_DATA_DIR=\S+\/data\/test-chain npx trilho serve/);

    const service = await startTrilho({ folder, env: { TRILHO_CONFIG: file, TRILHO_DEMO: 'off' } });
    const refused = await service.post('/sandbox/chains/polygon', { fault: 'stalled' });
    assert.equal(refused.status, 409);
    assert.match(refused.text, /A test node replaces polygon: no fault can be injected into it\./);
    const { chains } = (await service.get('/sandbox/chains')).json;
    assert.ok(!chains.some(({ network }: { network: string }) => network === 'polygon'));
    assert.equal(chains.length, NETWORKS.length - 1);
    const post = async (to: string, body: object) => {
      const { status, json, text } = await service.post(to, body);
      assert.ok(status < 300, text);
      return json;
    };
    const account = { accountId: 'acme' };
    const wallet = await post('/wallets', { ...account, name: 'Maria', network: 'polygon', address: ADDRESSES.evm });
    const order = await post('/crypto/transactions', {
      ...account,
      ...{ walletId: wallet.id, symbol: 'usdt', network: 'polygon', currency: 'BRL', cost: 541 },
      ...{ settlementSchedule: 'D0', charge: CHARGE_PART },
    });
    await post(`/sandbox/charges/${order.charge.id}/pay`, { method: 'pix' });
    const look = async () => {
      const { json } = await service.get(`/crypto/transactions/${order.transactionId}`);
      return json.status === 'fulfilled' && json.transfer;
    };
    const { hash } = await until('the order to be fulfilled', look, ASK_AGAIN_MS);
    await service.end();
    const check = () =>
      runToEnd({
        folder,
        env: { TRILHO_CONFIG: file },
        command: [process.execPath, TRILHO, 'ledger', 'check', '--chains'],
      });
    const agreed = await check();
    assert.match(
      agreed.stdout,
      /^polygon 0x\w{40}\n {2}1 payouts are compared.*The books agree with the chains\.\n$/ms,
    );
    assert.equal(agreed.code, 0, agreed.stderr);
    await end(chain);
    const silent = await check();
    assert.match(silent.stdout, /^ {2}NOT CHECKED: no node shows what left the sender$/m);
    assert.equal(silent.code, 1);

    const again = await startChain(folder);
    const { result } = await callNode(again.url, 'eth_getTransactionReceipt', [hash]);
    assert.equal((result as { status: string } | null)?.status, '0x1');
    await end(again);
    const other = await runToEnd({ folder, command: command('--port', '0', '--network', 'base') });
    assert.equal(refusalOf(other), '--folder holds a chain of polygon; name another folder for base.');
  });

  test('every wrong argument is named in one line', async t => {
    const folder = await ownFolder(t);
    const refused = async (...args: string[]) => refusalOf(await runToEnd({ folder, command: command(...args) }));
    const said = await refused('--port', '70000', '--network', 'tron', '--block-seconds', '0', '--loud');
    for (const part of ['--port', '"tron"; there are ethereum', '--block-seconds', '--loud is not an option']) {
      assert.ok(said.includes(part), said);
    }
    await writeFile(path.join(folder, 'file'), '');
    assert.match(await refused('--port', '0', '--folder', 'file'), /--folder "file"/);
  });

  test('on a machine without a node one sentence says what to install', async t => {
    const folder = await ownFolder(t);
    const project = path.join(folder, 'project');
    await copyProject(project, 'linked', ['hardhat', '@nomicfoundation']);
    const without = {
      folder,
      env: { PATH: folder },
      command: [process.execPath, path.join(project, 'bin/trilho.js'), 'chain'],
    };
    assert.equal(
      refusalOf(await runToEnd(without)),
      'There is no EVM node: run npm install --save-dev hardhat@3, or put the program anvil of Foundry into a folder of PATH.',
    );
    const forced = { ...without, env: { PATH: folder, EVM_NODE: 'anvil' }, command: command() };
    assert.match(refusalOf(await runToEnd(forced)), /^There is no EVM node: /);
  });

  test('a port in use is reported', async t => {
    const folder = await ownFolder(t);
    const chain = await startChain(folder);
    const { port } = new URL(chain.url);
    const refused = await runToEnd({ folder, command: command('--port', port, '--folder', 'other') });
    assert.match(refusalOf(refused), new RegExp(`^The test node does not start on port ${port}\\. .*EADDRINUSE`));
    await end(chain);
  });
});
