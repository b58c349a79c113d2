// The machine and versions of a run, printed at its start.
import { availableParallelism } from 'node:os';
import { findNode } from '../../src/sandbox/evm-node/find-node.ts';
import { findBrowser } from '../harness/launch-browser.ts';

export function describeMachine(): string {
  const evm = findNode()?.name ?? 'none';
  const browser = findBrowser() ?? 'none';
  const machine = `${process.platform} ${process.arch}, ${availableParallelism()} cores, Node ${process.versions.node}`;
  return `${machine}; EVM node: ${evm}; browser: ${browser}`;
}
