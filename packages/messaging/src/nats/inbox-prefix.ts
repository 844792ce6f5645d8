/**
 * Returns the beginning of the subjects at which a client receives replies. Each service has its own, so that its
 * permissions let it read its own replies only: with the usual `_INBOX` each could read those of all.
 */
export const inboxPrefix = (clientName: string): string => `_INBOX_${clientName}`;
