export { findSnippets, type Snippet } from "./find-snippets.ts";
export { followPage } from "./follow-page.ts";
export { listTarball, packPackage } from "./pack-package.ts";
export { createStranger, type Stranger } from "./stranger.ts";
