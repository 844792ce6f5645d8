/** An id that names nothing, as each surface writes it: in a path, as a JSON literal, and as the bytes of a field. */
export interface HostileId {
  readonly path: string;
  readonly json: Buffer;
  readonly bytes: Buffer;
  /** Whether it is a text at all. One that is not is refused for its form, by the surfaces that write it so. */
  readonly isText: Readonly<Record<SurfaceName, boolean>>;
}

export const SURFACES = ["REST", "Connect JSON", "gRPC-Web"] as const;
export type SurfaceName = (typeof SURFACES)[number];

const EVERYWHERE = { REST: true, "Connect JSON": true, "gRPC-Web": true };
const NOWHERE = { REST: false, "Connect JSON": false, "gRPC-Web": false };

const textual = (text: string): HostileId => ({
  path: encodeURIComponent(text),
  json: Buffer.from(JSON.stringify(text)),
  bytes: Buffer.from(text),
  isText: EVERYWHERE,
});

export const HOSTILE_IDS: Readonly<Record<string, HostileId>> = {
  // A path of this length is beyond the limit of the headers.
  "1.5 million characters": { ...textual("x".repeat(1_500_000)), isText: { ...EVERYWHERE, REST: false } },
  "10,000 characters": textual("x".repeat(10_000)),
  "U+0000": textual("0190\u0000ab"),
  "only U+0000": textual("\u0000"),
  "characters of two units": textual("😀".repeat(500)),
  "the separator of paths": textual("a/../b"),
  "half a surrogate pair": {
    path: "%ED%A0%80",
    json: Buffer.from('"\\ud800"'),
    bytes: Buffer.from([0xed, 0xa0, 0x80]),
    isText: NOWHERE,
  },
  "invalid UTF-8": {
    path: "%FF%FE",
    json: Buffer.from('"\xff\xfe"', "latin1"),
    bytes: Buffer.from([0xff, 0xfe]),
    isText: NOWHERE,
  },
};
