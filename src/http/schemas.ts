// Schemas that several resources share. One schema validates, types and documents.
import { Type } from 'typebox';

const MAX_TEXT_LENGTH = 255;

/** Text that may be left out but, when given, says something. */
export const Text = (options: { description?: string; maxLength?: number } = {}) =>
  Type.String({ minLength: 1, maxLength: MAX_TEXT_LENGTH, pattern: '\\S', 'x-storable': true, ...options });

/** Text of any kind, empty included. */
export const LooseText = (options: { description?: string } = {}) =>
  Type.String({ maxLength: MAX_TEXT_LENGTH, 'x-storable': true, ...options });

export const DateTime = (options: { description?: string; pattern?: string } = {}) =>
  Type.String({ format: 'date-time', ...options });

/** A moment in UTC as `from` and `to` take it: seconds may be left out, the Z may not. */
export const UtcDateTime = (options: { description?: string } = {}) =>
  DateTime({ pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(:\\d{2}(\\.\\d+)?)?Z$', ...options });

/** One word of a closed list. */
export const OneOf = <const T extends string>(words: readonly T[], options: { description?: string } = {}) =>
  Type.Enum([...words], { type: 'string', ...options });

/** A civil day, `YYYY-MM-DD`. */
export const Day = (options: { description?: string } = {}) => Type.String({ format: 'date', ...options });
