// What can be set about chains: one entry for each network that crypto is sent on, with the fields of its family.
import { type Static, Type } from 'typebox';
import type { Check } from '../lib/settings/check-schema.ts';
import { jsonOf } from '../lib/settings/kinds.ts';
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

export const ChainEntries = Type.Array(ChainEntry, {
  maxItems: NETWORKS.length,
  'x-check': { holds: hasDistinct('network'), message: 'must have each network once' } satisfies Check,
});

/** The chains as JSON text. */
export const chainSettings = jsonOf(ChainEntries, 'a JSON list of objects { network, providers, senders, … }');
