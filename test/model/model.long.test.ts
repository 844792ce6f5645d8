import { testModel } from "./test-model.ts";

// 15,000 steps and 20,000 REST calls.
testModel(518, { withControls: true });
