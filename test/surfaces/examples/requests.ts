export const list = { search: "$tag", order: "updated_at asc", page: 0, pageSize: 10 };
export const inFirst = { organizationId: "$first", name: "$tag", description: 'é ☃ \u{1F600} "quoted" \\ /' };
