// The ways to pay on a checkout, one for each method.
import type { Method } from '../../../rails/methods/methods.ts';
import type { View } from '../view-model.ts';
import { boleto } from './boleto.ts';
import { pix } from './pix.ts';
import type { Way, WayTexts } from './way.ts';

const WAYS: { readonly [M in Method]: Way<M> } = { boleto, pix };

export function wayOf(method: Method): Way {
  return WAYS[method];
}

export function wayTexts({ language }: View, method: Method): WayTexts {
  return WAYS[method].texts[language];
}
