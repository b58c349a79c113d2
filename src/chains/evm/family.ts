// The EVM networks.
import type { ChainFamily } from '../family.ts';
import { EVM_ADDRESSES } from './address.ts';
import { EvmEntry } from './entry.ts';
import { EVM_NETWORKS } from './networks/list.ts';

export const evm = {
  kind: 'evm',
  label: 'EVM',
  networksLabel: 'EVM networks',
  networks: EVM_NETWORKS,
  addresses: EVM_ADDRESSES,
  hashes: {
    form: '0x and 64 hexadecimal digits',
    pattern: /^0x[0-9a-f]{64}$/i,
    fromDigits: digits => `0x${digits}`,
  },
  messages: { prefix: '\x19Ethereum Signed Message:\n', signedWith: 'personal_sign', standard: 'EIP-191' },
  hasNonces: true,
  entry: EvmEntry,
  faultOfTestNode: ({ test }) => {
    if (!test) return ' has no test: a sandbox sends on test nodes only, and live on real networks.';
    const isReal = 'chainId' in test && EVM_NETWORKS.some(({ chainId }) => chainId === test.chainId);
    return isReal ? '.test.chainId is that of a real network, on which a sandbox does not send.' : undefined;
  },
} as const satisfies ChainFamily;
