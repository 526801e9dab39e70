/** The forms of tag names. A name may have several forms, or none (0). */
const forms = [
  /** An artifact that refers to an image by its digest, such as a signature: `sha256-…`. */
  { bit: 1, pattern: /^sha256-/ },
  /** The image of a date: `…-20yymmdd`. */
  { bit: 2, pattern: /-20\d{6}$/ },
  /** A build (epoch) of a version: `…-rN`. */
  { bit: 4, pattern: /-r\d+$/ },
] as const;

/** The bits of the forms that a name has. */
export function formOfTag(name: string): number {
  return forms.reduce((bits, { bit, pattern }) => (pattern.test(name) ? bits | bit : bits), 0);
}

/** The sets of bits that a List excludes when it does not include all forms. */
export function excludedForms(include: {
  readonly referrers: boolean;
  readonly dates: boolean;
  readonly epochs: boolean;
}): number[] {
  const excluded = (include.referrers ? 0 : 1) | (include.dates ? 0 : 2) | (include.epochs ? 0 : 4);
  return [1, 2, 3, 4, 5, 6, 7].filter((bits) => (bits & excluded) !== 0);
}
