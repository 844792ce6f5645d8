import { batchControls } from "./controls/batch-controls.ts";
import { dependencyControls } from "./controls/dependency-controls.ts";
import { eventControls } from "./controls/event-controls.ts";
import { linkControls } from "./controls/link-controls.ts";
import { localStackControls } from "./controls/local-stack-controls.ts";

/**
 * The protections that the runs' controls remove from the real programs, each a place in the source. A test checks that
 * each is still found: a change that moves a protection must update it here.
 */
export const controls = {
  ...eventControls,
  ...linkControls,
  ...dependencyControls,
  ...localStackControls,
  ...batchControls,
};

export type Protection = keyof typeof controls;
