// A boleto as plain data for a test or a person.
import { amountText } from '../checks.ts';
import type { Title } from '../state.ts';

export type TitleState = {
  readonly number: string;
  readonly ownNumber: string;
  readonly line: string;
  readonly valor: string;
  readonly dueOn: string;
  readonly lastDay: string;
  readonly status: 'open' | 'paid' | 'written_off' | 'failed';
  readonly request: object;
  readonly emv?: string;
  readonly txid?: string;
  readonly liquidations: readonly { readonly at: string; readonly valor: string; readonly channel: string }[];
};

export function titleState(title: Title): TitleState {
  const { number, ownNumber, line, cents, dueOn, lastDay, request, pix, liquidations } = title;
  return {
    number,
    ownNumber,
    line,
    valor: amountText(cents),
    dueOn,
    lastDay,
    status: statusOf(title),
    request,
    ...(pix && { emv: pix.emv, txid: pix.charge.txid }),
    liquidations: liquidations.map(({ at, cents: paid, channel }) => ({
      at: at.toISOString(),
      valor: amountText(paid),
      channel,
    })),
  };
}

function statusOf({ liquidations, writtenOff, failure }: Title): TitleState['status'] {
  if (liquidations.length > 0) return 'paid';
  if (writtenOff) return 'written_off';
  return failure === undefined ? 'open' : 'failed';
}
