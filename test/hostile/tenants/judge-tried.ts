import { EXCEPTIONS } from "./exceptions.ts";
import type { Seen, Tried } from "./try-foreign.ts";

/** Returns what is wrong with the two answers; nothing if the other organization's record cannot be told from none. */
export function judgeTried({ name, foreign, missing }: Tried): string[] {
  const exception = EXCEPTIONS[name.replace(/ \w+$/, "")];
  const both = `${short(foreign)} / ${short(missing)}`;
  if (exception?.kind === "ignored") return foreign.status === missing.status ? [] : [`${name}: not ignored: ${both}`];
  if (exception?.kind === "served") {
    const isServed = foreign.status < 400 && missing.body.includes(exception.missing);
    return isServed ? [] : [`${name}: not served: ${both}`];
  }
  if (foreign.status < 400) return [`${name}: served: ${both}`];
  // The answer would be the same for a record of the caller's own: it shows nothing.
  if (FORM.test(foreign.body)) return [`${name}: refused for its form: ${both}`];
  const isExpected =
    exception !== undefined && foreign.body.includes(exception.foreign) && missing.body.includes(exception.missing);
  const isEqual = JSON.stringify(foreign) === JSON.stringify(missing);
  return isEqual || isExpected ? [] : [`${name}: different: ${both}`];
}

/** The reasons of a request that is refused before its records are looked up. */
const FORM = /"(INVALID_\w+|\w+_INVALID|\w+_ID_REQUIRED|UNSUPPORTED_MEDIA_TYPE|UNAUTHENTICATED|ROUTE_NOT_FOUND)"/;

const short = ({ status, headers, body }: Seen) => `${status} ${body.slice(0, 160)} ${status < 400 ? "" : headers}`;
