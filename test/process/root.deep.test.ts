// The user of the embedded database: started by root, who may not run it, by an ordinary user, and on restricted machines.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chownSync, existsSync, readFileSync } from 'node:fs';
import { chmod, mkdir, rm, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { shortHash } from '../../src/storage/embedded/binaries.ts';
import {
  canReach,
  copyProject,
  databasePid,
  endProcesses,
  IS_ROOT,
  type Launch,
  type Over,
  ordinaryUser,
  ownFolder,
  PROJECT,
  processesOf,
  refusalOf,
  refusing,
  runToEnd,
  startTrilho,
  untilIssued,
} from '../harness/process.ts';

const FORMER_HOME = '/var/lib/trilho';

const notRoot = IS_ROOT ? false : 'only root has this difficulty; these tests do not run as root';
const noNamespaces =
  notRoot ||
  (spawnSync('unshare', ['--user', '--map-user=1', '--', 'true']).status === 0
    ? false
    : 'this machine refuses user namespaces');
const noRights =
  notRoot ||
  (spawnSync('setpriv', ['--reuid=1', '--inh-caps=+dac_override', '--ambient-caps=+dac_override', 'true']).status === 0
    ? false
    : 'this machine has no setpriv, or refuses it; util-linux brings it');

/** Starts, charges and stops; returns the charge, where the data was and as whom the database saw itself. */
async function lives(options: Launch): Promise<{ id: string; dataPlace: string; seenUid: number; uid: number }> {
  const service = await startTrilho(options);
  const id = await service.charge();
  await untilIssued(service, id);
  const { dataPlace } = service;
  const pid = databasePid(path.dirname(dataPlace))!;
  const seen = { id, dataPlace, seenUid: uidInside(pid), uid: uidOutside(pid) };
  assert.equal((await service.end()).code, 0);
  assert.deepEqual(processesOf(options.folder), []);
  assert.equal(databasePid(path.dirname(dataPlace)), undefined);
  return seen;
}

function uidOutside(pid: number): number {
  return Number(/^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]);
}

/** The user of the process as its own namespace names it. */
function uidInside(pid: number): number {
  const uid = uidOutside(pid);
  for (const line of readFileSync(`/proc/${pid}/uid_map`, 'utf8').trim().split('\n')) {
    const [inside, outside, count] = line.trim().split(/\s+/).map(Number);
    if (uid >= outside! && uid < outside! + count!) return inside! + uid - outside!;
  }
  return assert.fail(`no name for user ${uid}`);
}

describe('started by root', { concurrency: 2 }, () => {
  test('the database runs where only root may enter, and does not see itself as root', {
    skip: noNamespaces,
  }, async t => {
    const folder = await ownFolder(t);
    await chmod(folder, 0o700);
    const { dataPlace, seenUid } = await lives({ folder });
    assert.equal(dataPlace, path.join(folder, 'data', 'postgres'));
    assert.notEqual(seenUid, 0);
  });

  test('the project itself may lie where only root may enter', { skip: noNamespaces }, async t => {
    const folder = await ownFolder(t);
    const project = path.join(folder, 'project');
    await copyProject(project);
    await chmod(folder, 0o700);
    const { dataPlace, seenUid } = await lives({ folder, project, cwd: project });
    assert.equal(dataPlace, path.join(folder, 'data', 'postgres'));
    assert.notEqual(seenUid, 0);
  });

  test('without user namespaces another user runs the database in place', { skip: notRoot }, async t => {
    const folder = await ownFolder(t);
    const env = { PATH: await refusing(folder, ['unshare']) };
    if (!canReach(ordinaryUser()!, PROJECT)) return t.skip('the project lies where only root may enter');
    const { dataPlace, uid } = await lives({ folder, env });
    assert.equal(dataPlace, path.join(folder, 'data', 'postgres'));
    assert.notEqual(uid, 0);
  });

  test('without user namespaces the folder and the project may lie where only root may enter', {
    skip: noRights,
  }, async t => {
    const folder = await ownFolder(t);
    const env = { PATH: await refusing(folder, ['unshare']) };
    const project = path.join(folder, 'project');
    await copyProject(project);
    await chmod(folder, 0o700);
    const { id, dataPlace, uid } = await lives({ folder, project, cwd: project, env });
    assert.equal(dataPlace, path.join(folder, 'data', 'postgres'));
    assert.notEqual(uid, 0);

    // Also when the machine is no longer restricted: its owner runs it.
    const again = await startTrilho({ folder, project, cwd: project });
    assert.equal((await again.get(`/charges/${id}`)).status, 200);
    assert.equal((await again.end()).code, 0);
  });

  test('on a machine that refuses every way, a sentence says what to do', { skip: notRoot }, async t => {
    const folder = await ownFolder(t);
    const env = { PATH: await refusing(folder, ['unshare', 'setpriv']) };
    await chmod(folder, 0o700);
    assert.match(refusalOf(await runToEnd({ folder, env })), /start as an ordinary user, move .* or set DATABASE_URL/);
    assert.equal(existsSync(path.join(folder, 'data', 'postgres')), false);
  });

  test('a database that a former version put into /var/lib is named, and opens there', { skip: notRoot }, async t => {
    const folder = await ownFolder(t);
    const former = path.join(FORMER_HOME, shortHash(path.join(folder, 'data')));
    const wasThere = existsSync(FORMER_HOME);
    t.after(async () => {
      await endProcesses(former);
      await rm(former, { recursive: true, force: true });
      // Others may be using it by now.
      if (!wasThere) await rmdir(FORMER_HOME).catch(() => {});
    });
    const env = { PATH: await refusing(folder, ['unshare']), TRILHO_DATA_DIR: former };
    await mkdir(former, { recursive: true });
    const first = await startTrilho({ folder, env });
    const id = await first.charge();
    assert.equal((await first.end()).code, 0);

    assert.ok(refusalOf(await runToEnd({ folder })).includes(`set TRILHO_DATA_DIR to ${former}`));
    const again = await startTrilho({ folder, env: { TRILHO_DATA_DIR: former } });
    assert.equal((await again.get(`/charges/${id}`)).status, 200);
    assert.equal((await again.end()).code, 0);
  });
});

describe('started by an ordinary user', { concurrency: 2 }, () => {
  async function asOrdinaryUser(t: Over): Promise<(Launch & { uid: number }) | undefined> {
    const folder = await ownFolder(t);
    const user = IS_ROOT ? ordinaryUser() : { uid: process.getuid!(), gid: process.getgid!() };
    if (!user || !canReach(user, process.execPath)) return undefined;
    await chmod(folder, 0o755);
    chownSync(folder, user.uid, user.gid);
    if (canReach(user, path.join(PROJECT, 'bin/trilho.js'))) return { folder, ...user };
    const project = path.join(folder, 'project');
    await copyProject(project, 'whole');
    return { folder, ...user, project };
  }

  test('the database runs as that user', async t => {
    const options = await asOrdinaryUser(t);
    if (!options) return t.skip('no user of this machine but root can run this Node');
    const { uid, seenUid } = await lives(options);
    assert.equal(uid, options.uid);
    assert.equal(seenUid, options.uid);
  });

  test('a data directory that they may read but not write is refused in one line', async t => {
    const options = await asOrdinaryUser(t);
    if (!options) return t.skip('no user of this machine but root can run this Node');
    const dataDir = path.join(options.folder, 'theirs');
    await mkdir(dataDir);
    await chmod(dataDir, 0o555);
    const ended = await runToEnd({ ...options, env: { TRILHO_DATA_DIR: dataDir } });
    const line = refusalOf(ended);
    assert.ok(line.includes(dataDir) && line.includes('TRILHO_DATA_DIR'), line);
  });
});
