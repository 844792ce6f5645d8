import { type Block, blocksOf, type Page } from "./read-blocks.ts";

/** The list of blocks that were played: each must be, once. */
export interface Playbook {
  /**
   * Returns the first block of the page that was not taken yet. @throws Error if it does not contain `fragment`: blocks
   * are played in the order in which an operator reads them
   */
  next(page: string, fragment: string): Block;
  /** Returns the blocks that were not taken, without the blocks of the exceptions. */
  left(): string[];
}

/** Blocks that are not played with the others, each with the reason. */
export interface Exception {
  readonly page: string;
  /** A part of the block's text, which is in no other block. */
  readonly fragment: string;
  readonly reason: string;
}

/** @throws Error if an exception matches no block, or several */
export function openPlaybook(pages: readonly Page[], exceptions: readonly Exception[]): Playbook {
  const waiting = new Map(pages.map((page) => [page.name, blocksOf(page)]));
  for (const { page, fragment } of exceptions) {
    const blocks = waiting.get(page) ?? [];
    const kept = blocks.filter(({ text }) => !text.includes(fragment));
    if (kept.length !== blocks.length - 1) throw new Error(`${page} has not one block with: ${fragment}`);
    waiting.set(page, kept);
  }
  return {
    next: (page, fragment) => {
      const block = waiting.get(page)?.shift();
      if (block === undefined) throw new Error(`${page} has no block left that could have: ${fragment}`);
      if (!block.text.includes(fragment))
        throw new Error(`${page}: the next block has no "${fragment}": ${block.text}`);
      return block;
    },
    left: () => [...waiting].flatMap(([page, blocks]) => blocks.map(({ text }) => `${page}: ${text}`)),
  };
}
