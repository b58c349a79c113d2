// BNB Smart Chain. It takes its fees in BNB.
import { type EvmNetworkFacts, etherscan, GWEI, MAX_GAS, MINUTE_MS } from '../network.ts';

export const bsc = {
  id: 'bsc',
  label: 'BNB Smart Chain',
  confirmations: 15,
  blockMs: 450,
  coin: { symbol: 'bnb', decimals: 18, limits: { perPayout: '1', perDay: '5' } },
  // Both are issued by Binance, whose contracts have neither a blocklist nor a fee.
  tokens: {
    usdt: { address: '0x55d398326f99059fF775485246999027B3197955', decimals: 18 },
    usdc: { address: '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d', decimals: 18 },
  },
  minimums: { usdt: '0.1', usdc: '0.1' },
  explorer: etherscan('bscscan.com'),
  chainId: 56,
  // The base fee is 0, and nodes refuse a lower tip.
  minTip: GWEI / 20n,
  maxFee: 20n * GWEI,
  gasMarginPercent: 20n,
  maxGas: MAX_GAS,
  stuckAfterMs: MINUTE_MS,
  finalityMs: MINUTE_MS / 2,
  otherTokens: {
    AAVE: '0xfb6115445Bff7b52FeB98650C87f44907E58f802',
    BRZ: '0x71be881e9C5d4465B3FfF61e89c6f3651E69B5bb',
    BTCB: '0x7130d2A12B9BCbFAe4f2634d864A1Ee1Ce3Ead9c',
    BUSD: '0xe9e7CEA3DedcA5984780Bafc599bD69ADd087D56',
    CAKE: '0x0E09FaBB73Bd3Ade0a17ECC321fD13a19e81cE82',
    DAI: '0x1AF3F329e8BE154074D8769D1FFa4eE058B1DBc3',
    ETH: '0x2170Ed0880ac9A755fd29B2688956BD959F933F8',
    EURA: '0x12f31B73D812C6Bb0d735a218c086d44D5fe5f89',
    FDUSD: '0xc5f0f7b66764F6ec8C8Dff7BA683102295E16409',
    FRAX: '0x90C97F71E18723b0Cf0dfa30ee176Ab653E89F40',
    LINK: '0xF8A0BF9cF54Bb92F17374d9e9A321E6a111a51bD',
    MATIC: '0xCC42724C6683B7E57334c4E856f4c9965ED682bD',
    UNI: '0xBf5140A22578168FD562DCcF235E5D43A02ce9B1',
    WBNB: '0xbb4CdB9CBd36B01bD1cBaEBF2De08d9173bc095c',
    wstETH: '0x26c5e01524d2E6280A48F2c50fF6De7e52E9611C',
    XAUt0: '0x21cAef8A43163Eea865baeE23b9C2E327696A3bf',
  },
} as const satisfies EvmNetworkFacts;
