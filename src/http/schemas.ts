// Schemas that several resources share. One schema validates, types and documents.
import { Type } from 'typebox';

const MAX_TEXT_LENGTH = 255;

/** Text that may be left out but, when given, says something. */
export const Text = (options: { description?: string; maxLength?: number } = {}) =>
  Type.String({ minLength: 1, maxLength: MAX_TEXT_LENGTH, pattern: '\\S', 'x-storable': true, ...options });

/** Text of any kind, empty included. */
export const LooseText = (options: { description?: string } = {}) =>
  Type.String({ maxLength: MAX_TEXT_LENGTH, 'x-storable': true, ...options });

export const DateTime = (options: { description?: string } = {}) => Type.String({ format: 'date-time', ...options });

/** One word of a closed list. */
export const OneOf = <const T extends string>(words: readonly T[], options: { description?: string } = {}) =>
  Type.Enum([...words], { type: 'string', ...options });

/** A civil day, `YYYY-MM-DD`. */
export const Day = (options: { description?: string } = {}) => Type.String({ format: 'date', ...options });
