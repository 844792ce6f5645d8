import { testTelemetry } from "@cloud/testkit";
import { expect, test } from "@jest/globals";
import { createAdmission, createAdmissionMetrics } from "../src/limits/admission.ts";

const busy = new Error("busy");

test("work beyond the limit is refused immediately; a place is free again once work ends, however it ends", async () => {
  const telemetry = testTelemetry();
  const metrics = createAdmissionMetrics(telemetry);
  const admission = createAdmission({ limit: 2, metrics, work: "test", refuse: () => busy });
  const [first, second] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  const running = [admission.run(() => first.promise), admission.run(() => second.promise)];
  expect(() => admission.assertRoom()).toThrow(busy);
  await expect(admission.run(async () => "never run")).rejects.toBe(busy);

  first.reject(new Error("failed"));
  await expect(running[0]).rejects.toThrow("failed");
  admission.assertRoom();
  expect(await admission.run(async () => "run")).toBe("run");
  second.resolve("done");
  expect(await running[1]).toBe("done");

  const text = await telemetry.metrics.metrics();
  expect(text).toMatch(/admission_refused_total\{work="test".*\} 2/);
  expect(text).toMatch(/admission_in_flight\{work="test".*\} 0/);
  expect(text).toMatch(/admission_limit\{work="test".*\} 2/);
});

test("a caller that is alone may have all of the limit; while there are others, half of it, rounded up", async () => {
  const metrics = createAdmissionMetrics(testTelemetry());
  const admission = createAdmission({ limit: 5, metrics, work: "test", refuse: () => busy });
  const ends = Array.from({ length: 5 }, () => Promise.withResolvers<void>());
  const run = (index: number, caller: string) => admission.run(() => ends[index]?.promise ?? Promise.resolve(), caller);
  const running = [run(0, "one"), run(1, "one"), run(2, "one"), run(3, "one"), run(4, "two")];
  expect([admission.hasRoom("one"), admission.hasRoom("two"), admission.hasRoom()]).toEqual([false, false, false]);

  ends[0]?.resolve();
  await running[0];
  expect([admission.hasRoom("one"), admission.hasRoom("two"), admission.hasRoom()]).toEqual([false, true, true]);
  await expect(run(0, "one")).rejects.toBe(busy);

  ends[1]?.resolve();
  await running[1];
  expect(admission.hasRoom("one")).toBe(true);
  for (const end of ends) end.resolve();
  await Promise.all(running);
});
