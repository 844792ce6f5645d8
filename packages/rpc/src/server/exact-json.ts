import { findInexactField } from "@cloud/transcoder/json";

/** A number of a message in JSON that would be rounded. */
export class InexactNumber extends Error {
  override readonly name = "InexactNumber";
  /** The field that contains it, as sent. */
  readonly field: string;

  constructor(field: string) {
    super(`${field} has a number that a double cannot hold`);
    this.field = field;
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Decodes the JSON of a message, in place of the library's decoder, which replaces invalid UTF-8 by U+FFFD: a text would be
 * stored that no caller sent. Throws InexactNumber for what the library's parser would round without notice.
 */
export const exactJson = {
  decode(bytes: Uint8Array): string {
    const text = utf8.decode(bytes);
    const field = findInexactField(text);
    if (field !== undefined) throw new InexactNumber(field.slice(0, MAX_NAME));
    return text;
  },
};

/** The error contains the caller's own text. */
const MAX_NAME = 100;
