// A thread for tests: it doubles numbers, and ends at zero.
import { parentPort } from 'node:worker_threads';

parentPort?.on('message', (question: number) => {
  if (question === 0) process.exit(1);
  parentPort?.postMessage(question * 2);
});
