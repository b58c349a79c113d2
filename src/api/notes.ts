// Notes of a caller on a charge: a description and metadata.
import { type Static, Type } from 'typebox';
import type { NewCharge } from '../charges/charge.ts';
import { LooseText, Text } from './schemas.ts';

export const MAX_DESCRIPTION_LENGTH = 140;
const MAX_METADATA = 20;
const MAX_NAME_LENGTH = 40;
const MAX_VALUE_LENGTH = 500;

/** TypeBox has no schema for objects of texts with names of limited length. */
export const Metadata = Type.Unsafe<Record<string, string>>({
  type: 'object',
  maxProperties: MAX_METADATA,
  propertyNames: { type: 'string', minLength: 1, maxLength: MAX_NAME_LENGTH, 'x-storable': true },
  additionalProperties: LooseText({ maxLength: MAX_VALUE_LENGTH }),
  description: `Your own texts by your own names: at most ${MAX_METADATA}, names of up to ${MAX_NAME_LENGTH} and texts of up to ${MAX_VALUE_LENGTH} characters.`,
});

export const noteFields = {
  description: Type.Optional(
    Text({
      maxLength: MAX_DESCRIPTION_LENGTH,
      description: `What the charge is for, at most ${MAX_DESCRIPTION_LENGTH} characters.`,
    }),
  ),
  metadata: Type.Optional(Metadata),
};

export const MetadataView = Type.Unsafe<Record<string, string>>({
  type: 'object',
  additionalProperties: { type: 'string' },
});

export const noteViews = {
  description: Type.Optional(Type.String()),
  metadata: Type.Optional(MetadataView),
};

const body = Type.Object(noteFields);

/** The notes of a body, for the noun; empty metadata counts as absent. */
export function toNotes({
  description,
  metadata = {},
}: Static<typeof body>): Pick<NewCharge, 'description' | 'metadata'> {
  return {
    ...(description !== undefined && { description }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
  };
}
