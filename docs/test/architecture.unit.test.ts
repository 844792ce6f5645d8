import { describe, expect, test } from "@jest/globals";
import { programs, settingsOf } from "../../deploy/test/programs.ts";
import { arrowsOf, consumedEvents, diagramUnder, nodesOf } from "./diagrams.ts";
import { list, readText } from "./documents.ts";
import { allTables, tablesOf } from "./tables.ts";

const SERVICES = ["environment", "identity", "workspace"];
const page = readText("docs/architecture.md");

describe("who calls whom", () => {
  const diagram = diagramUnder(page, "Who calls whom");

  test("has an arrow for each URL of a peer that a program reads", () => {
    const drawn = arrowsOf(diagram, "-->").filter(({ from }) => from !== "client");
    const read = programs.flatMap((program) =>
      settingsOf(program)
        .map(({ name }) => name.replace(/_URL$/, "").toLowerCase())
        .filter((name) => SERVICES.includes(name))
        .map((peer) => `${program.name} ${peer}`),
    );
    expect(drawn.map(({ from, to }) => `${from} ${to}`).sort()).toEqual(read.sort());
  });

  test("has a dotted arrow for each event that a service consumes", () => {
    const drawn = arrowsOf(diagram, "-.").map(({ from, label, to }) => `${from} ${label} ${to}`);
    expect(drawn.sort()).toEqual(consumedEvents());
  });
});

test("the one-way flow has the interceptors of a service in their order", () => {
  const source = readText("packages/rpc/src/server/start-rpc-server.ts");
  const [, body = ""] = /const interceptors = \[\n([\s\S]*?)\n {2}\];/.exec(source) ?? [];
  const [, named = ""] = /-> interceptors +(.*)/.exec(page) ?? [];
  const inCode = [...body.matchAll(/(\w+)Interceptor\b/g)].map(([, name = ""]) => name);
  const plain = (name: string) =>
    name
      .toLowerCase()
      .replace(/ \(.*\)| /g, "")
      .replace(/s$/, "");
  expect(named.split(", ").map(plain)).toEqual(inCode.map(plain));
});

describe("one change, from request to effect", () => {
  const diagram = diagramUnder(page, "One change, from request to effect");
  const namesIn = (pattern: RegExp) => [...diagram.matchAll(pattern)].map(([, name = ""]) => name);

  test("has only programs, JetStream and tables as participants", () => {
    const known = ["client", "gateway", "JetStream", ...SERVICES, ...allTables];
    const participants = namesIn(/^ *(?:participant|actor) (\w+)$/gm);
    expect(participants.filter((name) => !known.includes(name))).toEqual([]);
    const senders = [...namesIn(/^ *(\w+)--?>>/gm), ...namesIn(/>>(\w+):/g)];
    expect(senders.filter((name) => !participants.includes(name))).toEqual([]);
  });

  test("names files, tables, events and RPCs that exist", () => {
    const files = list(["{packages,services}/*/src/**/*.ts"]);
    const named = namesIn(/([\w-]+\.ts):/g).concat(namesIn(/([\w-]+\.ts)$/gm));
    expect(named.filter((name) => !files.some((file) => file.endsWith(`/${name}`)))).toEqual([]);
    const written = namesIn(/\.ts: (.*) in one transaction/g).flatMap((names) => names.split(", "));
    const protos = list(["proto/*/**/*.proto"]).map(readText).join("\n");
    const isKnown = (name: string) => allTables.has(name) || protos.includes(`message ${name} {`);
    expect(written.filter((name) => !isKnown(name))).toEqual([]);
    const missing = [...diagram.matchAll(/([\w.]+)\.(\w+)\/(\w+)/g)].filter(([, service = "", name, rpc]) => {
      return ![`package ${service};`, `service ${name} {`, `rpc ${rpc}(`].every((text) => protos.includes(text));
    });
    expect(missing.map(([text]) => text)).toEqual([]);
    expect(namesIn(/(cloud\.v1\.[\w.]+)/g).filter((subject) => !protos.includes(`"${subject}"`))).toEqual([]);
  });
});

describe("who owns what", () => {
  const diagram = diagramUnder(page, "Who owns what");

  test("has every table of every service, and no other", () => {
    const tables = SERVICES.flatMap((service) => tablesOf(`services/${service}`).map((table) => `${service}.${table}`));
    expect(nodesOf(diagram)).toEqual(tables.sort());
  });

  test("has arrows between its tables only", () => {
    const ends = arrowsOf(diagram, "-.").flatMap(({ from, to }) => [from, to]);
    expect(ends.length).toBeGreaterThan(0);
    expect(ends.filter((end) => !nodesOf(diagram).includes(end))).toEqual([]);
  });

  test("is followed by the tables that packages add to every schema", () => {
    const added = [...tablesOf("packages/events"), ...tablesOf("packages/service")];
    expect(added.filter((table) => !page.includes(`\`${table}\``))).toEqual([]);
  });
});
