/** 2 to the power of 32. */
const HASHES = 4_294_967_296;

/**
 * Returns whether a request is among the `share` of those with a line, by its id: all programs select the same requests, so
 * that a story that has a line has all of them. FNV-1a, mixed at the end, because ids of clients may differ in the last letter
 * only.
 */
export function isSampled(requestId: string, share: number): boolean {
  if (share >= 1) return true;
  if (share <= 0) return false;
  let hash = 0x811c9dc5;
  for (let index = 0; index < requestId.length; index++) {
    hash = Math.imul(hash ^ requestId.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b);
  hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b);
  return ((hash ^ (hash >>> 16)) >>> 0) / HASHES < share;
}
