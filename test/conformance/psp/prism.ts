// Prism as a validating proxy over Bacen's document. It is run by npx and is no dependency: with what it brings it is 70 MB,
// has an install script that reports usage, and only this check needs it.
import { type ChildProcess, spawn } from 'node:child_process';
import { type AddressInfo, createServer } from 'node:net';

const PRISM = '@stoplight/prism-cli@5.16.0';
const START_LIMIT_MS = 180_000;

type Prism = { readonly port: number; stop(): Promise<void> };

/** Starts it before `upstream`, and waits until it listens. */
export async function startPrism(documentFile: string, upstream: string): Promise<Prism> {
  const port = await freePort();
  const args = ['--yes', PRISM, 'proxy', documentFile, upstream, '--port', String(port), '--verboseLevel', 'info'];
  // A group of its own, so that what npx starts can be ended with it.
  const child = spawn('npx', args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  // A group of its own also keeps signals to this process from it.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      end(child);
      process.exit(1);
    });
  }
  const ended = new Promise<void>(resolve => child.once('exit', () => resolve()));
  const stop = async () => {
    end(child);
    await ended;
  };
  await listening(child).catch(async error => {
    await stop();
    throw error;
  });
  return { port, stop };
}

function listening(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = '';
    const limit = setTimeout(() => reject(new Error(`Prism did not start in time: ${said}`)), START_LIMIT_MS);
    const hear = (chunk: Buffer) => {
      said = (said + chunk).slice(-4000);
      if (!said.includes('Prism is listening')) return;
      clearTimeout(limit);
      resolve();
    };
    child.stdout?.on('data', hear);
    child.stderr?.on('data', hear);
    child.once('exit', code => {
      clearTimeout(limit);
      reject(new Error(`Prism ended with ${code}: ${said}`));
    });
  });
}

function end(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null) return;
  process.kill(-child.pid, 'SIGTERM');
}

/** Prism needs an explicit port. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
