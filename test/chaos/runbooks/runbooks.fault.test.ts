import { afterAll, beforeAll, expect, test } from "@jest/globals";
import * as changes from "./scenarios/changes.ts";
import * as credentials from "./scenarios/credentials.ts";
import * as events from "./scenarios/events.ts";
import * as nats from "./scenarios/nats.ts";
import * as requests from "./scenarios/requests.ts";
import { type Scenario, type Stage, startStage } from "./stage.ts";

/** The scenarios in their order: a fault, the page, and its expected end. Each leaves a sound system to the next. */
const SCENARIOS: Readonly<Record<string, Scenario>> = {
  README: events.lookAtAProgram,
  conditions: events.conditions,
  "stream-lost": events.streamLost,
  "outbox-lag": events.outboxLag,
  "consumer-lag": events.consumerLag,
  "parked-events": events.parkedEvents,
  "reconciler-repairs": events.reconcilerRepairs,
  "nats-unreachable": nats.natsUnreachable,
  "nats-login": nats.natsLogin,
  "postgres-login": credentials.postgresLogin,
  "jetstream-silent": nats.jetstreamSilent,
  errors: requests.errors,
  latency: requests.latency,
  overload: requests.overload,
  "pool-exhausted": requests.poolExhausted,
  "program-down": requests.programDown,
  restore: requests.afterADump,
  scaling: changes.scaling,
  "delete-organization": changes.deleteOrganization,
  "control: rotate-credentials without its first step": credentials.withoutTheFirstStep,
  "rotate-credentials": credentials.rotateCredentials,
  "compromised-pod": credentials.compromisedPod,
  upgrade: changes.upgrade,
};

let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
}, 90_000);
afterAll(() => stage.stop(), 60_000);

test.each(Object.entries(SCENARIOS))("%s", async (_page, scenario) => await scenario(stage), 120_000);

test("each block of each page was played", () => {
  expect(stage.book.left()).toEqual([]);
});
