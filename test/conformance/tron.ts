// `npm run conformance -- tron`: 10,000 transfers on Tron, byte for byte as tronweb encodes and signs them.
import { proveEncoder } from '../harness/tron-proof.ts';

const COUNT = 10_000;
const SEED = 2026;

const startedMs = performance.now();
const { coin, token } = await proveEncoder(COUNT, SEED);
const seconds = ((performance.now() - startedMs) / 1000).toFixed(0);
console.log(`${coin} transfers of TRX and ${token} of a token equal those of tronweb (seed ${SEED}, ${seconds} s).`);
