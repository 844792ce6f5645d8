import { list, readText } from "./documents.ts";

export interface Arrow {
  readonly from: string;
  readonly to: string;
  /** Empty if the arrow has none. */
  readonly label: string;
}

const ARROW = /^ *([\w.]+)(?:\(\[\w+\]\))? (?:-->(?:\|(?<call>[^|]*)\|)?|-\. (?<event>[^.]*) \.->) ([\w.]+)$/gm;

/** Returns the mermaid diagram that a page has under a heading. @throws Error when there is none. */
export function diagramUnder(page: string, heading: string): string {
  const section = page.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? "";
  const diagram = /^```mermaid\n([\s\S]*?)^```$/m.exec(section)?.[1];
  if (diagram === undefined) throw new Error(`no diagram under "${heading}"`);
  return diagram;
}

/** Returns the solid or the dotted arrows of a flowchart. */
export function arrowsOf(diagram: string, kind: "-->" | "-."): Arrow[] {
  return [...diagram.matchAll(ARROW)]
    .filter(([line]) => line.includes(kind))
    .map(({ 1: from = "", 4: to = "", groups }) => ({ from, to, label: groups?.["event"] ?? groups?.["call"] ?? "" }));
}

/** Returns the nodes of each subgraph: the name of the subgraph, a dot and the name of the node. */
export function nodesOf(diagram: string): string[] {
  return [...diagram.matchAll(/^ {4}(\w+\.\w+)\[/gm)].map(([, node = ""]) => node).sort();
}

/** Returns `<owner> <event> <consumer>` for each consumer in the services' sources. */
export function consumedEvents(): string[] {
  return list(["services/*/src/consumers/*.ts"])
    .filter((path) => /-(?:created|deleted)\.ts$/.test(path))
    .map((path) => {
      const [, consumer, file = ""] = /^services\/(\w+)\/src\/consumers\/([\w-]+)\.ts$/.exec(path) ?? [];
      const event = file.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
      const imported = new RegExp(`\\{[^}]*\\b${event}Schema\\b[^}]*\\} from "@cloud/proto/(\\w+)/v1/events_pb"`);
      return [imported.exec(readText(path))?.[1], event, consumer].join(" ");
    })
    .sort();
}
