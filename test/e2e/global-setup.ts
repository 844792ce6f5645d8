// Starts the stack that all files of end-to-end tests share.
// biome-ignore lint/style/noDefaultExport: jest takes a global setup by its default export
export { startSharedTestStack as default } from "@cloud/local-stack/test-stack";
