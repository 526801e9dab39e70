/**
 * The limits of requests and responses, in one table: the platform checks them, the OpenAPI document contains those of fields,
 * and docs/reference/limits.md lists them. A single field can have a lower limit (`contract/field-limits.ts`).
 */
export const sizeLimits = {
  /** Characters of a text. */
  textLength: 65_536,
  /** Characters of a key of a map. */
  keyLength: 1_024,
  /** Distinct items of a list, and values of a filter. */
  listItems: 1_000,
  /** Entries of a map. */
  mapEntries: 1_000,
  /** Groups and capabilities to which one token is downscoped, and its audiences. */
  scopes: 64,
  /** Bytes of a resource, as it is stored. */
  resourceBytes: 256 * 1024,
  /** Bytes of a page of a List. A page that would be larger has fewer resources than requested, but at least one. */
  pageBytes: 4 * 1024 * 1024,
  /** Resources that a List skips. */
  skip: 100_000,
  /** Rows that a List examines to filter and count them. */
  scannedRows: 100_000,
} as const;
