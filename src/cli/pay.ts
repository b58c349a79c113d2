// trilho pay: records a payment of a charge.
import assert from 'node:assert/strict';
import { recordPayment } from '../charges/receive/pay.ts';
import { isReference, MAX_REFERENCE_LENGTH } from '../charges/receive/payment-reference.ts';
import type { Config } from '../config/config.ts';
import { parseRfc3339 } from '../lib/date-times.ts';
import { StartError } from '../lib/errors.ts';
import { isUuid } from '../lib/ids.ts';
import type { Log } from '../lib/log.ts';
import { isStorable } from '../lib/text.ts';
import { METHODS } from '../rails/methods/methods.ts';
import { quoted, readArguments, refuseFaults } from './arguments.ts';
import { withCharges } from './database.ts';

export async function payCommand(config: Config, log: Log, args: readonly string[]): Promise<number> {
  const { chargeId, amountCents, reference, method, paidAt, isAnother } = readPayment(args);
  return withCharges({ config, log, action: 'trilho pay' }, async deps => {
    if (paidAt && paidAt > deps.clock.now()) throw new StartError('Money cannot have come later than now.');
    const { charge, isNew } = await recordPayment(deps, {
      chargeId,
      method,
      amountCents,
      ...(paidAt && { paidAt }),
      source: 'operator',
      reference,
      isAnother,
    });
    console.log(`${isNew ? 'Recorded' : 'Known before'}. The charge is ${charge.state}.`);
    return 0;
  });
}

function readPayment(args: readonly string[]) {
  const { positionals, flags, faults } = readArguments(args, {
    positionals: ['charge id', 'cents', 'reference'],
    optionalPositionals: ['method', 'when'],
    flags: ['another'],
  });
  const [chargeId = '', cents = '', reference = '', word = 'pix', when] = positionals;
  const method = METHODS.find(candidate => candidate === word);
  const paidAt = when === undefined ? undefined : parseRfc3339(when);
  const given = positionals.length;
  if (given > 0 && !isUuid(chargeId)) faults.push(`<charge id> must be a UUID, not ${quoted(chargeId)}`);
  if (given > 1 && !/^[1-9]\d{0,11}$/.test(cents)) {
    faults.push(`<cents> must be a whole number above 0 with at most 12 digits, not ${quoted(cents)}`);
  }
  if (given > 2 && (!isReference(reference) || !isStorable(reference))) {
    faults.push(`<reference> must have 1 to ${MAX_REFERENCE_LENGTH} characters`);
  }
  if (!method) faults.push(`<method> must be one of ${METHODS.join(', ')}, not ${quoted(word)}`);
  if (when !== undefined && !paidAt) {
    faults.push(`<when> must be a moment such as 2026-12-10T12:00:00-03:00, not ${quoted(when)}`);
  }
  refuseFaults('pay', faults);
  assert(method, 'a method that does not exist is a fault');
  return { chargeId, amountCents: BigInt(cents), reference, method, paidAt, isAnother: flags.includes('another') };
}
