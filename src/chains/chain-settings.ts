// The settings of chains: one entry for each network that crypto is sent on, with the fields of its family.
import { type Static, Type } from 'typebox';
import type { Check } from '../lib/settings/check-schema.ts';
import { jsonOf } from '../lib/settings/kinds.ts';
import type { Setting } from '../lib/settings/setting.ts';
import { NETWORKS } from './asset.ts';
import { hasDistinct } from './entry-fields.ts';
import { FAMILIES } from './families.ts';

export type ChainSettings = Readonly<Static<(typeof FAMILIES)[number]['entry']>>;

/** Only the faults of the family that the network belongs to are reported, which a plain union cannot do. */
const ChainEntry = Type.Unsafe<ChainSettings>({
  type: 'object',
  required: ['network'],
  properties: { network: { type: 'string', enum: [...NETWORKS] } },
  discriminator: { propertyName: 'network' },
  oneOf: FAMILIES.map(({ entry }) => entry),
});

const ChainEntries = Type.Array(ChainEntry, {
  maxItems: NETWORKS.length,
  'x-check': { holds: hasDistinct('network'), message: 'must have each network once' } satisfies Check,
});

export const CHAIN_SETTINGS = [
  {
    name: 'TRILHO_CHAINS',
    kind: jsonOf(ChainEntries, 'a JSON list of objects { network, providers, senders, … }'),
    // The address of a provider may hold a key.
    isSecret: true,
    inFile: 'chains',
    meaning:
      'Networks that crypto is sent on: their providers, senders and limits. Live takes no orders without one; a sandbox takes test nodes only.',
  },
] as const satisfies readonly Setting[];
