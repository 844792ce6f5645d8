/** What a list is asked for, where nothing else matters. */
export const byDate = {
  search: "",
  order: { column: "created_at", direction: "desc" },
  page: 0,
  pageSize: 25,
} as const;
