// What a service does at a bank with a boleto API, cut off after every statement and every answer of the bank, really killed after
// one of them, and resumed by another: a boleto is registered once, its money recorded once, also when the bank reports it in
// two lists.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Database, openDatabase } from '../../src/storage/database.ts';
import { boletoBody } from '../harness/agreements.ts';
import { apiEntry, type ServiceAtBank, startServiceAtBank } from '../harness/boleto-bank.ts';
import type { BoletoCrash } from '../harness/boleto-crash-at-step.ts';
import { type BoletoNode, type BoletoVerb, openBoletoNode } from '../harness/boleto-verbs.ts';
import { crashAt, crashEverywhere } from '../harness/crash.ts';
import { silentLog } from '../harness/log.ts';
import { differences } from '../harness/order-proof.ts';
import { cutOffAfter } from '../harness/steps.ts';

for (const profile of ['sicoob', 'inter'] as const) {
  describe(profile, () => {
    let at: ServiceAtBank;
    let db: Database;
    /** Runs verbs without a service. */
    let node: BoletoNode;
    const patient = { timeoutSeconds: 60 };
    before(async () => {
      // Long enough that a slow machine never makes the bank's answer a lost one: only a kill may.
      at = await startServiceAtBank(profile, { hasPix: true, api: patient, env: { TRILHO_BANK_WAIT_MS: '30000' } });
      db = openDatabase({ connection: { connectionString: at.service.databaseUrl }, log: silentLog });
      node = await openBoletoNode(at.service.databaseUrl);
    });
    after(async () => {
      assert.deepEqual(await differences(db), [], 'the ledger is right');
      await db.close();
      await node.close();
      await at.stop();
    });

    const patches = () => at.psp.requests().filter(({ method }) => method === 'PATCH').length;

    /** Each time with another name. */
    function crashVerb(verb: BoletoVerb, prepare: () => Promise<string>): Promise<string[]> {
      // The service asks for the list of pix afterwards, which has the same money.
      const banks = { rails: [], boletos: [apiEntry(at.psp, { api: patient })] };
      const now = () => at.service.clock.now().toISOString();
      return crashEverywhere({
        prepare: async () => [await prepare()],
        crash: (victim, step) => cutOffAfter(step, steps => node.run(verb, victim, { now: now(), banks, steps })),
        kill: (externalId, step) => {
          const { databaseUrl } = at.service;
          const order: BoletoCrash = { verb, step, now: now(), databaseUrl, externalId, banks };
          return crashAt('boleto-crash-at-step.ts', order);
        },
      });
    }

    test('creating a charge while its caller waits for the bank', async () => {
      let count = 0;
      const victims = await crashVerb('create', async () => `crash-${++count}`);
      const ids: string[] = [];
      for (const externalId of victims) {
        const repeat = await at.service.post('/charges', boletoBody({ externalId }));
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

    test('asking for another due day', async () => {
      const [later, taxes] = ['2026-12-31T02:59:59.000Z', { fine: 2, interest: 1 }];
      let count = 0;
      const before = patches();
      const made: string[] = [];
      const victims = await crashVerb('due', async () => {
        const externalId = `due-${++count}`;
        const { json, text } = await at.create({ externalId, taxes });
        assert.equal(json.boleto.status, 'REGISTERED', text);
        const asked = await at.service.post(`/charges/${json.id}/due-date`, { dueAt: later });
        assert.equal(asked.json.dueChange.status, 'PENDING', asked.text);
        made.push(json.id);
        return externalId;
      });
      assert.equal(made.length, victims.length);
      // A request without an answer may be shown late; after that it is sent again.
      for (const minutes of [1, 36, 1, 1]) {
        at.service.clock.advanceMs(minutes * 60_000 + 1_000);
        await at.service.runJobs();
      }
      for (const id of made) {
        const charge = await at.read(id);
        assert.deepEqual([charge.dueAt, charge.dueChange.status], [later, 'DONE']);
        assert.partialDeepStrictEqual(at.title(charge.boleto.digitableLine), {
          dueOn: '2026-12-30',
          lastDay: '2027-01-29',
        });
        const { json } = await at.service.get(`/events?objectId=${id}`);
        const announced = json.events.filter(({ type }: { type: string }) => type.startsWith('charge.due_change'));
        assert.equal(announced.length, 1, 'it is announced once');
      }
      const each = profile === 'inter' ? 1 : 4;
      assert.ok(patches() - before <= (each + 1) * victims.length, 'at most one request of each was sent again');
    });

    // The other bank takes a second for each list; the steps after a list are the same.
    if (profile !== 'inter') return;
    test('asking for payments of boletos that were paid by their codes', async () => {
      const victims = await crashVerb('look', async () => {
        // The work that the last kill interrupted is done first, so that each victim is on its own. Its lease has expired.
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
