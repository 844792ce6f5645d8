import { decodeString, endOfString } from "./json-string.ts";

export interface RepeatedKey {
  /** Such as `filter.assigned` or `items[1].name`. */
  readonly path: string;
  /** The index of the second one in the text. */
  readonly position: number;
}

/**
 * Finds a key that an object of the text has twice, however it is escaped; undefined if there is none. `JSON.parse` would
 * keep the last of the two without notice. `text` must be valid JSON.
 */
export function findRepeatedKey(text: string): RepeatedKey | undefined {
  const open: Frame[] = [];
  let keyNext = false;
  for (let at = 0; at < text.length; at++) {
    const frame = open.at(-1);
    switch (text[at]) {
      case '"': {
        const end = endOfString(text, at);
        if (keyNext && frame !== undefined) {
          const key = decodeString(text.slice(at, end + 1));
          frame.place = key;
          if (frame.keys?.has(key)) return { path: pathOf(open), position: at };
          frame.keys?.add(key);
        }
        keyNext = false;
        at = end;
        break;
      }
      case "{":
      case "[":
        keyNext = text[at] === "{";
        open.push(keyNext ? { keys: new Set(), place: "" } : { keys: undefined, place: 0 });
        break;
      case "}":
      case "]":
        keyNext = false;
        open.pop();
        break;
      case ",":
        keyNext = frame?.keys !== undefined;
        if (typeof frame?.place === "number") frame.place++;
    }
  }
  return undefined;
}

/** An object or array that is open where the scan stands. */
interface Frame {
  /** The keys so far; undefined in an array. */
  readonly keys: Set<string> | undefined;
  /** The current key, or the current index. */
  place: string | number;
}

// The error returns the client's own text, so it is truncated.
function pathOf(open: readonly Frame[]): string {
  const path = open.map(({ place }) => (typeof place === "number" ? `[${place}]` : `.${place}`)).join("");
  return path.replace(/^\./, "").slice(0, MAX_PATH);
}

const MAX_PATH = 100;
