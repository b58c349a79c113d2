// node scripts/compile-tokens.ts: compiles the contracts of test nodes. The result is committed, since it takes seconds.
import { readFileSync, writeFileSync } from 'node:fs';
import solc from 'solc';

const SOURCE = new URL('../src/sandbox/evm-node/tokens.sol', import.meta.url);
const RESULT = new URL('../src/sandbox/evm-node/tokens.json', import.meta.url);

const input = {
  language: 'Solidity',
  sources: { 'tokens.sol': { content: readFileSync(SOURCE, 'utf8') } },
  settings: {
    optimizer: { enabled: true, runs: 200 },
    evmVersion: 'paris',
    outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
  },
};
const output = JSON.parse(solc.compile(JSON.stringify(input)));
const errors = (output.errors ?? []).filter((error: { severity: string }) => error.severity === 'error');
if (errors.length > 0) throw new Error(JSON.stringify(errors, undefined, 2));

type Compiled = { readonly abi: unknown; readonly evm: { readonly bytecode: { readonly object: string } } };
const contracts: Record<string, Compiled> = output.contracts['tokens.sol'];
const artefacts = Object.entries(contracts).filter(([, { evm }]) => evm.bytecode.object !== '');
const result = Object.fromEntries(artefacts.map(([name, { evm }]) => [name, `0x${evm.bytecode.object}`]));
writeFileSync(RESULT, `${JSON.stringify(result, undefined, 2)}\n`);
