// Every kind of rail. To add one: a folder that exports its RailKind, and a line here.
import { bacenKind } from './bacen/kind.ts';
import { boletoApisKind } from './boleto-apis/kind.ts';
import { cnabBoletoKind } from './cnab-boleto/kind.ts';
import type { RailKind } from './kind.ts';
import { staticKeyKind } from './static-key/kind.ts';

export const RAIL_KINDS: readonly RailKind[] = [bacenKind(), boletoApisKind, cnabBoletoKind, staticKeyKind];
