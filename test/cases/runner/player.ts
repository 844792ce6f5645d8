import { randomUUID } from "node:crypto";
import type { TestStack } from "@cloud/local-stack/test-stack";
import { type CallRpc, createRpcCaller, type Headers } from "./call.ts";
import type { Mapping } from "./case-file.ts";
import { lookUp, type Variables } from "./fill-in.ts";

/** Tokens by name; undefined calls without a token. */
type Tokens = Map<string, string | undefined>;

/** The stack as cases use it. */
export interface Player {
  readonly gateway: string;
  readonly callRpc: CallRpc;
  readonly variables: Variables;
  readonly tokens: Tokens;
}

/** State of one play of one case; nothing of it is shared with another play. */
export interface Play extends Player {
  /** Returns the headers of a call as a demo user, a user of `given`, `anonymous`, `revoked` or `service`. */
  headersAs(who: string): Headers;
  /** Calls for `given` and returns the reply. A failure throws an Error: nothing given may fail. */
  must(rpc: string, request: Mapping, headers: Headers): Promise<Mapping>;
}

/** Prepares a stack for any number of plays. */
export async function createPlayer(
  stack: Pick<TestStack, "demo" | "gateway" | "services" | "serviceToken">,
): Promise<Player> {
  const { demo, gateway, serviceToken } = stack;
  const callRpc = createRpcCaller(stack.services);
  const users = Object.entries(demo.users);
  const tokens: Tokens = new Map([
    ...users.map(([name, { token }]) => [name, token] as const),
    ["anonymous", undefined],
    ["service", serviceToken],
  ]);
  const first = demo.organizations[0]?.id ?? "";
  const variables: Variables = new Map([
    ...users.map(([name, { id }]) => [name, id] as const),
    ["first", first],
    ["FIRST", first.toUpperCase()],
    ["second", demo.organizations[1]?.id ?? ""],
    ["ordinary", demo.environments.ordinary],
    ["ORDINARY", demo.environments.ordinary.toUpperCase()],
    ["platform", demo.environments.platformProvisioned],
    ["nowhere", "01890000-0000-7000-8000-000000000000"],
    ["long255", "x".repeat(255)],
    ["wide255", "🎈".repeat(255)],
    ["wide256", "🎈".repeat(256)],
    ["long256", "x".repeat(256)],
    ["kibibytes64", "x".repeat(2 ** 16)],
    ["mebibyte", " ".repeat(2 ** 20)],
  ]);
  const player = { gateway, callRpc, variables, tokens };
  const { headersAs, must } = startPlay(player);
  const mine = headersAs("user");
  const { token, secret } = await must("identity.v1.TokenService/CreateToken", { name: "revoked" }, mine);
  await must("identity.v1.TokenService/RevokeToken", { id: (token as { id: string }).id }, mine);
  tokens.set("revoked", secret as string);
  return player;
}

export function startPlay({ gateway, callRpc, ...shared }: Player): Play {
  const variables: Variables = new Map([...shared.variables, ["unique", randomUUID()]]);
  const tokens: Tokens = new Map(shared.tokens);
  return {
    gateway,
    callRpc,
    variables,
    tokens,
    headersAs(who) {
      if (!tokens.has(who)) throw new Error(`no caller is called "${who}"; there are ${[...tokens.keys()].join(", ")}`);
      const token = tokens.get(who);
      return token === undefined ? {} : { authorization: `Bearer ${token}` };
    },
    async must(rpc, request, headers) {
      const response = await callRpc(rpc, request, headers);
      if ("body" in response) return (response.body ?? {}) as Mapping;
      throw new Error(`given ${rpc} ${JSON.stringify(request)} failed: ${JSON.stringify(response.failure)}`);
    },
  };
}

/** Returns the id in a variable of the play. */
export const idOf = (play: Play, name: unknown): string => lookUp(String(name), play.variables);
