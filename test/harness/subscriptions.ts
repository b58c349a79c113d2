// What tests of subscriptions ask of a service: plans, customers and subscriptions of accounts that no other test has, and its clock.
import assert from 'node:assert/strict';
import type { Answer, Service } from './service.ts';

export function subscriptionCalls(service: Service) {
  let accounts = 0;
  const newAccount = () => `account ${++accounts}`;
  const send = (method: string, path: string, body?: unknown) =>
    service.send(path, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
  const read = async (path: string) => (await service.get(path)).json;
  const today = async () => String((await read('/sandbox/clock')).now);
  async function moveTo(to: string): Promise<void> {
    const moved = await service.post('/sandbox/clock', { to });
    assert.equal(moved.status, 200, moved.text);
  }
  async function made(path: string, body: object): Promise<Answer['json']> {
    const answer = await service.post(path, body);
    assert.equal(answer.status, 201, answer.text);
    return answer.json;
  }
  const newCustomer = (accountId: string, changes: object = {}) =>
    made('/customers', { accountId, name: 'Maria da Silva', document: '52998224725', ...changes });
  /** A subscription of a plan of its own, in an account of its own. */
  async function subscribe(plan: object = {}, changes: object = {}) {
    const accountId = newAccount();
    const { id: planId } = await made('/plans', planBody({ accountId, ...plan }));
    const { id: customerId } = await newCustomer(accountId);
    return made('/subscriptions', { accountId, planId, customerId, ...changes });
  }
  const cyclesOf = async (id: string) => (await read(`/subscriptions/${id}/cycles?pageSize=100`)).cycles.reverse();
  const shortly = async (id: string) =>
    (await cyclesOf(id)).map(({ number, day, status }: Record<string, unknown>) => `${number} ${day} ${status}`);
  const statusOf = async (id: string) => (await read(`/subscriptions/${id}`)).status;
  const eventsOf = async (id: string): Promise<string[]> => {
    const { events } = await read(`/events?objectId=${id}&limit=100`);
    return events.map(({ type, sequence }: { type: string; sequence: number }) => `${sequence} ${type.split('.')[1]}`);
  };
  const pay = (chargeId: string, changes: object = {}) =>
    service.post(`/sandbox/charges/${chargeId}/pay`, { method: 'pix', ...changes });
  return {
    ...{
      newAccount,
      send,
      read,
      today,
      moveTo,
      made,
      newCustomer,
      subscribe,
      cyclesOf,
      shortly,
      statusOf,
      eventsOf,
      pay,
    },
  };
}

export const planBody = (changes: object = {}) => ({
  ...{ name: 'Gold', amountCents: 9_900, interval: 'monthly', day: 10, methods: ['pix'] },
  ...changes,
});
