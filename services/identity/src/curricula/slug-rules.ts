/** Leaves room for a suffix within the 255 characters of a text. */
const MAX_LENGTH = 200;

/** Returns the slug of a title: its letters and digits of any script, in lower case, with hyphens between the words. */
export function slugOf(title: string): string {
  const words = title
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
  const slug = [...words.join("-")].slice(0, MAX_LENGTH).join("").replace(/-$/, "");
  return slug === "" ? "curriculum" : slug;
}

/** Returns the slug, or the slug with the first suffix of -2, -3, … that is not taken. */
export function freeSlug(slug: string, taken: readonly string[]): string {
  const used = new Set(taken);
  let free = slug;
  for (let number = 2; used.has(free); number += 1) {
    free = slug + "-" + String(number);
  }
  return free;
}
