// What a service does at a bank with a boleto API, killed for real after every statement and every answer of the bank, and taken up
// again by another: a boleto is registered once, its money recorded once, also when the bank tells of it in two ways.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Database, openDatabase } from '../../src/storage/database.ts';
import { boletoBody } from '../harness/agreements.ts';
import { apiEntry, type ServiceAtBank, startServiceAtBank } from '../harness/boleto-bank.ts';
import type { BoletoCrash } from '../harness/boleto-crash-at-step.ts';
import { crashAt, crashEverywhere } from '../harness/crash.ts';
import { silentLog } from '../harness/log.ts';
import { differences } from '../harness/order-proof.ts';

for (const profile of ['sicoob', 'inter'] as const) {
  describe(profile, () => {
    let at: ServiceAtBank;
    let db: Database;
    const patient = { timeoutSeconds: 60 };
    before(async () => {
      // Slow machines must not turn the answer of the bank into a lost one: only a kill may.
      at = await startServiceAtBank(profile, { hasPix: true, api: patient, env: { TRILHO_BANK_WAIT_MS: '30000' } });
      db = openDatabase({ connection: { connectionString: at.service.databaseUrl }, log: silentLog });
    });
    after(async () => {
      assert.deepEqual(await differences(db), [], 'the ledger is right');
      await db.close();
      await at.stop();
    });

    function crashVerb<V>(verb: string, prepare: () => Promise<V>): Promise<V[]> {
      const crash = (_victim: V, step: number) => {
        const order: BoletoCrash = {
          verb,
          step,
          now: at.service.clock.now().toISOString(),
          databaseUrl: at.service.databaseUrl,
          // The list of pix is asked by the service afterwards, and tells of the same money.
          rails: [],
          boletos: [apiEntry(at.psp, { api: patient })],
        };
        return crashAt('boleto-crash-at-step.ts', order);
      };
      return crashEverywhere({ prepare: async () => [await prepare()], crash });
    }

    test('making a charge while its caller waits for the bank', async () => {
      const victims = await crashVerb('create', async () => undefined);
      const ids: string[] = [];
      for (const [index] of victims.entries()) {
        const repeat = await at.service.post('/charges', boletoBody({ externalId: `crash-${index + 1}` }));
        assert.equal(repeat.status, 201, repeat.text);
        ids.push(repeat.json.id);
      }
      for (let look = 0; look < 4; look++) await at.look();
      const lines = new Set<string>();
      for (const id of ids) {
        const { boleto } = await at.read(id);
        assert.equal(boleto.status, 'REGISTERED');
        lines.add(boleto.digitableLine);
      }
      assert.equal(lines.size, victims.length);
      const titles = at.psp.state().titles;
      assert.equal(new Set(titles.map(({ ownNumber }) => ownNumber)).size, titles.length, 'no number is used twice');
      assert.equal(titles.length, victims.length, 'no boleto is registered twice');
    });

    // Lists of the other bank take a second each; what comes after a list is the same.
    if (profile !== 'inter') return;
    test('asking for payments of boletos that were paid by their codes', async () => {
      const victims = await crashVerb('look', async () => {
        // What the kill before left undone is done, so that every victim is one alone. Its lease is over.
        await at.service.sql('delete from leases');
        await at.look();
        const { json, text } = await at.create();
        assert.equal(json.boleto.status, 'REGISTERED', text);
        await at.psp.pay({ emv: json.boleto.emv });
        at.service.clock.advanceMs(5 * 60_000 + 1_000);
        return json.id as string;
      });
      for (let look = 0; look < 3; look++) await at.look();
      for (const id of victims) {
        const { state, payments } = await at.read(id);
        assert.deepEqual([state, payments.length], ['PAID', 1]);
      }
      assert.deepEqual((await at.service.get('/payments/unmatched')).json.payments, []);
    });
  });
}
