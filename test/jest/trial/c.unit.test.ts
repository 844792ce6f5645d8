import { test } from "@jest/globals";
test("passes", () => undefined);
