/** A profile as V8 writes it. */
export interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  /** The node that ran at each sample. */
  readonly samples: readonly number[];
  /** Microseconds before each sample. */
  readonly timeDeltas: readonly number[];
  /** Microseconds by the monotonic clock of the machine. */
  readonly startTime: number;
}

interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string };
  readonly children?: readonly number[];
}

/** A function with all that it called from one place. */
export interface Frame {
  readonly name: string;
  readonly group: string;
  /** Milliseconds with all that it called. */
  ms: number;
  readonly children: Map<string, Frame>;
}

export interface Stacks {
  readonly root: Frame;
  /** Milliseconds of the functions of each group by themselves. */
  readonly selfByGroup: ReadonlyMap<string, number>;
}

/** Time in which a program does nothing. */
const IDLE = new Set(["(idle)", "(root)"]);
/** Functions of the engine and of the kernel have no file. */
const WRITES = /^(writev|writeBuffer|writeUtf8String|writeLatin1String|writeAsciiString)$/;

/** Microseconds by the monotonic clock of the machine. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Adds up the samples of equal stacks within a span, and the time that each group of functions has by itself. */
export function foldStacks({ nodes, samples, timeDeltas, startTime }: CpuProfile, { from, to }: Span): Stacks {
  const root: Frame = { name: "all", group: "", ms: 0, children: new Map() };
  const selfByGroup = new Map<string, number>();
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  let time = startTime;
  for (const [index, id] of samples.entries()) {
    const ms = (timeDeltas[index] ?? 0) / 1000;
    time += timeDeltas[index] ?? 0;
    if (time < from || time > to) continue;
    const stack: ProfileNode[] = [];
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      const node = byId.get(at);
      if (node !== undefined) stack.unshift(node);
    }
    const top = stack.at(-1);
    if (top === undefined || IDLE.has(top.callFrame.functionName)) continue;
    selfByGroup.set(groupOf(top), (selfByGroup.get(groupOf(top)) ?? 0) + ms);
    let frame = root;
    root.ms += ms;
    for (const node of stack.slice(1)) frame = childOf(frame, node, ms);
  }
  return { root, selfByGroup };
}

function childOf(parent: Frame, node: ProfileNode, ms: number): Frame {
  const group = groupOf(node);
  const name = node.callFrame.functionName || "(anonymous)";
  const key = `${name} ${node.callFrame.url}`;
  const child = parent.children.get(key) ?? { name, group, ms: 0, children: new Map() };
  child.ms += ms;
  parent.children.set(key, child);
  return child;
}

/** Returns the package, the module of Node, or the kind of native function. */
function groupOf({ callFrame: { functionName, url } }: ProfileNode): string {
  const dependency = /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1];
  if (dependency !== undefined) return dependency;
  const own = /\/((?:packages|services)\/[^/]+|gateway)\/src\//.exec(url)?.[1];
  if (own !== undefined) return own;
  if (url.startsWith("node:")) return "node";
  if (WRITES.test(functionName)) return "system call: write";
  return functionName === "(garbage collector)" ? "garbage collector" : "native";
}
