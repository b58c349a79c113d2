// The settings of all rails: the schema of the section `rails`, and the kind of each entry of all sections.
import { Type } from 'typebox';
import type { Check } from '../lib/settings/check-schema.ts';
import { jsonOf, type Kind, normalised } from '../lib/settings/kinds.ts';
import type { AgreementEntry } from './agreement-entry.ts';
import type { Receiver } from './br-code.ts';
import { hasDistinctNames } from './entry-fields.ts';
import {
  type BankEntry,
  type CalledBank,
  RAIL_SECTIONS,
  type RailEntry,
  type RailKind,
  type RailSection,
} from './kind.ts';
import { RAIL_KINDS } from './kinds.ts';
import { PIX_KEY_RAIL } from './static-key/rail.ts';

const MAX_RAILS = 100;

/** The schema of `rails`. The profile of an entry gives its kind, and so its fields. */
function railEntries(kinds: readonly RailKind[]) {
  const schemas = kinds.flatMap(({ section, entry }) => (section === 'rails' && entry ? entry : []));
  const profiles = kinds.flatMap(kind => kind.profiles ?? []);
  // The first check names every profile; the second alone would only say that the profile is not valid.
  const AnyOfThem = {
    type: 'object',
    allOf: [
      { required: ['profile'], properties: { profile: { type: 'string', enum: profiles } } },
      { type: 'object', required: ['profile'], discriminator: { propertyName: 'profile' }, oneOf: schemas },
    ],
  };
  const [only, ...others] = schemas;
  return Type.Array(Type.Unsafe<RailEntry>(only && others.length === 0 ? only : AnyOfThem), {
    maxItems: MAX_RAILS,
    'x-check': { holds: hasDistinctNames, message: 'must name each rail differently' } satisfies Check,
  });
}

/** The rails as JSON text. */
export function railSettings(kinds: readonly RailKind[]): Kind<readonly RailEntry[]> {
  const entries = jsonOf(
    railEntries(kinds),
    'a JSON list of objects { name, profile, environment, pixKey, clientId, … }',
  );
  return normalised<readonly RailEntry[]>(entries, rails =>
    rails.map(entry => kindOf(kinds, 'rails', entry)?.normal?.(entry) ?? entry),
  );
}

/** The parts of the settings that name rails. */
export type RailSections = {
  readonly pixKey?: Receiver;
  readonly rails: readonly RailEntry[];
  readonly boletos: readonly AgreementEntry[];
};

export type PlacedEntry = {
  /** Undefined for an unknown profile. */
  readonly kind: RailKind | undefined;
  readonly entry: RailEntry;
  /** Its path: `rails[0]`. */
  readonly place: string;
};

/** Every entry, in the order in which rails are preferred. */
export function placedEntries({ pixKey, rails, boletos }: RailSections, kinds = RAIL_KINDS): PlacedEntry[] {
  const sections: Readonly<Record<RailSection, readonly RailEntry[]>> = {
    rails,
    boletos,
    pixKey: pixKey ? [{ name: PIX_KEY_RAIL, ...pixKey }] : [],
  };
  return RAIL_SECTIONS.flatMap(section =>
    sections[section].map((entry, index) => {
      return { kind: kindOf(kinds, section, entry), entry, place: `${section}[${index}]` };
    }),
  );
}

/** An entry whose bank is called by its API. */
export type CalledEntry = PlacedEntry & {
  readonly kind: RailKind;
  readonly called: CalledBank;
  /** The entry's part about the bank, and its path: `boletos[0].api`. */
  readonly bank: BankEntry;
  readonly bankPlace: string;
};

export function calledEntries(sections: RailSections, kinds = RAIL_KINDS): CalledEntry[] {
  return placedEntries(sections, kinds).flatMap(({ kind, entry, place }) => {
    const called = kind?.bank;
    if (!called) return [];
    const bankPlace = called.field === undefined ? place : `${place}.${called.field}`;
    return { kind, entry, place, called, bank: called.of(entry), bankPlace };
  });
}

/** The agreements whose banks take instructions in files. */
export function agreementsByFile(boletos: readonly AgreementEntry[]): AgreementEntry[] {
  return boletos.filter(entry => kindOf(RAIL_KINDS, 'boletos', entry)?.isByFile);
}

function kindOf(kinds: readonly RailKind[], section: RailSection, entry: RailEntry): RailKind | undefined {
  return kinds.find(kind => kind.section === section && kind.takes(entry));
}
