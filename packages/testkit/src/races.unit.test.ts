import { type Statement, statement, type Tx } from "@cloud/postgres";
import { expect, test } from "@jest/globals";
import { rewriting, sideBySide, startAfter, watchLists } from "./races.ts";

test("run concurrently, no more than the width at a time, with results in order", async () => {
  let [running, max] = [0, 0];
  const squares = await sideBySide(10, 3, async (index) => {
    max = Math.max(max, ++running);
    await startAfter(10 - index, async () => undefined);
    running--;
    return index * index;
  });
  expect(squares).toEqual([0, 1, 4, 9, 16, 25, 36, 49, 64, 81]);
  expect(max).toBe(3);
});

test("a racer with a handicap starts later", async () => {
  const started: string[] = [];
  const racer = (name: string) => async () => void started.push(name);
  await Promise.all([startAfter(20, racer("late")), startAfter(0, racer("first")), startAfter(-5, racer("second"))]);
  expect(started).toEqual(["first", "second", "late"]);
});

test("a record listed after it was known to be deleted is reported; a list requested before is not", async () => {
  const lists: PromiseWithResolvers<string[]>[] = [];
  const watch = watchLists(() => {
    lists.push(Promise.withResolvers());
    return lists.at(-1)?.promise ?? Promise.resolve([]);
  });
  watch.reportDeleted("a");
  lists[0]?.resolve(["a", "b"]);
  await startAfter(1, async () => undefined);
  watch.reportDeleted("b");
  const watched = watch.stop();
  lists[1]?.resolve(["a", "b"]);
  expect(await watched).toEqual({ lists: 2, listed: 4, shownDeleted: ["a"] });
});

test("stopping a watch rejects if a list failed", async () => {
  const watch = watchLists(() => Promise.reject(new Error("no list")));
  await expect(watch.stop()).rejects.toThrow("no list");
});

test("a statement is changed before it is sent, its parameters are not", async () => {
  const sent: unknown[] = [];
  const query = async ({ text, name }: Statement, params: unknown) => void sent.push([text, name, params]);
  const changed = rewriting({ query } as unknown as Tx, (text) => text.replace(" for update", ""));
  await changed.query(statement`select 1 for update`, [7]);
  await changed.read(statement`select 2`);
  expect(sent).toEqual([
    ["select 1", "", [7]],
    ["select 2", expect.stringMatching(/./), undefined],
  ]);
});
