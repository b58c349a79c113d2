// Closes connections whose caller does not read: an answer that cannot be sent would hold memory for as long as the caller likes.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Log } from '../../lib/log.ts';
import type { OpenAnswers } from './open-answers.ts';

/** How long a connection may not read while data waits to be sent. Reading a little starts the time again. */
export const UNREAD_LIMIT_MS = 15_000;

/**
 * Handles connections without traffic for the limit, which the server must have as its timeout. One that waits for an unfinished answer
 * stays, however long that takes.
 */
export function closeUnread(
  server: Server,
  { answers, log }: { answers: Pick<OpenAnswers, 'isOwed'>; log: Log },
): void {
  server.on('timeout', (socket: Socket) => {
    const isUnread = socket.writableLength > 0;
    if (!isUnread && answers.isOwed(socket)) return;
    if (!isUnread) return void socket.destroy();
    log.info('connection closed: its caller does not read the answer');
    // With an ordinary end the system would keep the waiting data for minutes, for a caller that does not read it.
    socket.resetAndDestroy();
  });
}
