// Polygon PoS. It takes its fees in POL.
import { CIRCLE, type EvmNetworkFacts, etherscan, GWEI, MAX_GAS, MINUTE_MS, TETHER_V2 } from '../network.ts';

export const polygon = {
  id: 'polygon',
  label: 'Polygon',
  confirmations: 64,
  blockMs: 1_750,
  coin: { symbol: 'pol', decimals: 18, limits: { perPayout: '3000', perDay: '15000' } },
  tokens: {
    usdt: { address: '0xc2132D05D31c914a87C6611C10748AEb04B58e8F', decimals: 6, ...TETHER_V2 },
    usdc: { address: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359', decimals: 6, ...CIRCLE },
  },
  minimums: { usdt: '0.1', usdc: '0.1' },
  explorer: etherscan('polygonscan.com'),
  chainId: 137,
  // bor refuses less than 25 gwei, its documentation asks for 30.
  minTip: 30n * GWEI,
  maxFee: 2_000n * GWEI,
  gasMarginPercent: 20n,
  maxGas: MAX_GAS,
  stuckAfterMs: MINUTE_MS,
  // The tag follows in seconds; a transfer is final later, since the depth must be reached too.
  finalityMs: 2 * MINUTE_MS,
  otherTokens: {
    AAVE: '0xD6DF932A45C0f255f85145f286eA0b292B21C90B',
    BRLA: '0xE6A537a407488807F0bbeb0038B79004f19DDDFb',
    BRZ: '0x4eD141110F6EeeAbA9A1df36d8c26f684d2475Dc',
    CRV: '0x172370d5Cd63279eFa6d502DAB29171933a610AF',
    DAI: '0x8f3Cf7ad23Cd3CaDbD9735AFf958023239c6A063',
    EURA: '0xE0B52e49357Fd4DAf2c15e02058DCE6BC0057db4',
    EURS: '0xE111178A87A3BFf0c8d18DECBa5798827539Ae99',
    LINK: '0x53E0bca35eC356BD5ddDFebbD1Fc0fD03FaBad39',
    MKR: '0x6f7C932e7684666C9fd1d44527765433e01fF61d',
    UNI: '0xb33EaAd8d922B1083446DC23f610c2567fB5180f',
    'USDC.e': '0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174',
    WBTC: '0x1BFD67037B42Cf73acF2047067bd4F2C47D9BfD6',
    WETH: '0x7ceB23fD6bC0adD59E62ac25578270cFf1b9f619',
    WPOL: '0x0d500B1d8E8eF31E21C99d1Db9A6444d3ADf1270',
    wstETH: '0x03b54A6e9a984069379fae1a4fC4dBAE93B3bCCD',
    XAUt0: '0xF1815bd50389c46847f0Bda824eC8da914045D14',
  },
} as const satisfies EvmNetworkFacts;
