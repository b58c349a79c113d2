// Base, a rollup of Ethereum.
import { CIRCLE, ETH, type EvmNetworkFacts, etherscan, GWEI, MAX_GAS, MINUTE_MS } from '../network.ts';

export const base = {
  id: 'base',
  label: 'Base',
  confirmations: 20,
  blockMs: 2_000,
  coin: ETH,
  tokens: {
    usdc: { address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', decimals: 6, ...CIRCLE },
  },
  minimums: { usdc: '0.1', eth: '0.00002' },
  explorer: etherscan('basescan.org'),
  chainId: 8453,
  minTip: GWEI / 1_000n,
  maxFee: 20n * GWEI,
  gasMarginPercent: 20n,
  maxGas: MAX_GAS,
  stuckAfterMs: MINUTE_MS,
  finalityMs: 20 * MINUTE_MS,
  // https://docs.base.org/base-chain/specs/upgrades/fjord/predeploys
  l1FeeOracle: '0x420000000000000000000000000000000000000F',
  otherTokens: {
    AAVE: '0x63706e401c06ac8513145b7687A14804d17f814b',
    AERO: '0x940181a94A35A4569E4529A3CDfB74e38FD98631',
    BRZ: '0xE9185Ee218cae427aF7B9764A011bb89FeA761B4',
    cbBTC: '0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf',
    cbETH: '0x2Ae3F1Ec7F1F5012CFEab0185bfc7aa3cf0DEc22',
    DAI: '0x50c5725949A6F0c72E6C4a641F24049A917DB0Cb',
    EURC: '0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42',
    ezETH: '0x2416092f143378750bb29b79eD961ab195CcEea5',
    GHO: '0x6Bb7a212910682DCFdbd5BCBb3e28FB4E8da10Ee',
    tBTC: '0x236aa50979D5f3De3Bd1Eeb40E81137F22ab794b',
    UNI: '0xc3De830EA07524a0761646a6a4e4be0e114a3C83',
    USDbC: '0xd9aAEc86B65D86f6A7B5B1b0c42FFA531710b6CA',
    USDT: '0xfde4C96c8593536E31F229EA8f37b2ADa2699bb2',
    weETH: '0x04C0599Ae5A44757c0af6F9eC3b93da8976c150A',
    WETH: '0x4200000000000000000000000000000000000006',
    wstETH: '0xc1CBa3fCea344f92D9239c08C0568f6F2F0ee452',
  },
} as const satisfies EvmNetworkFacts;
