// How answers repeat what was asked for.
import type { JsonObject } from '../checks.ts';

/** The filter `convenio` stands inside of `recebedor`. */
export function withAgreement(parameters: JsonObject, convenio: unknown): JsonObject {
  return { ...parameters, ...(convenio !== undefined && { recebedor: { convenio } }) };
}
