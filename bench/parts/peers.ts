import type { Needs } from './part.ts';
export async function measurePeers(_: Needs): Promise<void> {}
