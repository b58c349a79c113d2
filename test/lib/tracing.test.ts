// Traces without a service: reading a traceparent, and a collector that never answers.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { type SamplerName, type SpanOutcome, startTracing } from '../../src/lib/opentelemetry.ts';
import { formatTraceparent, parseTraceparent } from '../../src/lib/tracing.ts';
import { silentLog } from '../harness/log.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

test('a traceparent is read as in W3C Trace Context', () => {
  const known = { traceId: TRACE, spanId: SPAN };
  assert.deepEqual(parseTraceparent(`00-${TRACE}-${SPAN}-01`), { ...known, isSampled: true });
  assert.deepEqual(parseTraceparent(`00-${TRACE}-${SPAN}-00`), { ...known, isSampled: false });
  assert.deepEqual(parseTraceparent(`00-${TRACE}-${SPAN}-03`), { ...known, isSampled: true });
  assert.deepEqual(parseTraceparent(`cc-${TRACE}-${SPAN}-01-what-comes-later`), { ...known, isSampled: true });
  assert.equal(formatTraceparent(known), `00-${TRACE}-${SPAN}-01`);
  for (const wrong of [
    undefined,
    '',
    [`00-${TRACE}-${SPAN}-01`, `00-${TRACE}-${SPAN}-01`],
    `ff-${TRACE}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01-more`,
    `cc-${TRACE}-${SPAN}-01.more`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE}-${SPAN}`,
    ` 00-${TRACE}-${SPAN}-01`,
  ]) {
    assert.equal(parseTraceparent(wrong), undefined, String(wrong));
  }
});

test('spans that a silent collector does not accept are dropped and counted, and the stop does not wait for it', async t => {
  const server = createServer(() => {});
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const counts: Record<SpanOutcome, number> = { sent: 0, dropped: 0, failed: 0 };
  const tracing = await startTracing(
    {
      log: silentLog,
      version: '0',
      mode: 'live',
      observeSpans: ({ outcome, count }) => {
        counts[outcome] += count;
      },
    },
    {
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      headers: {},
      serviceName: 'trilho',
      sampler: 'always_on',
      ratio: 1,
    },
  );
  for (let count = 0; count < 10_000; count++) {
    tracing.start({ name: 'GET /charges', kind: 'server', attributes: {} }).end();
  }
  assert.deepEqual(counts, { sent: 0, dropped: 10_000 - 8_192, failed: 0 });
  await tracing.stop();
});

test('each sampler decides as in the standard', async () => {
  const own = { traceId: TRACE, spanId: SPAN };
  /** Whether a new trace is recorded, and one of a caller that records its part, and of one that does not. */
  const decisions = async (sampler: SamplerName, ratio = 1) => {
    const deps = { log: silentLog, version: '0', mode: 'live', observeSpans: () => {} };
    const settings = { endpoint: 'http://127.0.0.1:9', headers: {}, serviceName: 'trilho', sampler, ratio };
    const tracing = await startTracing(deps, settings);
    const parents = [undefined, { ...own, isSampled: true }, { ...own, isSampled: false }];
    const spans = parents.map(parent => tracing.start({ name: 'GET /', kind: 'server', attributes: {}, parent }));
    return spans.map(({ context }) => context !== undefined);
  };
  assert.deepEqual(await decisions('always_on'), [true, true, true]);
  assert.deepEqual(await decisions('always_off'), [false, false, false]);
  assert.deepEqual(await decisions('traceidratio', 0), [false, false, false]);
  assert.deepEqual(await decisions('traceidratio', 1), [true, true, true]);
  assert.deepEqual(await decisions('parentbased_always_on'), [true, true, false]);
  assert.deepEqual(await decisions('parentbased_always_off'), [false, true, false]);
  assert.deepEqual(await decisions('parentbased_traceidratio', 0), [false, true, false]);
  assert.deepEqual(await decisions('parentbased_traceidratio', 1), [true, true, false]);
});
