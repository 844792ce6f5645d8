import { createDemoClients } from "@cloud/local-stack";
import {
  calibrated,
  isInTime,
  judgeTime,
  type Latencies,
  latenciesOf,
  measureUntil,
  runFigures,
  writeReport,
} from "@cloud/testkit/figures";
import { describe, expect, test } from "@jest/globals";
import { restClients } from "../e2e/rest.ts";
import type { Protection } from "./controls.ts";
import { type AccessReply, everyReplica } from "./replicas/every-replica.ts";
import { expectSound } from "./system/expect-sound.ts";
import { type System, startSystem } from "./system/start-system.ts";
import { openDatabases } from "./system/system-databases.ts";

/** Replies before a revocation, and from its 2xx on: `afterMs` is the time until then in milliseconds. */
interface Round {
  readonly before: readonly AccessReply[];
  readonly after: readonly (AccessReply & { readonly afterMs: number })[];
}

/** Repeatedly grants and revokes access: requests right after the 2xx must be refused everywhere. */
interface Revocable {
  /** Returns a token that has access. */
  give(): Promise<string>;
  /** Resolves with the 2xx. */
  take(): Promise<void>;
}

function revocables(system: System): Record<"token" | "role", Revocable> {
  const { demo } = system;
  const { tokens, organizations } = createDemoClients(demo);
  const { orgAdmin } = restClients(demo);
  const id = demo.organizations[0]?.id ?? "";
  let tokenId = "";
  return {
    token: {
      give: async () => {
        const created = await tokens.createToken({ name: "to be revoked", userId: demo.users.orgAdmin.id });
        tokenId = created.token?.id ?? "";
        return created.secret;
      },
      take: async () => {
        const { status } = await orgAdmin.delete("/identity/tokens/" + tokenId);
        if (status !== 204) throw new Error(`the token was not revoked: ${status}`);
      },
    },
    role: {
      give: async () => {
        await organizations.setMemberRoles({ id, userId: demo.users.user.id, roleNames: ["User"] });
        return demo.users.user.token;
      },
      take: async () => void (await organizations.removeMember({ id, userId: demo.users.user.id })),
    },
  };
}

async function revoke(system: System, revocable: Revocable, times: number): Promise<Round[]> {
  const ways = everyReplica(system, system.demo.organizations[0]?.id ?? "");
  const rounds: Round[] = [];
  for (let time = 0; time < times; time++) {
    const token = await revocable.give();
    const before = await ways.send(token);
    await revocable.take();
    const revokedAt = performance.now();
    const after = (await ways.send(token)).map((reply) => ({ ...reply, afterMs: reply.at - revokedAt }));
    rounds.push({ before, after });
  }
  ways.close();
  return rounds;
}

/** Counts the replies by kind. */
function counts(replies: readonly AccessReply[]): Record<string, number> {
  const count = (what: AccessReply["access"]) => replies.filter((one) => one.access === what).length;
  return { requests: replies.length, allowed: count("allowed"), refused: count("refused"), failed: count("failed") };
}

async function withSystem(remove: readonly Protection[], run: (system: System) => Promise<void>): Promise<void> {
  await using resources = new AsyncDisposableStack();
  const system = await startSystem({ replicas: 2, gateways: 2, remove });
  resources.defer(() => system.stop());
  await run(system);
}

/** Revokes each kind, with NATS and without; every reply must be right. Returns the counts and latencies. */
async function revokeAll(system: System, times: number) {
  const { token, role } = revocables(system);
  const parts: Record<string, Round[]> = {};
  parts["token"] = await revoke(system, token, times);
  parts["role"] = await revoke(system, role, times);
  await system.nats.kill();
  parts["tokenWithoutNats"] = await revoke(system, token, times);
  parts["roleWithoutNats"] = await revoke(system, role, times);
  await system.nats.start();

  const after = Object.values(parts).flatMap((rounds) => rounds.flatMap((round) => round.after));
  const before = Object.values(parts).flatMap((rounds) => rounds.flatMap((round) => round.before));
  const reported = Object.entries(parts).map(([name, rounds]) => [
    name,
    { revocations: rounds.length, ...counts(rounds.flatMap((round) => round.after)) },
  ]);
  expect(counts(before)).toMatchObject({ allowed: before.length });
  expect(counts(after)).toMatchObject({ refused: after.length });
  return { ...Object.fromEntries(reported), refusedAfter: latenciesOf(after.map(({ afterMs }) => afterMs)) };
}

describe("a revoked token, a removed role, over two replicas: refused on the next request after the 2xx", () => {
  test("everywhere, within 100 ms, also with NATS cut", async () => {
    const times = runFigures({ ci: 60, long: 1_000 });
    const refusal = ({ refusedAfter, factor }: { refusedAfter: Latencies; factor: number }) => {
      return { what: "revocation: refused, p99", measuredMs: refusedAfter.p99, limitMs: 100, factor };
    };
    await withSystem([], async (system) => {
      const figures = await measureUntil(
        (one) => isInTime(refusal(one)),
        () => calibrated(() => revokeAll(system, times)),
      );
      writeReport({ what: "revocation", promise: 17, ...figures });
      const databases = openDatabases(system);
      await expectSound(system, databases).finally(() => databases.close());
      judgeTime(refusal(figures));
    });
  }, 300_000);

  test("control: with a cache that only expires by time, requests are let through", async () => {
    await withSystem(["authenticationPerRequest"], async (system) => {
      const { token, role } = revocables(system);
      const rounds = [...(await revoke(system, token, 3)), ...(await revoke(system, role, 3))];
      const after = counts(rounds.flatMap((round) => round.after));
      writeReport({ what: "revocation-control", promise: 17, revocations: rounds.length, ...after });
      expect(after["allowed"]).toBeGreaterThan(0);
    });
  }, 60_000);
});
