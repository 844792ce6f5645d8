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
  return list(["services/*/src/events.ts"])
    .flatMap((path) => {
      const [, consumer] = /^services\/(\w+)\//.exec(path) ?? [];
      const imports = readText(path).matchAll(/\{([^{}]*)\} from "@cloud\/proto\/(\w+)\/v1\/events_pb"/g);
      return [...imports].flatMap(([, names = "", owner]) =>
        [...names.matchAll(/(\w+)Schema/g)].map(([, event]) => [owner, event, consumer].join(" ")),
      );
    })
    .filter((arrow) => !arrow.startsWith(`${arrow.split(" ")[2]} `))
    .sort();
}
