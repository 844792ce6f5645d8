import type { ReferenceKind } from "./reference-kind.ts";

/** As many ids as an owner's look-up takes at most is 1,000. */
const PAGE_SIZE = 500;

/**
 * One pass over a kind of reference: those whose record is gone are ended. Answers how many were.
 *
 * `grace` is waited between finding that a record is gone and ending what refers to it: the event of its deletion may be
 * on its way, and then there is nothing to repair. A record never comes back, so that the finding stays true.
 */
export async function reconcile(kind: ReferenceKind, grace: () => Promise<void>): Promise<number> {
  let repaired = 0;
  let after = "";
  for (;;) {
    const ids = await kind.page(after, PAGE_SIZE);
    const gone = await idsGone(kind, ids);
    if (gone.length > 0) {
      await grace();
      for (const id of gone) {
        repaired += (await kind.end(id)) ? 1 : 0;
      }
    }
    if (ids.length < PAGE_SIZE) {
      return repaired;
    }
    after = ids.at(-1) ?? "";
  }
}

async function idsGone(kind: ReferenceKind, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) {
    return [];
  }
  const live = new Set(await kind.live(ids));
  return ids.filter((id) => !live.has(id));
}
