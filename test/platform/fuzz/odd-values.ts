import type { Random } from "./random.ts";

/** Texts that decoders, databases and logs are known to mishandle. */
const oddTexts: readonly string[] = [
  "",
  " ",
  "\0",
  "a\0b",
  "\u0001\u001f\u007f",
  "\n",
  "a\r\nx-injected: 1",
  "\ufeff",
  "\u202eevil\u202c",
  "\u200b",
  "\ud800",
  "\udc00a",
  "\u{10ffff}",
  "é\u0301".repeat(30),
  "😀".repeat(300),
  "A",
  "null",
  "true",
  "0",
  "-1",
  "NaN",
  "1e309",
  "__proto__",
  "constructor",
  "toString",
  "../../../etc/passwd",
  "%00",
  "%zz",
  "%",
  "' OR 1=1 --",
  '"; DROP TABLE groups; --',
  "\\",
  "${jndi:ldap://x}",
  "<script>alert(1)</script>",
  "a".repeat(513),
  "a".repeat(70_000),
  "0".repeat(40),
  "0".repeat(40) + "/0123456789abcdef",
  "0".repeat(40) + "/0123456789abcdef".repeat(64),
  "0".repeat(40) + "/0123456789abcdef".repeat(65),
  "0".repeat(40) + "/",
  "1970-01-01T00:00:00Z",
  "9999-12-31T23:59:59.999999999Z",
  "0000-01-01T00:00:00Z",
  "2026-02-30T00:00:00Z",
  "-999999999999s",
  "999999999999.999999999s",
  "9223372036854775807",
  "-9223372036854775808",
  "9223372036854775808",
  "18446744073709551616",
  "*",
  "(((a{100}){100}){100})",
  "(a+)+$",
  "[\\p{Greek}-\\x{10FFFF}]{1000}",
  "((((((((((a{10}){10}){10}){10}){10}){10}){10}){10}){10}){10})",
];

const oddNumbers: readonly number[] = [
  0,
  -0,
  -1,
  1,
  0.5,
  1e21,
  -1e21,
  1e308,
  5e-324,
  2 ** 31 - 1,
  2 ** 31,
  -(2 ** 31),
  2 ** 32,
  2 ** 53,
  2 ** 63,
  101,
  99_999,
];

export function oddText(random: Random): string {
  // Long and incompressible: the size of an index entry is limited.
  if (random.chance(0.03)) return random.bytes(random.pick([300, 1_500, 4_000])).toString("hex");
  if (random.chance(0.1))
    return String.fromCharCode(...Array.from({ length: random.int(1, 30) }, () => random.int(0, 0xffff)));
  return random.pick(oddTexts);
}

/** A JSON value of any type. */
export function oddValue(random: Random): unknown {
  return random.weighted<() => unknown>([
    [6, () => oddText(random)],
    [3, () => random.pick(oddNumbers)],
    [2, () => null],
    [1, () => random.chance(0.5)],
    [1, () => []],
    [1, () => ({})],
    [1, () => [oddText(random), null, {}]],
    [1, () => ({ [oddText(random)]: oddText(random) })],
    [0.5, () => deep(random.pick([10, 100, 1_000]), random.chance(0.5))],
  ])();
}

function deep(levels: number, asList: boolean): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = asList ? [value] : { a: value };
  return value;
}
