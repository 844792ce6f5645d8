import { list, readText } from "../../../../docs/test/documents.ts";

/** A command of a page, as it is written there. */
export interface Block {
  /** The name of the page, such as `outbox-lag`. */
  readonly page: string;
  readonly language: string;
  readonly text: string;
}

export interface Page {
  readonly name: string;
  readonly text: string;
}

/** Returns the pages of docs/runbooks. */
export function readPages(): Page[] {
  const paths = list(["docs/runbooks/*.md"]).sort();
  return paths.map((path) => ({ name: path.replace(/^.*\/|\.md$/g, ""), text: readText(path) }));
}

/** Returns the fenced blocks of a page in their order, without the indentation of a list. */
export function blocksOf({ name, text }: Page): Block[] {
  return [...text.matchAll(/^( *)```(\w*)\n([\s\S]*?)^ *```$/gm)].map(([, indent = "", language = "", block = ""]) => ({
    page: name,
    language,
    text: block.replaceAll(new RegExp(`^${indent}`, "gm"), "").trim(),
  }));
}

/** Programs that a page runs. */
const COMMAND =
  /^(kubectl|curl|psql|node|npm|nats|nats-server|openssl|helm|docker|df|select|update|delete|alter|analyze|explain)\s/;

/** Returns the commands that stand in the sentences of a page, where no test runs them. */
export function inlineCommands({ text }: Page): string[] {
  const prose = text.replace(/^ *```[\s\S]*?^ *```$/gm, "");
  return [...prose.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code).filter((code) => COMMAND.test(code));
}
