// Starting the service for a part of the run, and reading its memory.
import type { Mode } from '../src/lib/mode.ts';
import type { Caller } from './callers.ts';
import type { DatabaseServer } from './database-server.ts';
import { type RunningProgram, startProgram } from './programs.ts';

type ServiceOptions = {
  readonly mode: Mode;
  /** False: requests only, no jobs, sweeps or deliveries. */
  readonly workers?: boolean;
  /** Records every SQL statement into files that begin with this path. */
  readonly recordTo?: string;
  /** Lets webhooks reach receivers on this machine, which only a sandbox does by itself. */
  readonly allowsLocal?: boolean;
  /** Of another version than this one. */
  readonly folder?: string | undefined;
  /** Further settings. */
  readonly env?: Readonly<Record<string, string>>;
};

const LISTENS = /listens on (http:\S+)/;

/** Limits off: the load comes from a few callers. */
const ENVIRONMENTS: Record<Mode, Readonly<Record<string, string>>> = {
  live: {
    TRILHO_MODE: 'live',
    TRILHO_PIX_KEY: 'bench@example.com',
    TRILHO_PIX_NAME: 'Bench',
    TRILHO_PIX_CITY: 'Sao Paulo',
    TRILHO_RATE_LIMIT: '0',
    TRILHO_MAX_IN_FLIGHT: '0',
  },
  sandbox: { TRILHO_MODE: 'sandbox', TRILHO_DEMO: 'off' },
};

/** Starts the service on a database of the server. It logs as it does for its users. */
export function startTrilho(
  server: Pick<DatabaseServer, 'dir' | 'url'>,
  database: string,
  { mode, workers = true, recordTo, allowsLocal = false, folder, env }: ServiceOptions,
): Promise<RunningProgram> {
  const isPlain = workers && recordTo === undefined;
  const flags = [...(workers ? ['--workers'] : []), ...(recordTo === undefined ? [] : ['--record', recordTo])];
  return startProgram(server, {
    name: 'trilho',
    command: process.execPath,
    args: isPlain ? ['bin/trilho.js', 'serve'] : ['bench/service.ts', ...flags],
    ...(folder !== undefined && { cwd: folder }),
    env: {
      DATABASE_URL: server.url(database),
      PORT: '0',
      ...ENVIRONMENTS[mode],
      ...(allowsLocal && { TRILHO_WEBHOOK_ALLOW: '127.0.0.0/8' }),
      ...env,
    },
    url: LISTENS,
    readyPath: '/readyz',
  });
}

/** Starts the service as `npm start` does, with the embedded database in a folder of its own. */
export function startByNpm(server: DatabaseServer, dataDir: string): Promise<RunningProgram> {
  return startProgram(server, {
    name: 'npm-start',
    command: 'npm',
    args: ['start'],
    env: { TRILHO_DATA_DIR: dataDir, PORT: '0' },
    url: LISTENS,
    readyPath: '/readyz',
  });
}

/** The memory of the service, from its own metrics; in live the caller's key needs `metrics:read`. */
export async function residentBytes({ url }: RunningProgram, caller?: Caller): Promise<number> {
  const text = await (await fetch(`${url}/metrics`, { headers: { ...caller?.headers } })).text();
  const bytes = /^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1];
  if (bytes === undefined) throw new Error('/metrics does not contain process_resident_memory_bytes');
  return Number(bytes);
}
