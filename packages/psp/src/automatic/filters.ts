// The parameters of a request as answers repeat them.
import type { JsonObject } from '../checks.ts';

/** The filter `convenio` is inside `recebedor`. */
export function withAgreement(parameters: JsonObject, convenio: unknown): JsonObject {
  return { ...parameters, ...(convenio !== undefined && { recebedor: { convenio } }) };
}
