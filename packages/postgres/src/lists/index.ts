export { type ListSource, type Page, PageTooLarge, type TextPage } from "./page-query.ts";
export { META_COLUMNS } from "./read-page.ts";
export { selectPage, selectTextPage } from "./select-page.ts";
