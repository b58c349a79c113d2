// The pix charge behind the code that a boleto carries.
import { writeDynamicCode } from '../br-code.ts';
import { amountText } from '../checks.ts';
import type { PspClient } from '../clients.ts';
import type { Core } from '../core.ts';
import { makeLocation } from '../locations.ts';
import { type Charge, type ChargeBody, chargeKey, type Title } from '../state.ts';

type Terms = Pick<Title, 'cents' | 'reductions' | 'dueOn' | 'lastDay' | 'fine' | 'interest'> & {
  readonly payer: ChargeBody['devedor'];
};

const PERCENT = 2;
const PERCENT_A_MONTH = 3;
const TXID_LENGTH = 32;
const DAY_MS = 86_400_000;

export function makePixCode(core: Core, client: PspClient, terms: Terms): NonNullable<Title['pix']> {
  const { cents, reductions, dueOn, lastDay, fine, interest, payer } = terms;
  const createdAt = core.now();
  const charge: Charge = {
    kind: 'cobv',
    txid: core.random.letters(TXID_LENGTH),
    clientId: client.clientId,
    createdAt,
    versions: [],
  };
  const location = makeLocation(core, client.clientId, 'cobv');
  location.charge = charge;
  const body: ChargeBody = {
    calendario: {
      dataDeVencimento: dueOn,
      validadeAposVencimento: Math.max(0, (Date.parse(lastDay) - Date.parse(dueOn)) / DAY_MS),
    },
    ...(payer && { devedor: payer }),
    valor: {
      original: amountText(cents),
      ...(fine > 0n && { multa: { modalidade: PERCENT, valorPerc: amountText(fine) } }),
      ...(interest > 0n && { juros: { modalidade: PERCENT_A_MONTH, valorPerc: amountText(interest) } }),
      ...reductions,
    },
    chave: client.keys[0] ?? '',
  };
  const atMs = createdAt.getTime();
  charge.versions.push({ atMs, revisao: 0, status: 'ATIVA', body, locationId: location.id, pix: [] });
  core.state.charges.set(chargeKey(client.clientId, charge.txid), charge);
  const { nome, cidade } = client.receiver;
  return { charge, emv: writeDynamicCode({ location: location.location, name: nome, city: cidade }) };
}
