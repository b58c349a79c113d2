// Random histories through the front door: weighted moves drawn one after another from a seeded generator, so that a history
// can be repeated. Another noun adds moves and a state of its own beside these.
import assert from 'node:assert/strict';
import { chargeBody } from './bodies.ts';
import type { Random } from './random.ts';
import type { Answer, Service } from './service.ts';

/** What the moves of charges have done so far. */
export type History = {
  readonly service: Service;
  readonly accountId: string;
  readonly charges: string[];
  /** Payments that an operator reported, to be reported again. */
  readonly reported: { readonly chargeId: string; readonly body: Record<string, unknown> }[];
};

export type Move<S extends History = History> = {
  readonly name: string;
  readonly weight: number;
  run(state: S, random: Random): Promise<void>;
};

export function newHistory(service: Service, accountId: string): History {
  return { service, accountId, charges: [], reported: [] };
}

/** Makes `count` random moves and returns their names, so that a failed history can be read. */
export async function runHistory<S extends History>(
  moves: readonly Move<S>[],
  state: S,
  random: Random,
  count: number,
): Promise<string[]> {
  const bag = moves.flatMap(move => Array<Move<S>>(move.weight).fill(move));
  const trail: string[] = [];
  for (let step = 0; step < count; step++) {
    const move = random.pick(bag);
    trail.push(move.name);
    await move.run(state, random);
  }
  return trail;
}

/** A request may be refused; the service may not fail. */
export function withoutFault(answer: Answer): Answer {
  assert(answer.status < 500, answer.text);
  return answer;
}

/** The time of the sandbox, some days later. */
async function daysOn(service: Service, days: number): Promise<string> {
  const { now } = (await service.get('/sandbox/clock')).json;
  return new Date(Date.parse(now) + days * 86_400_000).toISOString();
}

const METHOD_CHOICES = [['pix'], ['boleto'], ['boleto', 'pix'], ['boleto', 'pix']] as const;
/** Ordinary amounts, and magic amounts. */
const CHARGE_CENTS = [1, 15_990, 20_000, 9_001, 9_002, 9_003, 9_004, 9_004, 109_004, 9_005] as const;
const PAID_CENTS = [undefined, undefined, 1, 15_990, 20_000, 1_000_000] as const;
/** For the first three a bank refuses, decides later, and loses its reply. */
const REFUND_CENTS = [9_001, 9_002, 9_003, 1, 5_000] as const;

const post = async ({ service }: History, path: string, body: unknown) => withoutFault(await service.post(path, body));

/** A move about one charge; it does nothing until one exists. */
function onCharge(
  name: string,
  weight: number,
  run: (state: History, chargeId: string, random: Random) => Promise<unknown>,
): Move {
  return {
    name,
    weight,
    run: async (state, random) => {
      if (state.charges.length > 0) await run(state, random.pick(state.charges), random);
    },
  };
}

export const CHARGE_MOVES: readonly Move[] = [
  {
    name: 'make',
    weight: 4,
    run: async (state, random) => {
      const made = await post(
        state,
        '/charges',
        chargeBody({
          accountId: state.accountId,
          methods: random.pick(METHOD_CHOICES),
          amountCents: random.pick(CHARGE_CENTS),
          dueAt: await daysOn(state.service, 1 + random.below(20)),
          ...(random.chance(0.3) && { taxes: { fine: 2, interest: 1 } }),
        }),
      );
      assert.equal(made.status, 201, made.text);
      state.charges.push(made.json.id);
    },
  },
  onCharge('pay', 6, (state, id, random) => {
    const amountCents = random.pick(PAID_CENTS);
    return post(state, `/sandbox/charges/${id}/pay`, {
      method: random.pick(['pix', 'boleto']),
      ...(amountCents !== undefined && { amountCents }),
    });
  }),
  onCharge('report', 3, async (state, id, random) => {
    const body = {
      method: random.pick(['pix', 'boleto']),
      amountCents: 1 + random.below(30_000),
      reference: `E${state.accountId}-${state.reported.length}`,
      // A payment is often reported a day later, when its boleto may have been credited already.
      ...(random.chance(0.5) && { paidAt: await daysOn(state.service, -1) }),
    };
    state.reported.push({ chargeId: id, body });
    await post(state, `/charges/${id}/payments`, body);
  }),
  onCharge('report again', 2, async (state, id, random) => {
    if (state.reported.length === 0) return;
    const { chargeId, body } = random.pick(state.reported);
    const again = random.chance(0.3) ? { ...body, amountCents: 7 } : body;
    await post(state, `/charges/${random.chance(0.3) ? id : chargeId}/payments`, again);
  }),
  onCharge('cancel', 1, (state, id) => post(state, `/charges/${id}/cancel`, {})),
  onCharge('refund', 5, (state, id, random) =>
    post(
      state,
      `/charges/${id}/refunds`,
      random.pick([{}, { excess: true }, { amountCents: random.pick(REFUND_CENTS) }]),
    ),
  ),
  { name: 'work', weight: 4, run: async ({ service }) => void (await service.runJobs()) },
  {
    name: 'wait',
    weight: 3,
    run: async (state, random) => {
      const moved = await post(state, '/sandbox/clock', { advance: random.pick(['PT6H', 'P1D', 'P4D', 'P45D']) });
      assert.equal(moved.status, 200, moved.text);
    },
  },
];
