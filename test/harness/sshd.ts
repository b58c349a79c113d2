// A real OpenSSH server for a test, on a free port of this machine, with keys and a folder of its own. It serves SFTP alone and runs
// as an ordinary user. TRILHO_TEST_SSHD names the program, else the system's is taken.
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { AgreementEntry } from '../../src/rails/agreement-entry.ts';

const program = process.env['TRILHO_TEST_SSHD'] ?? '/usr/sbin/sshd';
/** For the `skip` of tests that need a server: why they cannot run here, or false. */
export const withoutSshd =
  !existsSync(program) &&
  'it needs OpenSSH (apt-get install openssh-server), or TRILHO_TEST_SSHD with the path of its sshd';

/** `nobody`: a server that root starts wants an installed system, and one of an ordinary user does not. */
const NOBODY = 65_534;
const START_LIMIT_MS = 20_000;

export type Sshd = {
  readonly settings: NonNullable<AgreementEntry['sftp']>;
  /** The folders of the bank on this machine. */
  readonly sent: string;
  readonly returned: string;
  /** The fingerprint of another server. */
  readonly otherKey: string;
  /** A key that the server does not know. */
  readonly strangersKey: string;
  stop(): Promise<void>;
};

export async function startSshd(): Promise<Sshd> {
  const isRoot = process.getuid?.() === 0;
  const folder = mkdtempSync(path.join(tmpdir(), 'trilho-sshd-'));
  const file = (name: string) => path.join(folder, name);
  chmodSync(folder, 0o755);
  for (const name of ['host', 'other', 'client', 'stranger'])
    run('ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', file(name));
  writeFileSync(file('authorized'), readFileSync(file('client.pub')));
  const port = await freePort();
  writeFileSync(
    file('sshd_config'),
    [
      `Port ${port}`,
      'ListenAddress 127.0.0.1',
      `HostKey ${file('host')}`,
      `AuthorizedKeysFile ${file('authorized')}`,
      // Without PAM an account that has no password counts as locked.
      ...[
        'PidFile none',
        `UsePAM ${isRoot ? 'yes' : 'no'}`,
        'StrictModes no',
        'PasswordAuthentication no',
        'PubkeyAuthentication yes',
      ],
      ...['Subsystem sftp internal-sftp', 'ForceCommand internal-sftp', 'LogLevel ERROR'],
      '',
    ].join('\n'),
  );
  for (const name of ['in', 'out']) mkdirSync(file(name));
  if (isRoot)
    for (const name of ['host', 'authorized', 'in', 'out', 'sshd_config']) chownSync(file(name), NOBODY, NOBODY);
  const child = spawn(program, ['-D', '-e', '-f', file('sshd_config')], {
    stdio: ['ignore', 'ignore', 'pipe'],
    ...(isRoot && { uid: NOBODY, gid: NOBODY }),
  });
  let said = '';
  child.stderr.on('data', chunk => {
    said += chunk;
  });
  const hasEnded = new Promise<void>(resolve => {
    child.once('close', () => resolve());
  });
  const stop = async () => {
    child.kill('SIGTERM');
    await hasEnded;
    rmSync(folder, { recursive: true, force: true });
  };
  const until = Date.now() + START_LIMIT_MS;
  while (!isScanned(port)) {
    if (child.exitCode !== null || Date.now() > until) {
      await stop();
      throw new Error(`${program} does not start: ${said}`);
    }
    await wait(50);
  }
  return {
    settings: {
      ...{ host: '127.0.0.1', port, user: isRoot ? 'nobody' : userInfo().username },
      ...{ keyFile: file('client'), hostKey: fingerprint(file('host.pub')) },
      ...{ sendFolder: file('in'), fetchFolder: file('out') },
    },
    sent: file('in'),
    returned: file('out'),
    otherKey: fingerprint(file('other.pub')),
    strangersKey: file('stranger'),
    stop,
  };
}

function run(command: string, ...args: string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} failed: ${error ?? stderr}`);
  return stdout;
}

function fingerprint(file: string): string {
  return run('ssh-keygen', '-lf', file).split(' ')[1] ?? '';
}

/** Whether it answers. */
function isScanned(port: number): boolean {
  return spawnSync('ssh-keyscan', ['-T', '2', '-p', String(port), '127.0.0.1'], { encoding: 'utf8' }).stdout !== '';
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise(resolve => {
    server.once('listening', resolve);
  });
  const address = server.address();
  await new Promise(resolve => {
    server.close(resolve);
  });
  return typeof address === 'object' && address ? address.port : 0;
}
