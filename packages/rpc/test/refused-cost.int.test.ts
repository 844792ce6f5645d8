import { fileURLToPath } from "node:url";
import { type Program, startProgram, takeStablePort, without } from "@cloud/testkit";
import { afterEach, expect, test } from "@jest/globals";

/** The message is read and decoded, and its caller refused afterwards. */
const AUTHENTICATED_FIRST = [
  {
    file: "packages/rpc/src/server/authenticate-request.ts",
    find: "return { ...withEmptyMessage(request), contextValues: values.set(refusalKey, { error }) };",
    replace: "return { ...request, contextValues: values.set(refusalKey, { error }) };",
  },
  {
    file: "packages/rpc/src/server/authenticate-request.ts",
    find: "if (received !== undefined) dropRest(received.request);",
    replace: "void received;",
  },
];

/** 0.9 MB of JSON with 90,000 keys. */
const MESSAGE = JSON.stringify({
  metadata: Object.fromEntries(Array.from({ length: 90_000 }, (_, key) => [`k${key}`, 1])),
});
const REQUESTS = 5;

const programs: Program[] = [];
afterEach(async () => {
  await Promise.all(programs.splice(0).map((program) => program.close()));
});

async function start({ preload, env }: ReturnType<typeof without>): Promise<Program> {
  const main = fileURLToPath(new URL("refused-cost/program.ts", import.meta.url));
  const [port, operatorPort] = [await takeStablePort(), await takeStablePort()];
  const program = await startProgram({ name: "rpc", main, port, operatorPort, env, preload });
  programs.push(program);
  return program;
}

/** Returns the CPU time of the server, in milliseconds, for one call without a token. */
async function costOf(program: Program): Promise<number> {
  const call = async () => {
    const url = program.url + "/environment.v1.EnvironmentService/CreateEnvironment";
    const headers = { "content-type": "application/json" };
    const response = await fetch(url, { method: "POST", headers, body: MESSAGE });
    expect(response.status).toBe(401);
    await response.text();
  };
  await call(); // compiles the code
  const before = await cpuSeconds(program);
  for (let request = 0; request < REQUESTS; request++) await call();
  return ((await cpuSeconds(program)) - before) * (1_000 / REQUESTS);
}

async function cpuSeconds({ operatorUrl }: Program): Promise<number> {
  const metrics = await (await fetch(operatorUrl + "/metrics")).text();
  return Number(/^process_cpu_seconds_total\S* (\S+)/m.exec(metrics)?.[1]);
}

test("a refused message costs a fraction of what decoding it costs", async () => {
  const [cpuMs, controlMs] = [
    await costOf(await start(without([]))),
    await costOf(await start(without(AUTHENTICATED_FIRST))),
  ];
  process.stdout.write(
    JSON.stringify({ what: "refused at a service", bytes: MESSAGE.length, cpuMs, controlMs }) + "\n",
  );
  expect(cpuMs).toBeLessThan(controlMs / 3);
}, 60_000);
