// How many streams of open pages a service has, by its metrics.
import assert from 'node:assert/strict';
import { until } from './process.ts';
import type { Service } from './service.ts';

export async function openStreams(service: Service, page: 'checkout' | 'dashboard'): Promise<number> {
  const { text } = await service.get('/metrics');
  const found = new RegExp(`^trilho_page_streams\\{page="${page}"\\} (\\d+)$`, 'm').exec(text);
  assert.ok(found, 'the metric is there');
  return Number(found[1]);
}

/** A closed page ends its stream a moment later. */
export function untilOneStream(service: Service, page: 'checkout' | 'dashboard'): Promise<unknown> {
  return until(`all pages of the ${page} to share one stream`, async () => (await openStreams(service, page)) === 1);
}
