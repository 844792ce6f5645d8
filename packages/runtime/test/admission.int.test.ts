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
