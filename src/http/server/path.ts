// The parameters of a path. A parameter that cannot name anything, such as an id that is not a UUID, is not found.
import { type Static, type TObject, type TProperties, Type } from 'typebox';
import { Uuid } from '../../api/schemas.ts';
import { AppError } from '../../lib/errors.ts';
import { reader } from './reader.ts';

export type Path<P extends TObject> = {
  readonly schema: P;
  /** The noun of each parameter: `charge` is refused with «There is no such charge.» */
  readonly nouns: Readonly<Record<string, string>>;
};

/** `:id` names a thing of this kind. */
export function idOf(noun: string) {
  return pathOf({ id: Uuid() }, { id: noun });
}

export function pathOf<T extends TProperties>(
  parts: T,
  nouns: { readonly [Part in keyof T & string]: string },
): Path<TObject<T>> {
  return { schema: Type.Object(parts), nouns };
}

/** A function that reads the parameters of a path; ids may be in either case. */
export function pathReader<P extends TObject>({ schema, nouns }: Path<P>): (params: unknown) => Static<P> {
  const ids = Object.entries(schema.properties).flatMap(([name, part]) => (isUuidSchema(part) ? [name] : []));
  // Every parameter is text, as in a query.
  const read = reader(schema, 'query');
  return params => {
    const parts = { ...(typeof params === 'object' ? params : {}) };
    const reading = read(
      Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, inLowerCase(name, part)])),
    );
    if (reading.isWhole) return reading.value;
    const [fault] = reading.faults;
    throw new AppError('not_found', `There is no such ${nouns[fault?.path ?? ''] ?? 'thing'}.`);
  };

  function inLowerCase(name: string, part: unknown): unknown {
    return ids.includes(name) && typeof part === 'string' ? part.toLowerCase() : part;
  }
}

function isUuidSchema(schema: object): boolean {
  return 'format' in schema && schema.format === 'uuid';
}
