// trilho cnab: files of boletos (CNAB 240).
import type { Config } from '../config/config.ts';
import type { Log } from '../lib/log.ts';
import { readVerb } from './arguments.ts';

export async function cnabCommand(config: Config, log: Log, args: readonly string[]): Promise<number> {
  const verb = readVerb('cnab', args, ['check', 'write', 'read', 'exchange', 'renew', 'seen']);
  const rest = args.slice(1);
  if (verb === 'check') return (await import('./cnab-check.ts')).checkFile(rest);
  if (verb === 'read') return (await import('./cnab-read.ts')).readFiles(config, log, rest);
  if (verb === 'exchange') return (await import('./cnab-exchange.ts')).exchangeFiles(config, log, rest);
  if (verb === 'renew') return (await import('./cnab-renew.ts')).renewCommand(config, log, rest);
  if (verb === 'seen') return (await import('./cnab-seen.ts')).seenCommand(config, log, rest);
  return (await import('./cnab-write.ts')).writeFiles(config, log, rest);
}
