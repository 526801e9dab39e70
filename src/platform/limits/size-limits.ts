import type { Limit } from "./limit.ts";

/**
 * The limits of requests and responses. The OpenAPI document contains those of fields. A single field can have a lower limit
 * (`contract/field-limits.ts`).
 */
export const sizeLimits = {
  text: { what: "A text in a request", value: 65_536, unit: "characters" },
  mapKey: { what: "A key of a map", value: 1_024, unit: "characters" },
  list: { what: "Distinct items of a list, and values of a filter such as `uidp.ids`", value: 1_000, unit: "items" },
  map: { what: "Entries of a map", value: 1_000, unit: "items" },
  values: {
    what: "Values in a request: in JSON, members of objects and items of lists; over gRPC, fields",
    value: 20_000,
    unit: "items",
  },
  scopes: {
    what: "Audiences, `scopes` and `cap` of an exchange: distinct items of each",
    value: 64,
    unit: "items",
  },
  batch: { what: "Role bindings in one batch", value: 25, unit: "items" },
  resource: { what: "A resource, as it is stored", value: 256 * 1024, unit: "bytes" },
  page: {
    what: "A page of a list; a larger one has fewer resources than `page_size`, but at least one",
    value: 4 * 1024 * 1024,
    unit: "bytes",
  },
  skip: { what: "Resources that `skip` skips", value: 100_000, unit: "items" },
  auditScan: { what: "Audit records that a page of their list examines, and counts", value: 10_000, unit: "items" },
  scan: { what: "Resources that one list examines to filter, count or sort them", value: 100_000, unit: "items" },
} as const satisfies Readonly<Record<string, Limit>>;

/** The bytes of the resources that are read, and sent, together if a response has several parts. */
export const responsePartBytes = 1024 * 1024;
