/** What precedes the rest of every subject. */
const ROOT = "cloud.v1.";

/**
 * Returns the subject below which a consumer's parked messages are published again. It is the consumer's own, because a
 * service may publish no events of others, and because no other consumer parked the message.
 */
export const replaySubject = (consumer: string): string => `${ROOT}${consumer}.replayed.`;

/** Returns the subject that a replayed message had at first. */
export function originalSubject(consumer: string, subject: string): string {
  return ROOT + subject.slice(replaySubject(consumer).length);
}
