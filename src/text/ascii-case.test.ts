import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { asciiLowerCase, asciiUpperCase, isEqualIgnoringAsciiCase } from "./ascii-case.ts";

const everything = Array.from({ length: 0x3000 }, (_, code) => String.fromCharCode(code));

describe("ASCII case", () => {
  it("changes the letters of ASCII", () => {
    expect(asciiLowerCase("Kate@EXAMPLE.com-[1]")).toBe("kate@example.com-[1]");
    expect(asciiUpperCase("bcdf-Ghjk")).toBe("BCDF-GHJK");
    expect(asciiLowerCase("\u212AATE of \u0130")).toBe("\u212Aate of \u0130");
    expect(asciiUpperCase("\u017Fam of \u00DF")).toBe("\u017FAM OF \u00DF");
    expect(isEqualIgnoringAsciiCase("Ada@Example.com", "ada@example.COM")).toBe(true);
  });

  it("changes nothing else, and makes no other character one of ASCII", () => {
    for (const character of everything.filter((one) => !/[A-Za-z]/.test(one)))
      expect([asciiLowerCase(character), asciiUpperCase(character)]).toEqual([character, character]);
    expect(isEqualIgnoringAsciiCase("\u212Aate", "kate")).toBe(false);
    expect(isEqualIgnoringAsciiCase("\u017Fam", "sam")).toBe(false);
    expect(isEqualIgnoringAsciiCase("\u00C4", "\u00E4")).toBe(false);
  });
});

/** The files that may fold the case of Unicode, and why. */
const exceptions: Readonly<Record<string, string>> = {
  "src/api/issuer-url.ts": "what may be the same for some platform counts as the same, where that forbids something",
  "src/http/proxy-settings.ts": "the name of a variable, which is a constant",
  "src/kinds/account-association.ts": "the name of a field, which a pattern of ASCII has matched",
  "src/kinds/identity-provider.ts": "the name of a field, which a pattern of ASCII has matched",
  "src/kinds/identity.ts": "the name of a field, which a pattern of ASCII has matched",
  "src/platform/authorization/dotted-name.ts": "the name of a capability, which is a constant",
  "src/platform/collections/advisories.ts": "the text that a search looks through",
  "src/platform/login/oauth-error.ts": "the name of an error, which is a constant",
  "src/platform/openapi/docs-page.ts": "names of the contract, for people",
  "src/platform/openapi/document.ts": "methods of HTTP, which are constants",
  "src/platform/rest/routes.ts": "methods of HTTP, which are constants",
  "src/platform/store/postgres/copy-from-sqlite.ts": "the type of a column, which is a constant",
  "src/platform/vulnerabilities/advisory-filters.ts": "the words of a search",
};

it("the platform, its clients and the custom resources fold ASCII alone", () => {
  const folders = ["api", "http", "kinds", "kube", "login", "platform", "platform-client", "telemetry", "workload"];
  const files = folders
    .flatMap((folder) => globSync(`src/${folder}/**/*.ts`))
    .filter((file) => !/\.(test|testing)\.ts$|\/gen\//.test(file));
  expect(files.length).toBeGreaterThan(300);
  const folding = files.filter((file) =>
    // A regular expression folds other characters into ASCII with the flags i and u or v only.
    /\bto(Locale)?(Lower|Upper)Case\b|\blocaleCompare\b|\/[gmsy]*(iu|ui|iv|vi)[gmsy]*[.,;) ]/.test(
      readFileSync(file, "utf8"),
    ),
  );
  expect(folding.toSorted()).toEqual(Object.keys(exceptions).toSorted());
});
