import { test } from "@jest/globals";
import { measureSmall } from "./measure-small.ts";

// Apart from the others: together they took four of the five minutes that a file may take.
test.each([["load"], ["growth"], ["watch"], ["profile"], ["ablate", "--only", "nothing"]])(
  "the part %s measures at its smallest size",
  async (part, ...options) => {
    await measureSmall(part, ...options);
  },
  300_000,
);
