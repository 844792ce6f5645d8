export { type ListSource, type Page, PageTooLarge, type TextPage } from "./page-query.ts";
export { MARKS } from "./read-page.ts";
export { selectPage, selectTextPage } from "./select-page.ts";
