// The texts of reminders and of the page that ends them, in Portuguese and English.
import type { ByLanguage } from '../language.ts';

/** What a mail is about: the due day against today, or what happened. */
export type Topic = 'before' | 'today' | 'after' | 'paid' | 'notIssued' | 'notCollected' | 'notAutomatic';

type About = { readonly amount: string; readonly day: string; readonly seller: string };
type Texts = { readonly subject: (about: About) => string; readonly intro: (about: About) => string };

const pt = {
  topics: {
    before: {
      subject: ({ amount, day }) => `Lembrete: ${amount} vence em ${day}`,
      intro: ({ amount, day, seller }) => `Sua cobrança de ${seller}, no valor de ${amount}, vence em ${day}.`,
    },
    today: {
      subject: ({ amount }) => `Vence hoje: ${amount}`,
      intro: ({ amount, seller }) => `Sua cobrança de ${seller}, no valor de ${amount}, vence hoje.`,
    },
    after: {
      subject: ({ amount, day }) => `Cobrança vencida em ${day}: ${amount}`,
      intro: ({ amount, day, seller }) =>
        `Sua cobrança de ${seller} venceu em ${day} e ainda pode ser paga. Hoje o valor é ${amount}.`,
    },
    paid: {
      subject: ({ amount }) => `Pagamento recebido: ${amount}`,
      intro: ({ amount, seller }) => `${seller} recebeu seu pagamento de ${amount}. Obrigado!`,
    },
    notIssued: {
      subject: ({ amount }) => `Não foi possível emitir sua cobrança de ${amount}`,
      intro: ({ amount, seller }) =>
        `O banco não aceitou a cobrança de ${seller} no valor de ${amount}. Fale com o vendedor; não há nada a pagar por enquanto.`,
    },
    notCollected: {
      subject: ({ amount }) => `O Pix Automático de ${amount} não foi realizado`,
      intro: ({ amount, seller }) =>
        `Seu banco não pagou a cobrança de ${seller} no valor de ${amount} por Pix Automático. Você ainda pode pagar por aqui.`,
    },
    notAutomatic: {
      subject: ({ amount }) => `Cobrança de ${amount} sem Pix Automático`,
      intro: ({ amount, day, seller }) =>
        `Sua cobrança de ${seller}, no valor de ${amount}, com vencimento em ${day}, não será paga por Pix Automático. Pague por aqui.`,
    },
  } satisfies Record<Topic, Texts>,
  hello: (name: string) => `Olá, ${name},`,
  sandbox: 'Ambiente de testes: não pague de verdade.',
  amount: 'Valor hoje',
  paidAmount: 'Valor pago',
  dueDay: 'Vencimento',
  description: 'Descrição',
  pay: 'Ver e pagar',
  see: 'Ver o comprovante',
  pixCode: 'Código Pix copia e cola',
  pixPicture: 'QR Code do Pix',
  boletoLine: 'Linha digitável do boleto',
  attached: 'O boleto em PDF está anexado.',
  check: (seller: string) =>
    `Antes de pagar, confira no aplicativo do seu banco o nome de quem recebe. Dúvidas? Fale com ${seller}.`,
  optOut: (seller: string) => `Não quer mais lembretes de ${seller}?`,
  optOutLink: 'Parar de receber',
  page: {
    title: 'Lembretes por e-mail',
    ask: (seller: string) => `Parar os lembretes de ${seller}?`,
    text: 'As cobranças continuam valendo; só os e-mails param.',
    stop: 'Parar os lembretes',
    stopped: (seller: string) => `Você não recebe mais lembretes de ${seller}`,
    stoppedText: 'Você pode voltar a recebê-los quando quiser.',
    resume: 'Voltar a receber',
  },
};

const en: typeof pt = {
  topics: {
    before: {
      subject: ({ amount, day }) => `Reminder: ${amount} is due on ${day}`,
      intro: ({ amount, day, seller }) => `Your charge of ${amount} from ${seller} is due on ${day}.`,
    },
    today: {
      subject: ({ amount }) => `Due today: ${amount}`,
      intro: ({ amount, seller }) => `Your charge of ${amount} from ${seller} is due today.`,
    },
    after: {
      subject: ({ amount, day }) => `Overdue since ${day}: ${amount}`,
      intro: ({ amount, day, seller }) =>
        `Your charge from ${seller} was due on ${day} and can still be paid. Today the amount is ${amount}.`,
    },
    paid: {
      subject: ({ amount }) => `Payment received: ${amount}`,
      intro: ({ amount, seller }) => `${seller} has received your payment of ${amount}. Thank you!`,
    },
    notIssued: {
      subject: ({ amount }) => `Your charge of ${amount} could not be issued`,
      intro: ({ amount, seller }) =>
        `The bank refused the charge of ${amount} from ${seller}. Please ask the seller; there is nothing to pay for now.`,
    },
    notCollected: {
      subject: ({ amount }) => `The Pix Automático payment of ${amount} was not made`,
      intro: ({ amount, seller }) =>
        `Your bank did not pay the charge of ${amount} from ${seller} by Pix Automático. You can still pay it here.`,
    },
    notAutomatic: {
      subject: ({ amount }) => `Charge of ${amount} without Pix Automático`,
      intro: ({ amount, day, seller }) =>
        `Your charge of ${amount} from ${seller}, due on ${day}, will not be paid by Pix Automático. Please pay it here.`,
    },
  },
  hello: name => `Hello ${name},`,
  sandbox: 'Test environment: do not pay.',
  amount: 'Amount today',
  paidAmount: 'Amount paid',
  dueDay: 'Due day',
  description: 'Description',
  pay: 'View and pay',
  see: 'View the receipt',
  pixCode: 'Pix code to paste',
  pixPicture: 'QR code of the Pix',
  boletoLine: 'Line of the boleto',
  attached: 'The boleto is attached as a PDF.',
  check: seller =>
    `Before you pay, check the name of the receiver in your bank’s app. Questions? Please contact ${seller}.`,
  optOut: seller => `No more reminders from ${seller}?`,
  optOutLink: 'Unsubscribe',
  page: {
    title: 'Reminders by e-mail',
    ask: seller => `Stop the reminders from ${seller}?`,
    text: 'Your charges stay as they are; only the e-mails stop.',
    stop: 'Stop the reminders',
    stopped: seller => `You will get no more reminders from ${seller}`,
    stoppedText: 'You can turn them on again at any time.',
    resume: 'Turn them on again',
  },
};

type ReminderTexts = typeof pt;
export const REMINDER_TEXTS: ByLanguage<ReminderTexts> = { 'pt-BR': pt, en };
