import { createInProcessTransport } from "@cloud/local-servers";
import { statement } from "@cloud/postgres";
import { EnvironmentDeletedSchema } from "@cloud/proto/environment/v1/events_pb";
import { WorkspaceDeletedSchema } from "@cloud/proto/workspace/v1/events_pb";
import { type Correlation, correlate, currentCorrelation } from "@cloud/runtime/telemetry";
import { captureLog, waitFor } from "@cloud/testkit";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { appendEvent } from "../src/append-event.ts";
import { batchEffect, type Effect, effect } from "../src/consumer/effect.ts";
import { createStage, type Stage } from "./messaging-stage.ts";

const TRACEPARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const request = (requestId: string, traceparent = ""): Correlation => ({ requestId, traceparent, tracestate: "" });

let stage: Stage;
let log: ReturnType<typeof captureLog>;
/** The correlation that the code of each effect had. */
let seen: (Correlation | undefined)[];

beforeEach(async () => {
  stage = await createStage();
  log = captureLog();
  seen = [];
});

afterEach(() => stage.close());

const see = () => void seen.push(currentCorrelation());

/** Consumes the events of the outbox in this process. */
function consume(...effects: Effect[]) {
  const transport = createInProcessTransport(stage.telemetry);
  const telemetry = log.telemetry();
  stage.startConsumer(transport, { effects, telemetry });
  stage.startRelay(transport);
}

const append = (environmentId: string, cause: Correlation | undefined) =>
  correlate(cause, () => stage.db.transaction((tx) => appendEvent(tx, EnvironmentDeletedSchema, { environmentId })));

test("an effect, its check, its line and the event that it causes in turn have the id of the request", async () => {
  const first = effect(
    EnvironmentDeletedSchema,
    async (tx) => {
      see();
      appendEvent(tx, WorkspaceDeletedSchema, { workspaceId: "w" });
    },
    async () => {
      see();
      return "confirmed";
    },
  );
  const second = effect(WorkspaceDeletedSchema, async () => see());
  consume(first, second);
  await append("e", request("r-1", TRACEPARENT));
  await waitFor(() => seen[2], { deadlineMs: 30_000 });
  expect(seen).toEqual(Array(3).fill(request("r-1", TRACEPARENT)));
  const lines = await waitFor(() => (log.of("r-1").length === 2 ? log.of("r-1") : undefined), {
    deadlineMs: 30_000,
  });
  // In either order: the relay may be faster than the confirmation of the first.
  expect(lines.map(({ msg, consumer, type }) => [msg, consumer, type]).sort()).toEqual([
    ["event applied", "stage", "environment.v1.EnvironmentDeleted"],
    ["event applied", "stage", "workspace.v1.WorkspaceDeleted"],
  ]);
});

test("the lines of an effect that fails have the id", async () => {
  let tries = 0;
  consume(
    effect(EnvironmentDeletedSchema, async () => {
      tries++;
      if (tries === 1) throw new Error("not yet");
    }),
  );
  await append("e", request("r-2"));
  await waitFor(() => (log.of("r-2").length === 2 ? true : undefined), { deadlineMs: 30_000 });
  expect(log.of("r-2").map(({ msg }) => msg)).toEqual([
    "an event could not be applied; it is tried again",
    "event applied",
  ]);
});

test("an event of no request, or of an earlier release, is applied for none", async () => {
  consume(effect(EnvironmentDeletedSchema, async () => see()));
  await append("e", undefined);
  await waitFor(() => seen.length === 1 || undefined, { deadlineMs: 30_000 });
  expect(seen).toEqual([undefined]);
  expect(log.all()).toEqual([]);
});

test("events of several requests in one transaction have an id of their own, which names them", async () => {
  const [a, b] = [request("a"), request("b")];
  await append("1", a);
  await append("2", b);
  const sizes: number[] = [];
  consume(
    batchEffect(EnvironmentDeletedSchema, async (_tx, events) => {
      sizes.push(events.length);
      see();
    }),
  );
  await waitFor(() => log.of("a").length + log.of("b").length === 2 || undefined, { deadlineMs: 30_000 });
  expect(sizes).toEqual([2]);
  expect(seen).toEqual([
    { requestId: expect.stringMatching(UUID), traceparent: "", tracestate: "", sharedBy: expect.any(Array) },
  ]);
  // In either order: ids of one millisecond are random.
  expect(new Set(seen[0]?.sharedBy)).toEqual(new Set([a, b]));
});

test("the outbox keeps the id in its headers, and an earlier release publishes all of them", async () => {
  const headers = statement`
    select headers
    from outbox
    order by headers`;
  await append("e", undefined);
  expect((await stage.db.read(headers)).rows).toEqual([{ headers: {} }]);
  await append("f", { ...request("r-3", TRACEPARENT), tracestate: "a=b" });
  expect((await stage.db.read(headers)).rows).toEqual([
    { headers: {} },
    { headers: { "ce-requestid": "r-3", "ce-traceparent": TRACEPARENT, "ce-tracestate": "a=b" } },
  ]);
});
