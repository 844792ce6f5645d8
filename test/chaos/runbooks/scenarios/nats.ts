import { expect } from "@jest/globals";
import { conditionsBecome, deleteEnvironments, linksEnd, metricBecomes, type Scenario, seedLinks } from "../stage.ts";

export const natsUnreachable: Scenario = async (stage) => {
  const { nats } = stage.cluster;
  const { environments } = await seedLinks(stage, 1);
  await nats.kill();
  await metricBecomes(stage, "workspace", "messaging_connected", (connected) => connected === 0);
  await deleteEnvironments(stage, environments);

  const page = stage.open("nats-unreachable", {});
  expect(await page.run("kubectl get pods")).toMatch(/^nats-0 +CrashLoopBackOff$/m);
  expect(await page.run("kubectl logs")).toContain("JetStream");
  await page.run("kubectl delete pod");
  await metricBecomes(stage, "workspace", "messaging_connected", (connected) => connected === 2);
  await linksEnd(stage, environments);
};

/** The server has another password than the service, first on purpose, then by mistake. */
export const natsLogin: Scenario = async (stage) => {
  const { nats } = stage.cluster;
  const { environments } = await seedLinks(stage, 1);
  const reload = () => expect(nats.run(["--signal", "reload"])).toMatchObject({ code: 0 });
  const password = "nats-another-password";
  nats.setPassword("workspace", password);
  reload();
  await conditionsBecome(stage, "workspace", ["nats-login"]);
  await deleteEnvironments(stage, environments);

  const page = stage.open("nats-login", { SERVICE: "workspace", PASSWORD: password });
  await page.run("kubectl patch secret");
  await conditionsBecome(stage, "workspace", []);
  await linksEnd(stage, environments);

  nats.setPassword("workspace", "nats-a-mistake");
  reload();
  await conditionsBecome(stage, "workspace", ["nats-login"]);
  nats.setPassword("workspace", undefined);
  await page.run("nats-server --signal reload");
  await conditionsBecome(stage, "workspace", []);
  await metricBecomes(stage, "workspace", "messaging_connected", (connected) => connected === 2);
};

/** The server was started without JetStream. */
export const jetstreamSilent: Scenario = async (stage) => {
  const { nats } = stage.cluster;
  const { environments } = await seedLinks(stage, 1);
  await nats.kill();
  await nats.startWithoutJetStream();
  await conditionsBecome(stage, "workspace", ["jetstream-silent"]);
  await deleteEnvironments(stage, environments);

  const page = stage.open("jetstream-silent", {});
  expect(await page.run("healthz")).toMatch(/"disabled": *true/);
  expect(await page.run("df /data")).toMatch(/^Filesystem/);
  await page.run("kubectl rollout restart");
  await conditionsBecome(stage, "workspace", []);
  await linksEnd(stage, environments);
};
