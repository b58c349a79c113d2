// trilho ledger check: proves that the books are right, or prints the differences; with --chains also against the chains.
// trilho ledger explain: records what a difference to a chain was.
import type { Config } from '../config/config.ts';
import { checkLedger } from '../ledger/check.ts';
import type { CheckResult } from '../ledger/store-check.ts';
import { withoutAuditContext } from '../lib/audit-context.ts';
import type { Log } from '../lib/log.ts';
import { LEDGER_CHECKS } from '../nouns.ts';
import { readArguments, readVerb, refuseFaults } from './arguments.ts';
import { withCharges } from './database.ts';

const MAX_SHOWN = 20;

/** Exit code 0 when the ledger is right, 1 when something differs. */
export async function ledgerCommand(config: Config, log: Log, args: readonly string[]): Promise<number> {
  const verb = readVerb('ledger', args, ['check', 'explain']);
  if (verb === 'explain') return (await import('./explain-difference.ts')).explainCommand(config, log, args.slice(1));
  const { flags, faults } = readArguments(args.slice(1), { flags: ['chains'] });
  refuseFaults('ledger check', faults);
  return withCharges({ config, log, action: 'ledger check' }, ({ db, clock }) =>
    // A check changes nothing, so the audit log gets no line.
    withoutAuditContext(async () => {
      const results = await checkLedger(db, LEDGER_CHECKS);
      for (const line of report(results)) console.log(line);
      const isRight = results.every(({ total }) => total === 0);
      if (!flags.includes('chains')) return isRight ? 0 : 1;
      // Loaded only here: it brings the code of the chains.
      const { checkChains } = await import('./check-chains.ts');
      return (await checkChains({ config, log, db, clock })) && isRight ? 0 : 1;
    }),
  );
}

function report(results: readonly CheckResult[]): string[] {
  const width = Math.max(...results.map(({ check }) => check.length));
  const table = results.map(
    ({ check, total }) => `${check.padEnd(width)}  ${total === 0 ? 'right' : `${total} differ`}`,
  );
  const total = results.reduce((sum, result) => sum + result.total, 0);
  if (total === 0) return [...table, 'The ledger is right.'];
  const shown = results.flatMap(({ differences }) => differences).slice(0, MAX_SHOWN);
  const named = shown.map(({ check, objectId, currency, expected, found }) =>
    `${check}: ${objectId} ${currency}`.trimEnd().concat(` expected ${expected}, found ${found}`),
  );
  const more = total > shown.length ? [`… and ${total - shown.length} more.`] : [];
  return [...table, ...named, ...more, 'The ledger is not right.'];
}
