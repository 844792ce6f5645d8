import { test } from "@jest/globals";
test("hangs", () => { if (process.argv.length > 0 && process.env["NOTED_RESULTS"] && !process.env["ALONE"]) for (;;); });
