/**
 * Loaded into a program before its own code: saves what Node compiled for the next start. Node does so by itself when a
 * program exits, but not when it is killed. JavaScript, because stripping types would cost a bundled program 17 MB.
 */
import { flushCompileCache } from "node:module";

setTimeout(flushCompileCache, 2000).unref();
