/** Returns the name of a consumer's durable. It must not contain dots. */
export function durableName(consumer: string, subject: string): string {
  return `${consumer}-${subject.replaceAll(".", "_")}`;
}

/** Returns the name of the durable of a consumer's replayed messages. */
export const replayDurable = (consumer: string): string => `${consumer}-replayed`;
