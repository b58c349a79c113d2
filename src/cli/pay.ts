// trilho pay: records a payment of a charge.
import { OPERATOR } from '../charges/charge.ts';
import { recordPayment } from '../charges/pay.ts';
import type { Config } from '../config/config.ts';
import { parseRfc3339 } from '../lib/date-times.ts';
import { StartError } from '../lib/errors.ts';
import { isUuid } from '../lib/ids.ts';
import type { Log } from '../lib/log.ts';
import { METHODS } from '../rails/rail.ts';
import { withCharges } from './database.ts';

const USAGE = 'trilho pay <charge id> <cents> <reference> [pix|boleto] [when, as 2026-12-10T12:00:00-03:00]';

export async function payCommand(config: Config, log: Log, args: readonly string[]): Promise<number> {
  const [chargeId = '', cents = '', reference = '', word = 'pix', when] = args;
  const method = METHODS.find(candidate => candidate === word);
  const paidAt = when === undefined ? undefined : parseRfc3339(when);
  const isWrong =
    !isUuid(chargeId) ||
    !/^[1-9]\d{0,11}$/.test(cents) ||
    reference.trim() === '' ||
    reference.length > 255 ||
    !method ||
    args.length > 5;
  if (isWrong || (when !== undefined && !paidAt)) throw new StartError(`Usage: ${USAGE}`);
  return withCharges({ config, log, action: 'trilho pay' }, async deps => {
    if (paidAt && paidAt > deps.clock.now()) throw new StartError('Money cannot have come later than now.');
    const { charge, isNew } = await recordPayment(deps, {
      chargeId,
      method,
      amountCents: BigInt(cents),
      paidAt: paidAt ?? deps.clock.now(),
      source: OPERATOR,
      reference,
    });
    console.log(`${isNew ? 'Recorded' : 'Known before'}. The charge is ${charge.state}.`);
    return 0;
  });
}
