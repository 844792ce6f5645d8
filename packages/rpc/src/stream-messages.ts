/** Returns a stream with its messages read by `read`. */
export function withMessages<Stream extends { readonly message: AsyncIterable<unknown> }>(
  stream: Stream,
  read: (messages: Stream["message"]) => AsyncIterable<unknown>,
): Stream {
  return { ...stream, message: read(stream.message) as Stream["message"] };
}

/** Replaces the error that ends the messages of a stream. */
export async function* replacing<T>(
  messages: AsyncIterable<T>,
  replace: (error: unknown) => unknown,
): AsyncGenerator<T> {
  try {
    yield* messages;
  } catch (error) {
    throw replace(error);
  }
}
