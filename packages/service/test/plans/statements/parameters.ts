/** The query of a list where the statement does not depend on it. */
export const byDate = {
  search: "",
  order: { column: "created_at", direction: "desc" },
  page: 0,
  pageSize: 25,
} as const;

/** The position of a log's reader that continues a little later. */
export const readUpTo = [
  {
    createdAt: new Date(Date.now() - 86_400_000),
    id: "ffffffff-ffff-ffff-ffff-ffffffffffff",
    upTo: "1000000",
    running: ["999990", "999995"],
  },
] as const;
