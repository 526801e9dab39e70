/** The folders whose files serve all kinds alike. */
const general = ["src/reconcile/policy/", "src/reconcile/observe/", "src/reconcile/undeclared/"] as const;

interface Trait {
  /** What a question about it looks like. */
  readonly pattern: RegExp;
  /** The files, below `src/reconcile/`, that may ask: what follows from the trait is there, and nowhere else. */
  readonly homes: readonly string[];
}

/** What distinguishes kinds, and where that may matter. A kind with known traits needs no other file; see docs/adding-a-kind.md. */
const traits: Readonly<Record<string, Trait>> = {
  identification: {
    pattern: /\bidentification(?:\.by\b|\s*\}.*\.by\b)/,
    homes: ["policy/identification-of.ts", "policy/identified-by.ts", "observe/finding.ts"],
  },
  bindable: {
    pattern: /\bbindable\b/,
    homes: [
      "policy/adoption.ts",
      "policy/on-grants.ts",
      "observe/declared-roles.ts",
      "observe/grants.ts",
      "observe/protections.ts",
      "observe/reference-denials.ts",
    ],
  },
  principal: {
    pattern: /\bkind\.principal\b|\bprincipal (?:===|!==)/,
    homes: [
      "policy/adoption.ts",
      "policy/drift.ts",
      "policy/exchange.ts",
      "policy/held-roles.ts",
      "policy/open-access.ts",
      "observe/operator-identities.ts",
      "observe/reference-denials.ts",
    ],
  },
  vouching: { pattern: /\bkind\.vouching\b/, homes: ["policy/adoption.ts", "policy/secret.ts"] },
  secret: { pattern: /\bkind\.secret\b/, homes: ["policy/secret.ts"] },
  linking: { pattern: /\bkind\.linking\b/, homes: ["observe/reference-denials.ts"] },
  "at most one a group": {
    pattern: /\bisSingleton\b/,
    homes: ["policy/conflict-messages.ts", "policy/freshness.ts", "observe/claim.ts", "observe/protections.ts"],
  },
  name: {
    pattern: /\bname\b (?:===|!==) "[A-Z]/,
    homes: [
      "observe/vouched-people.ts",
      "undeclared/above-roots.ts",
      "undeclared/declarations.ts",
      "undeclared/findings.ts",
      "undeclared/removal-plan.ts",
    ],
  },
};

/**
 * What is wrong with the questions that the files ask about kinds, one sentence each: a file asks that is no home of the trait, or a
 * home does not ask any longer.
 * @param texts the production files, by their paths
 */
export function misplacedTraits(texts: ReadonlyMap<string, string>): string[] {
  return Object.entries(traits).flatMap(([name, { pattern, homes }]) => {
    const asking = [...texts]
      .filter(([path, text]) => general.some((folder) => path.startsWith(folder)) && pattern.test(text))
      .map(([path]) => path.replace("src/reconcile/", ""));
    return [
      ...asking
        .filter((path) => !homes.includes(path))
        .map(
          (path) =>
            `src/reconcile/${path} asks for the trait "${name}" of a kind. What follows from it belongs to ${homes.join(", ")}: ask a function there; or make the file a home of the trait in scripts/trait-rules.ts.`,
        ),
      ...homes
        .filter((path) => !asking.includes(path))
        .map(
          (path) => `src/reconcile/${path} does not ask for the trait "${name}": remove it in scripts/trait-rules.ts.`,
        ),
    ];
  });
}
