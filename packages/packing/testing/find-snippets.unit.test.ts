import { expect, test } from "@jest/globals";
import { findSnippets } from "./index.ts";

const PAGE = `# Title

Write \`proto/a.proto\`:

\`\`\`proto
syntax = "proto3";
\`\`\`

Type

\`\`\`sh
cat proto/a.proto
\`\`\`

It prints

\`\`\`text
syntax
\`\`\`

For example

\`\`\`ts
const other = 1;
\`\`\`
`;

test("files, commands and what they print are found in the order of the page", () => {
  expect(findSnippets(PAGE)).toEqual([
    { kind: "file", name: "proto/a.proto", text: 'syntax = "proto3";\n' },
    { kind: "commands", text: "cat proto/a.proto\n", prints: "syntax\n" },
  ]);
});
