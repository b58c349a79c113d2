// Connections whose reader does not read: an answer that cannot be sent holds memory here for as long as the caller likes.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Log } from '../../lib/log.ts';
import type { OpenAnswers } from './open-answers.ts';

/** How long a connection may take nothing of what waits to be sent to it. One that takes a little is given as long again. */
export const UNREAD_LIMIT_MS = 15_000;

/**
 * Decides about connections on which nothing has moved for the limit, which the server must have as its timeout. One that waits
 * for an answer in the making stays, however long that takes.
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
    // With an ordinary end the system would keep what waits, for minutes and for a caller that does not come for it.
    socket.resetAndDestroy();
  });
}
