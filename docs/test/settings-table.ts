import { type Program, programs, type Setting, settingsOf } from "../../deploy/test/programs.ts";

/** A variable, and the programs that read it. */
interface Variable extends Setting {
  readonly readers: readonly Program[];
  /** The default of each reader, in the order of `programs`. */
  readonly defaults: readonly string[];
}

/** The form of zod's JSON Schemas, as far as a table shows it. */
interface Form {
  readonly type?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly anyOf?: readonly (Form & { readonly const?: string })[];
}

const HEAD = ["| Variable | Read by | Accepts | Default | Meaning |", "| --- | --- | --- | --- | --- |"];

/** Returns the variables that the programs read, in the order in which the programs declare them. */
export function allVariables(): Variable[] {
  const read = programs.flatMap((program) => settingsOf(program).map((setting) => ({ program, setting })));
  const names = [...new Set(read.map(({ setting }) => setting.name))];
  return names.map((name) => {
    const own = read.filter(({ setting }) => setting.name === name);
    const [first] = own;
    if (first === undefined) throw new Error(`${name} is read by no program`);
    const defaults = own.map(({ setting }) => defaultOf(setting));
    return { ...first.setting, readers: own.map(({ program }) => program), defaults };
  });
}

/** Renders the table of the variables whose names match one of the patterns, in which `*` is any text. */
export function renderTable(patterns: readonly string[]): string {
  return [...HEAD, ...variablesOf(patterns).map(rowOf)].join("\n");
}

/** Returns the variables whose names match one of the patterns, in the order of the patterns. */
export function variablesOf(patterns: readonly string[]): Variable[] {
  const variables = allVariables();
  return patterns.flatMap((pattern) => {
    const expression = new RegExp(`^${pattern.replaceAll("*", ".*")}$`);
    return variables.filter(({ name }) => expression.test(name));
  });
}

function rowOf(variable: Variable): string {
  const { name, readers, type } = variable;
  const meaning = new Set(
    readers.map((reader) => settingsOf(reader).find((one) => one.name === name)?.type.description ?? ""),
  );
  const cells = [
    `\`${name}\``,
    readBy(readers),
    acceptedBy(name, type),
    shownDefault(variable),
    [...meaning].join("; "),
  ];
  return `| ${cells.join(" | ")} |`;
}

function readBy(readers: readonly Program[]): string {
  if (readers.length === programs.length) return "all programs";
  const names = readers.map(({ name }) => name);
  if (readers.length === 3 && !names.includes("gateway")) return "services";
  return names.join(", ");
}

function shownDefault({ required, defaults, readers }: Variable): string {
  if (required) return "**required**";
  if (new Set(defaults).size === 1) return defaults[0] ?? "";
  return readers.map(({ name }, index) => `${name}: ${defaults[index]}`).join(", ");
}

const formOf = ({ type }: Pick<Setting, "type">) => type.toJSONSchema({ unrepresentable: "any" }) as Form;

function defaultOf(setting: Setting): string {
  const value = formOf(setting).default;
  return value === undefined || value === "" ? "" : `\`${String(value)}\``;
}

/** Describes the values by the schema; where it is code, by the message that refuses another value. */
function acceptedBy(name: string, type: Setting["type"]): string {
  if (name.endsWith("_FILE")) return "the path of a file";
  const { enum: values, minimum, maximum, anyOf } = formOf({ type });
  if (values !== undefined) return values.map((value) => `\`${value}\``).join(", ");
  const [word, number] = anyOf ?? [];
  if (word?.const !== undefined) return `\`${word.const}\`, or ${rangeOf(number?.minimum, number?.maximum)}`;
  if (minimum !== undefined) return rangeOf(minimum, maximum);
  return refusalOf(type);
}

const rangeOf = (min?: number, max?: number) =>
  max === undefined || max === Number.MAX_SAFE_INTEGER ? `from ${min}` : `${min} to ${max}`;

function refusalOf(type: Setting["type"]): string {
  const message = type.safeParse("\u0000").error?.issues[0]?.message ?? "";
  return message === "" ? "text" : message.replace(/^(entry 1 )?must (be |have )?/, "").replaceAll("<", "&lt;");
}
