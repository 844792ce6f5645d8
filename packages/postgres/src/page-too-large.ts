/** The rows of a page are larger than they may be. They were not read. */
export class PageTooLarge extends Error {
  override readonly name = "PageTooLarge";
}
