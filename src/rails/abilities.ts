// What each method can do, on any rail. Rules ask this instead of comparing methods; what only some rails can do, the rail says.
import type { MethodAbilities } from './methods/method.ts';
import { byMethod, METHOD_FACTS, METHODS, type Method } from './methods/methods.ts';

export const ABILITIES = byMethod((method): MethodAbilities => METHOD_FACTS[method].abilities);

/** As people see them: those by which money arrives at once stand first. */
export const METHODS_SHOWN: readonly Method[] = METHODS.toSorted(
  (one, other) => Number(ABILITIES[one].isCreditedLater) - Number(ABILITIES[other].isCreditedLater),
);

/** The methods that have an ability. */
export function methodsThat(holds: (abilities: MethodAbilities) => boolean): Method[] {
  return METHODS.filter(method => holds(ABILITIES[method]));
}
