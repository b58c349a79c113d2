// Tron, alone in its family.
import type { ChainFamily } from '../family.ts';
import { TRON_ADDRESSES } from './address.ts';
import { TronEntry } from './entry.ts';
import { tron as network } from './network.ts';

export const tron = {
  kind: 'tron',
  label: 'Tron',
  networksLabel: 'Tron',
  networks: [network],
  addresses: TRON_ADDRESSES,
  hashes: { form: '64 hexadecimal digits', pattern: /^[0-9a-f]{64}$/i, fromDigits: digits => digits },
  messages: { prefix: '\x19TRON Signed Message:\n', signedWith: 'signMessageV2' },
  hasNonces: false,
  entry: TronEntry,
} as const satisfies ChainFamily;
