// The texts of the payer's page of a subscription, in Portuguese and English.
import type { Interval } from '../../billing/plans/cycle-days.ts';
import type { CycleStatus, SubscriptionStatus } from '../../billing/subscriptions/subscription.ts';
import type { ByLanguage } from '../language.ts';

const pt = {
  title: 'Assinatura',
  status: {
    trialing: 'Período de teste',
    active: 'Assinatura ativa',
    past_due: 'Pagamento em atraso',
    paused: 'Assinatura pausada',
    canceled: 'Assinatura encerrada',
    completed: 'Assinatura concluída',
  } as Readonly<Record<SubscriptionStatus, string>>,
  period: {
    weekly: 'por semana',
    biweekly: 'a cada duas semanas',
    monthly: 'por mês',
    quarterly: 'por trimestre',
    semiannual: 'por semestre',
    yearly: 'por ano',
  } as Readonly<Record<Interval, string>>,
  buys: (asset: string, network: string) =>
    `Cada pagamento compra ${asset} na rede ${network}, ao preço do momento em que o pagamento chega.`,
  freeUntil: (day: string) => `Sem cobrança até ${day}`,
  endsOn: (day: string) => `Termina em ${day}. Depois disso, não haverá novas cobranças.`,
  next: (amount: string, day: string) => `Próxima cobrança: ${amount} em ${day}`,
  due: 'A pagar',
  nothingDue: 'Nada a pagar agora',
  owed: 'Em aberto',
  askSeller: 'O prazo para pagar por aqui terminou. Fale com o vendedor para acertar este valor.',
  of: (day: string) => `Período a partir de ${day}`,
  pay: (amount: string) => `Pagar ${amount}`,
  history: 'Histórico',
  older: 'Mais antigos',
  newer: 'Mais recentes',
  receipt: 'Abrir comprovante',
  cycle: {
    waiting: 'Ainda não cobrado',
    open: 'Aguardando pagamento',
    past_due: 'Em atraso',
    paid: 'Pago',
    refunded: 'Devolvido',
    canceled: 'Cancelado',
  } as Readonly<Record<CycleStatus, string>>,
  stop: 'Encerrar a assinatura',
  stopAtEnd: 'A assinatura vale até o fim do período atual. Depois disso, não haverá novas cobranças.',
  stopNow: 'A assinatura termina agora, e não haverá novas cobranças.',
  owedStays: 'Os valores já vencidos continuam devidos.',
  stopConfirm: 'Sim, encerrar',
  keep: 'Manter a assinatura',
};

const en: typeof pt = {
  title: 'Subscription',
  status: {
    trialing: 'Trial',
    active: 'Subscription active',
    past_due: 'Payment overdue',
    paused: 'Subscription paused',
    canceled: 'Subscription canceled',
    completed: 'Subscription completed',
  },
  period: {
    weekly: 'a week',
    biweekly: 'every two weeks',
    monthly: 'a month',
    quarterly: 'a quarter',
    semiannual: 'every six months',
    yearly: 'a year',
  },
  buys: (asset, network) => `Each payment buys ${asset} on ${network}, at the price when the payment arrives.`,
  freeUntil: day => `Free until ${day}`,
  endsOn: day => `Ends on ${day}. Nothing is charged after that.`,
  next: (amount, day) => `Next charge: ${amount} on ${day}`,
  due: 'To pay',
  nothingDue: 'Nothing to pay now',
  owed: 'Still owed',
  askSeller: 'The time to pay it here has ended. Please ask the seller how to settle it.',
  of: day => `Period from ${day}`,
  pay: amount => `Pay ${amount}`,
  history: 'History',
  older: 'Older',
  newer: 'Newer',
  receipt: 'Open the receipt',
  cycle: {
    waiting: 'Not charged yet',
    open: 'Waiting for payment',
    past_due: 'Overdue',
    paid: 'Paid',
    refunded: 'Refunded',
    canceled: 'Canceled',
  },
  stop: 'Cancel the subscription',
  stopAtEnd: 'It stays valid until the end of the current period. Nothing is charged after that.',
  stopNow: 'It ends now, and nothing more is charged.',
  owedStays: 'Overdue amounts must still be paid.',
  stopConfirm: 'Yes, cancel it',
  keep: 'Keep the subscription',
};

export type SubscriptionTexts = typeof pt;
export const SUBSCRIPTION_TEXTS: ByLanguage<SubscriptionTexts> = { 'pt-BR': pt, en };
