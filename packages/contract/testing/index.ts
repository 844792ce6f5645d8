export { refusal } from "./refusal.ts";
export { systemCaller } from "./system-caller.ts";
