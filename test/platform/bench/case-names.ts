/** A List of identities: below the root or a tenth of it, in an order, the first page or one in the middle. */
export interface PageCase {
  readonly where: "root" | "subtree";
  readonly order: "uid" | "name" | "created_at" | "created_at desc";
  readonly place: "first" | "deep";
}

const pages = new Map<string, PageCase>();
for (const where of ["root", "subtree"] as const)
  for (const order of ["uid", "name", "created_at", "created_at desc"] as const)
    for (const place of ["first", "deep"] as const)
      pages.set(`page ${where} ${order} ${place}`, { where, order, place });

/** All cases in the order of their measurement. Those that change the data come last. */
export const caseNames: readonly string[] = [
  "get",
  ...pages.keys(),
  "exchange static",
  "exchange discovered",
  "create",
];

export function pageCase(name: string): PageCase | undefined {
  return pages.get(name);
}
