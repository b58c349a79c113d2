// Addresses against published vectors and random changes: every single wrong character is found.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { addressOf, readAddress, readPayee } from '../../src/chains/address.ts';
import { NETWORKS, type Network } from '../../src/chains/asset.ts';
import { NETWORK_FACTS } from '../../src/chains/networks.ts';

// https://eips.ethereum.org/EIPS/eip-55
const EIP_55 = [
  '0x52908400098527886E0F7030069857D2E4169EE7',
  '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
  '0xde709f2102306220921060314715629080e2fb77',
  '0x27b1fdb04752bbc536007a920d24acb045561c26',
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
  '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
];
/** Addresses of Tron with their bytes, as its documentation shows them. */
const TRON = {
  TNPeeaaFB7K9cmo4uQpcU32zGK8G1NYqeL: '8840e6c55b9ada326d211d818c34a994aeced808',
  TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t: 'a614f803b6fd780986a42c78ec9c7f77e6ded13c',
  T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb: '0000000000000000000000000000000000000000',
  TLsV52sRDL79HXGGm9yzwKibb6BeruhUzy: '77944d19c052b73ee2286823aa83f8138cb7032f',
};
const TRON_WALLET = 'TNPeeaaFB7K9cmo4uQpcU32zGK8G1NYqeL';

const capital = (address: string) => `0x${address.slice(2).toUpperCase()}`;
const codeOf = (network: Network, text: string, senders: string[] = [], tokens: string[] = []) =>
  readPayee(network, text, { senders, tokens }).refusal?.code;

test('the vectors of EIP-55 keep their spelling, and lower case is converted to it', () => {
  for (const address of EIP_55) {
    for (const text of [address, address.toLowerCase(), capital(address)])
      assert.deepEqual(readPayee('ethereum', text), { address });
  }
});

test('the addresses of Tron are those of their bytes', () => {
  for (const [address, body] of Object.entries(TRON)) {
    assert.equal(addressOf('tron', Buffer.from(body, 'hex')), address);
    assert.deepEqual(readAddress('tron', address), { address });
  }
});

test('the contracts of all tokens are written in the canonical spelling', () => {
  for (const network of NETWORKS) {
    for (const { address } of Object.values(NETWORK_FACTS[network].tokens))
      assert.deepEqual(readAddress(network, address), { address });
  }
});

test('text that is not an address is refused', () => {
  const nothing = [
    '',
    ' ',
    '0x',
    'T',
    'acme.eth',
    '0x123',
    `${EIP_55[4]}0`,
    EIP_55[4]!.slice(0, -1),
    `0xg${'0'.repeat(39)}`,
  ];
  for (const text of [...nothing, EIP_55[4]!.slice(2), `0X${EIP_55[4]!.slice(2)}`, TRON_WALLET])
    assert.equal(codeOf('polygon', text), 'not_an_address', text);
  const other = [
    `41${TRON.TNPeeaaFB7K9cmo4uQpcU32zGK8G1NYqeL}`,
    TRON_WALLET.toLowerCase(),
    TRON_WALLET.replace('N', '0'),
  ];
  for (const text of [...nothing, ...other, EIP_55[4]!, `1${TRON_WALLET.slice(1)}`])
    assert.equal(codeOf('tron', text), 'not_an_address', text);
});

test('a refusal explains what to correct', () => {
  const message = (network: Network, text: string) => readPayee(network, text).refusal?.message ?? '';
  assert.match(message('tron', EIP_55[4]!), /is an address of Ethereum .* on tron it must be T/);
  assert.match(message('base', TRON_WALLET), /is an address of Tron; on base it must be 0x/);
  for (const text of [` ${EIP_55[4]}`, `${EIP_55[4]}\n`]) assert.match(message('bsc', text), /blanks/);
  assert.match(message('tron', `${TRON_WALLET}\u00a0`), /blanks/);
  assert.match(message('tron', `41${TRON.TNPeeaaFB7K9cmo4uQpcU32zGK8G1NYqeL}`), /hexadecimal/);
  assert.match(message('bsc', EIP_55[4]!.slice(2)), /begin with 0x/);
});

test('mixed letters that do not fit the checksum are refused, and so is a wrong character of Tron', () => {
  assert.equal(codeOf('ethereum', '0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed'), 'wrong_checksum');
  assert.equal(codeOf('ethereum', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD'), 'wrong_checksum');
  assert.equal(codeOf('tron', 'TNPeeaaFB7K9cmo4uQpcU32zGK8G1NYqeM'), 'wrong_checksum');
});

test('addresses without a known key are refused', () => {
  const zero = `0x${'0'.repeat(40)}`;
  assert.equal(codeOf('base', zero), 'zero_address');
  assert.equal(codeOf('tron', 'T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb'), 'zero_address');
  for (const tail of ['1', '9', 'a', '64', '1ff', '1010', 'dead', 'ffff'])
    assert.equal(codeOf('polygon', zero.slice(0, -tail.length) + tail), 'burn_address', tail);
  for (const text of [
    '0x000000000000000000000000000000000000dEaD',
    '0xdead000000000000000042069420694206942069',
    `0x${'f'.repeat(40)}`,
    `0x${'E'.repeat(40)}`,
  ])
    assert.equal(codeOf('ethereum', text), 'burn_address', text);
  for (const text of ['TLsV52sRDL79HXGGm9yzwKibb6BeruhUzy', 'T9yD14Nj9j7xAB4dbGeiX9h8unkKLxmGkn'])
    assert.equal(codeOf('tron', text), 'burn_address', text);
  assert.equal(codeOf('ethereum', `0x${'0'.repeat(35)}10000`), undefined);
});

test('the contract of a token is refused on every network with that form of address', () => {
  const usdt = NETWORK_FACTS.ethereum.tokens.usdt.address;
  for (const network of NETWORKS.filter(name => name !== 'tron'))
    assert.equal(codeOf(network, usdt.toLowerCase()), 'token_contract', network);
  assert.equal(codeOf('tron', NETWORK_FACTS.tron.tokens.usdt.address), 'token_contract');
});

test('the contract of a common token that is not paid out is refused, and listed in the canonical spelling', () => {
  for (const network of NETWORKS) {
    for (const [symbol, address] of Object.entries(NETWORK_FACTS[network].otherTokens)) {
      assert.equal(readAddress(network, address).address, address, `${symbol} on ${network}`);
      assert.equal(codeOf(network, address), 'token_contract', `${symbol} on ${network}`);
    }
  }
  // Wrapped coins, with their addresses in explorers.
  assert.equal(codeOf('ethereum', '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'), 'token_contract');
  assert.equal(codeOf('base', '0x4200000000000000000000000000000000000006'), 'token_contract');
  assert.equal(codeOf('bsc', '0xbb4cdb9cbd36b01bd1cbaebf2de08d9173bc095c'), 'token_contract');
  assert.equal(codeOf('tron', 'TNUC9Qb1rRpS5CbWLmNMxXBjyFoydXjWFR'), 'token_contract');
  // Reais on a chain, which users in Brazil are likely to have.
  assert.equal(codeOf('polygon', '0x4ed141110f6eeeaba9a1df36d8c26f684d2475dc'), 'token_contract');
  assert.equal(codeOf('ethereum', '0x420412e765bfa6d85aaac94b4f7b708c89be2e2b'), 'token_contract');
  assert.equal(codeOf('polygon', '0xe6a537a407488807f0bbeb0038b79004f19dddfb'), 'token_contract');
});

test('our own address is refused, however it is spelt', () => {
  for (const text of [EIP_55[4]!, EIP_55[4]!.toLowerCase()])
    assert.equal(codeOf('arbitrum', text, [EIP_55[4]!]), 'own_address');
  assert.equal(codeOf('tron', TRON_WALLET, [TRON_WALLET]), 'own_address');
  assert.equal(codeOf('arbitrum', EIP_55[4]!, [], [EIP_55[4]!]), 'token_contract');
});

const body = fc.uint8Array({ minLength: 20, maxLength: 20 });
const isMixed = (text: string) => /[a-f]/.test(text.slice(2)) && /[A-F]/.test(text.slice(2));

for (const [kind, network, alphabet] of [
  ['evm', 'ethereum', '0123456789abcdefABCDEF'],
  ['tron', 'tron', '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'],
] as const) {
  test(`an address of ${kind} with one changed character is refused, unless it is a valid address`, () => {
    fc.assert(
      fc.property(body, fc.nat(), fc.constantFrom(...alphabet), (bytes, place, character) => {
        const address = addressOf(kind, bytes);
        assert.deepEqual(readAddress(network, address), { address });
        const at = 1 + (place % (address.length - 1));
        const changed = address.slice(0, at) + character + address.slice(at + 1);
        const reading = readAddress(network, changed);
        // An accepted text is unchanged, or exactly the address of its own bytes.
        if (reading.address !== undefined && (kind === 'tron' || isMixed(changed)))
          assert.equal(reading.address, changed);
        if (kind === 'tron' && changed !== address) assert.equal(reading.refusal?.code, 'wrong_checksum');
      }),
      { numRuns: 2_000 },
    );
  });
}
