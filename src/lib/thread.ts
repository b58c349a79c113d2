// A thread that answers questions one after the other: for work that takes milliseconds of the processor, during which the service
// could not answer any request. It starts with the first question and keeps no process alive.
import { Worker } from 'node:worker_threads';

type Thread<Question, Answer> = {
  /** Rejects with `ThreadEnded` when the thread ends before it has answered; the next question starts another. */
  ask(question: Question): Promise<Answer>;
};

export class ThreadEnded extends Error {
  override readonly name = 'ThreadEnded';
}

type Waiting<Answer> = { readonly resolve: (answer: Answer) => void; readonly reject: (error: ThreadEnded) => void };

/** `file` stands beside `from` (`import.meta.url`) and answers by `answerQuestions`; written without its ending. */
export function thread<Question, Answer>(file: string, from: string): Thread<Question, Answer> {
  // A checkout runs its sources, a published package what was built from them.
  const ending = from.endsWith('.ts') ? '.ts' : '.js';
  let running: ((question: Question) => Promise<Answer>) | undefined;

  function start(): (question: Question) => Promise<Answer> {
    const worker = new Worker(new URL(`${file}${ending}`, from), { execArgv: [] });
    // Answers come in the order of the questions.
    const waiting: Waiting<Answer>[] = [];
    const end = () => {
      // An error is followed by the exit, when another thread may run already.
      if (running === ask) running = undefined;
      for (const { reject } of waiting.splice(0)) reject(new ThreadEnded(`The thread ${file} ended.`));
    };
    worker.on('message', (answer: Answer) => {
      waiting.shift()?.resolve(answer);
      if (waiting.length === 0) worker.unref();
    });
    worker.on('error', end);
    worker.on('exit', end);
    function ask(question: Question): Promise<Answer> {
      return new Promise((resolve, reject) => {
        waiting.push({ resolve, reject });
        worker.ref();
        worker.postMessage(question);
      });
    }
    return ask;
  }

  return {
    ask: question => {
      running ??= start();
      return running(question);
    },
  };
}
