// The screening list as a file: read at the start, and again when the file changes.
import { type FileHandle, open } from 'node:fs/promises';
import { StartError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { readScreeningList, type ScreeningList } from './screening-list.ts';

/** About 380,000 addresses of EVM networks. */
const MAX_BYTES = 16 * 1024 * 1024;

export type ScreeningFile = {
  /** The newest readable list, and the fault of the present file, if any. */
  current(): Promise<{ readonly list: ScreeningList; readonly fault?: string }>;
};

type State = { readonly stamp: string; readonly list: ScreeningList; readonly fault?: string };
type Reading = { readonly stamp: string } & ({ readonly list: ScreeningList } | { readonly fault: string });

/** Throws a StartError that names the setting when the list cannot be read. */
export async function openScreeningFile({ log }: { readonly log: Log }, path: string): Promise<ScreeningFile> {
  const first = await readIfChanged(path);
  if (!first || 'fault' in first) throw new StartError(`TRILHO_SCREENING_FILE: the file ${first?.fault ?? 'is gone'}.`);
  let state: State = first;

  async function current(): Promise<State> {
    const reading = await readIfChanged(path, state.stamp);
    if (!reading) return state;
    const { list } = state;
    state = 'list' in reading ? reading : { ...reading, list };
    if (state.fault === undefined) log.info('the screening list has changed', { count: state.list.size });
    else log.error('the screening list cannot be read; payouts wait until it can', { reason: state.fault });
    return state;
  }

  let running: Promise<State> | undefined;
  return {
    // Concurrent requests share one check of the file.
    current: () => {
      running ??= current().finally(() => {
        running = undefined;
      });
      return running;
    },
  };
}

/** Undefined when the file has not changed since it was read. */
async function readIfChanged(path: string, known?: string): Promise<Reading | undefined> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, 'r');
    const { mtimeNs, ctimeNs, size, ino } = await file.stat({ bigint: true });
    const stamp = `${ino} ${size} ${mtimeNs} ${ctimeNs}`;
    if (stamp === known) return undefined;
    if (size > MAX_BYTES) return { stamp, fault: `is larger than ${MAX_BYTES} bytes` };
    const list = await readScreeningList(await file.readFile());
    return 'fault' in list ? { stamp, fault: list.fault } : { stamp, list };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    const fault = `cannot be read (${code})`;
    return known === fault ? undefined : { stamp: fault, fault };
  } finally {
    await file?.close();
  }
}
