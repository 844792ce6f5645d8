// The stack that test files share, in a process of its own: it sends its addresses to the process that forked it, and
// ends with it.
import { startEmptyTestStack } from "./test-stack.ts";

const { stop, ...stack } = await startEmptyTestStack();
process.once("disconnect", () => stop());
process.send?.(stack);
