import { expect, test } from "@jest/globals";
import { EXCEPTIONS } from "./exceptions.ts";
import { openPlaybook } from "./playbook.ts";
import { blocksOf, inlineCommands, readPages } from "./read-blocks.ts";

const PAGE = {
  name: "page",
  text: "1. Look:\n\n   ```sh\n   curl a\n     --b\n   ```\n\n2. Then:\n\n```sql\nselect 1;\n```\n",
};

test("blocks are read with their language, without the indentation of a list", () => {
  expect(blocksOf(PAGE)).toEqual([
    { page: "page", language: "sh", text: "curl a\n  --b" },
    { page: "page", language: "sql", text: "select 1;" },
  ]);
});

test("blocks are taken in their order, and one that was not taken is left", () => {
  const book = openPlaybook([PAGE], []);
  expect(() => book.next("page", "select")).toThrow('the next block has no "select"');
  const again = openPlaybook([PAGE], []);
  expect(again.next("page", "curl").text).toContain("curl a");
  expect(again.left()).toEqual(["page: select 1;"]);
  expect(again.next("page", "select").language).toBe("sql");
  expect(again.left()).toEqual([]);
  expect(() => again.next("page", "curl")).toThrow("no block left");
});

test("control: a block that is added to a page is left", () => {
  const [first, ...others] = readPages();
  if (first === undefined) throw new Error("there is no page");
  const before = openPlaybook([first, ...others], EXCEPTIONS).left();
  const longer = { ...first, text: `${first.text}\n\`\`\`sh\nkubectl get pods\n\`\`\`\n` };
  const after = openPlaybook([longer, ...others], EXCEPTIONS).left();
  expect(after.filter((block) => !before.includes(block))).toEqual([`${first.name}: kubectl get pods`]);
});

test("an exception is that of one block", () => {
  const open = (fragment: string) => () => openPlaybook([PAGE], [{ page: "page", fragment, reason: "" }]);
  expect(open("curl")().left()).toEqual(["page: select 1;"]);
  expect(open("gone")).toThrow("page has not one block with: gone");
});

test.each(readPages())("$name has its commands in blocks of sh or sql", (page) => {
  expect(inlineCommands(page)).toEqual([]);
  expect(blocksOf(page).filter(({ language }) => language !== "sh" && language !== "sql")).toEqual([]);
});

test.each(readPages().filter(({ name }) => name !== "README"))("$name has the five headings", ({ text }) => {
  expect([...text.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading)).toEqual([
    "What you see",
    "What it means",
    "What to do",
    "How to see that it worked",
    "When to call for help",
  ]);
});

test("control: a command in a sentence is found", () => {
  const text = "Run `kubectl get pods`, or `select\n1`; `messaging_connected` is 1.";
  expect(inlineCommands({ name: "page", text })).toEqual(["kubectl get pods", "select\n1"]);
});
