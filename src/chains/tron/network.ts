// Everything known of Tron.
import type { NetworkFacts } from '../family.ts';

export const tron = {
  id: 'tron',
  label: 'Tron',
  confirmations: 19,
  blockMs: 3_000,
  coin: { symbol: 'trx', decimals: 6 },
  tokens: { usdt: { address: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', decimals: 6 } },
  // 17.4 TRX for USDT to an address without any, and 1.1 TRX for a new account.
  minimums: { usdt: '6', trx: '2' },
  explorer: { transaction: 'https://tronscan.org/#/transaction/', address: 'https://tronscan.org/#/address/' },
  otherTokens: {
    WTRX: 'TNUC9Qb1rRpS5CbWLmNMxXBjyFoydXjWFR',
    USDC: 'TEkxiTehnzSmSe2XqrBj4w32RUN966rdz8',
    USDD: 'TPYmHEhy5n8TCEfYGqW2rPxsghSfzghPDn',
    'USDD (2025)': 'TXDk8mbtRbXeYuMNS83CfKPaYYT8XWv9Hz',
    TUSD: 'TUpMhErZL2fhh4sVNULAbNKLokS4GjC1F4',
    USDJ: 'TMwFHYXLJaRUPeW6421aqXL4ZEzPRFGkGT',
    BTC: 'TN3W4H6rK2ce4vX9YnFQHwKENnHjoxb3m9',
    WBTC: 'TXpw8XeWYeTUd4quDskoUqeQPowRh4jY65',
    ETH: 'TRFe3hT5oYhjSZ6f3ji5FJ7YCfrkWnHRvh',
    'ETH (JustLend)': 'THb4CqiFdwNHsWsQCs4JhzwjMWys4aqCbF',
    stUSDT: 'TThzxNRLrW2Brp9DcTQU8i4Wd9udCWEdZ3',
    BTT: 'TAFjULxiVgT4qWk6UZwjqwZXTSaGaqnVp4',
    WBTT: 'TKfjV9RNKJJCqPvBtK8L7Knykh7DNWvnYt',
    JST: 'TCFLL5dx5ZJdKnWuesXxi1VPwjLVmWZZy9',
    SUN: 'TSSMHYeV2uE9qYH95DqyoCuNCzEL1NvU3S',
    WIN: 'TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7',
    NFT: 'TFczxzPhnThNSqr5by8tvxsdCFRRz6cPNq',
  },
} as const satisfies NetworkFacts;
