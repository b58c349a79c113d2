// Folders that a killed process left are found by the next one of the same user.
import assert from 'node:assert/strict';
import { chown, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { findAbandoned } from '../../../src/lib/files/drafts.ts';
import { ownFolder } from '../../harness/process.ts';

/** Not used by a process. */
const DEAD = 2 ** 30;
const OTHER_USER = 65_534;
const PREFIX = /draft-/;

test('the folder of an ended process is found, and that of a living one is not', async t => {
  const folder = await ownFolder(t);
  const left = path.join(folder, `draft-${DEAD}-abcdef`);
  await mkdir(left);
  await mkdir(path.join(folder, `draft-${process.ppid}-abcdef`));
  await mkdir(path.join(folder, 'draft-abcdef'));
  assert.deepEqual(await findAbandoned(folder, PREFIX), [left]);
});

const skip = process.getuid?.() === 0 ? false : 'only root can give a folder away';

test('the folder of another user is not touched', { skip }, async t => {
  const folder = await ownFolder(t);
  const left = path.join(folder, `draft-${DEAD}-abcdef`);
  await mkdir(left);
  await chown(left, OTHER_USER, OTHER_USER);
  assert.deepEqual(await findAbandoned(folder, PREFIX), []);
});
