import { execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text as readAll } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { identityDefinition } from "#src/api/identity.ts";
import { awsCredentials, FakeSts } from "#src/platform/tests/fake-sts.testing.ts";
import { selfSignedCertificate } from "#src/platform/tests/self-signed.testing.ts";
import { cacheFolder } from "#test/support/go-program/build.ts";
import { MusterProcess } from "#test/support/harness/muster-process.ts";
import { listenOnLoopback, portOf } from "#test/support/loopback.ts";
import { WorkloadPlatform } from "./workload-platform.ts";

const examples = fileURLToPath(new URL("../../examples/workloads/", import.meta.url));
const read = (name: string) => readFileSync(join(examples, name), "utf8");

const github = "https://token.actions.githubusercontent.com";
const gitlab = "https://gitlab.com";
const otherCluster = "https://oidc.west.example.com";
const audience = "platform.example.com";

let platform: WorkloadPlatform;
let sts: FakeSts;
/** The uids of the identities in `identities.yaml`, by their names. */
const identities = new Map<string, string>();

beforeAll(async () => {
  sts = await FakeSts.start();
  const { url, ca } = sts.endpoint;
  const folder = mkdtempSync(join(tmpdir(), "muster-sts-"));
  writeFileSync(join(folder, "sts.pem"), ca ?? "");
  const flags = ["--aws-sts", `${url},ca=${join(folder, "sts.pem")}`];
  platform = await WorkloadPlatform.start({ issuers: [github, gitlab, otherCluster], flags });
  rmSync(folder, { recursive: true });
  for (const document of parseAllDocuments(read("identities.yaml"))) {
    const { metadata, spec } = document.toJS();
    const { claimMatch } = identityDefinition.specSchema.parse(spec);
    identities.set(metadata.name, await platform.createIdentity(metadata.name, { claimMatch }));
  }
});
afterAll(async () => {
  await platform.stop();
  sts.stop();
});

/** The values that the examples have in common, as they are on the platform of this test. */
const environment = (identity: string) => ({
  MUSTER_PLATFORM_URL: platform.url,
  MUSTER_AUTH_URL: `${platform.url}/sts/exchange`,
  MUSTER_SUBJECT_TOKEN_AUDIENCE: audience,
  MUSTER_IDENTITY: identities.get(identity) ?? identity,
});

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a script of an example with nothing of this process's environment but the PATH. */
async function run(shell: readonly string[], script: string, env: Readonly<Record<string, string>>): Promise<Ran> {
  const [command = "", ...args] = shell;
  const child = spawn(command, [...args, script], { env: { PATH: process.env["PATH"], ...env } });
  const [stdout, stderr] = await Promise.all([readAll(child.stdout), readAll(child.stderr), once(child, "close")]);
  return { code: child.exitCode, stdout, stderr };
}

/** As GitHub runs a step with `shell: bash`. */
const bash = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c"];
/** As GitLab runs the script of a job. */
const sh = ["sh", "-e", "-c"];

describe("github-actions.yaml", () => {
  const requestToken = "request-token-of-the-job";
  let runner: Server;
  let claims: Readonly<Record<string, unknown>> = {};
  beforeAll(async () => {
    runner = createServer((request, response) => {
      const url = new URL(request.url ?? "", "http://runner");
      const known = url.searchParams.has("api-version") && request.headers.authorization === `Bearer ${requestToken}`;
      if (!known) {
        response.writeHead(401).end();
        return;
      }
      const issued = platform.subjectToken({ iss: github, aud: url.searchParams.get("audience"), ...claims });
      void issued.then((value) => response.end(JSON.stringify({ count: value.length, value })));
    });
    await listenOnLoopback(runner);
  });
  afterAll(() => runner.close());

  /** Runs the steps of the job as a runner does. */
  async function runJob(identity: string): Promise<Ran[]> {
    const file = join(platform.folder, "github-env");
    writeFileSync(file, "");
    const ran: Ran[] = [];
    const job = parse(read("github-actions.yaml")).jobs.repos;
    for (const step of job.steps) {
      expect(step.shell).toBe("bash");
      const fromSteps = Object.fromEntries(
        readFileSync(file, "utf8")
          .split("\n")
          .filter((line) => line !== "")
          .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
      );
      const env = {
        ACTIONS_ID_TOKEN_REQUEST_URL: `http://127.0.0.1:${portOf(runner)}/token?api-version=2.0`,
        ACTIONS_ID_TOKEN_REQUEST_TOKEN: requestToken,
        GITHUB_ENV: file,
        ...environment(identity),
        ...fromSteps,
      };
      const result = await run(bash, step.run, env);
      ran.push(result);
      if (result.code !== 0) break;
    }
    return ran;
  }

  it("lists the repos as the Identity, and masks both tokens in the log", async () => {
    claims = { sub: "repo:example/shop:ref:refs/heads/main", repository_id: "123456789" };
    const [exchange, list] = await runJob("builds");
    expect(exchange?.stdout).toMatch(/^::add-mask::eyJ\S+\n::add-mask::eyJ\S+\n$/);
    expect(list).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(list?.stdout ?? "").repos).toMatchObject([{ name: platform.repo }]);
  });

  it("fails with the reason of the platform on another branch", async () => {
    claims = { sub: "repo:example/shop:ref:refs/heads/test", repository_id: "123456789" };
    const ran = await runJob("builds");
    expect(ran).toMatchObject([{ code: 1, stderr: expect.stringContaining("the token may not assume this identity") }]);
  });
});

describe("gitlab-ci.yaml", () => {
  const job = () => parse(read("gitlab-ci.yaml")).repos;

  /** GitLab runs the lines of a script in one shell. */
  async function runJob(claims: Readonly<Record<string, unknown>>): Promise<Ran> {
    const aud = job().id_tokens.MUSTER_SUBJECT_TOKEN.aud;
    const MUSTER_SUBJECT_TOKEN = await platform.subjectToken({ iss: gitlab, aud, ...claims });
    return run(sh, job().script.join("\n"), { ...environment("gitlab-builds"), MUSTER_SUBJECT_TOKEN });
  }

  it("lists the repos as the Identity", async () => {
    const sub = "project_path:example/shop:ref_type:branch:ref:main";
    const { code, stdout, stderr } = await runJob({ sub, project_id: "12345678", ref_protected: "true" });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(stdout).repos).toMatchObject([{ name: platform.repo }]);
  });

  it("fails with the reason of the platform on a branch that is not protected", async () => {
    const sub = "project_path:example/shop:ref_type:branch:ref:feature";
    const ran = await runJob({ sub, project_id: "12345678", ref_protected: "false" });
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining("the token may not assume this identity") });
  });
});

describe("other-cluster.yaml", () => {
  it("lists the repos as the Identity, with the agent and the container of the pod", async () => {
    const { volumes, initContainers, containers } = parse(read("other-cluster.yaml")).spec;
    const { audience: aud } = volumes[0].projected.sources[0].serviceAccountToken;
    const sub = "system:serviceaccount:shop:checkout";
    const file = join(platform.folder, "pod-token");
    writeFileSync(join(platform.folder, "projected"), await platform.subjectToken({ iss: otherCluster, sub, aud }));

    const [{ args, env }] = initContainers;
    const values: Readonly<Record<string, string>> = {
      ...environment("checkout-west"),
      MUSTER_API_AUDIENCE: platform.url,
    };
    const agent = new MusterProcess(args, {
      env: {
        ...Object.fromEntries(env.map(({ name }: { readonly name: string }) => [name, values[name] ?? "missing"])),
        // The paths of the manifest are the defaults.
        MUSTER_SUBJECT_TOKEN_FILE: join(platform.folder, "projected"),
        MUSTER_TOKEN_FILE: file,
      },
    });
    await agent.logged("token renewed");
    await agent.stop();

    const [container] = containers;
    const variables = { MUSTER_PLATFORM_URL: platform.url, MUSTER_TOKEN_FILE: file };
    expect(container.env.map(({ name }: { readonly name: string }) => name).toSorted()).toEqual(
      Object.keys(variables).toSorted(),
    );
    const { code, stdout } = await run(container.command, container.args[0], variables);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).repos).toMatchObject([{ name: platform.repo }]);
  });
});

describe("the examples for AWS", () => {
  const missing = spawnSync("python3", ["--version"]).status !== 0;
  if (missing) process.stderr.write("SKIPPED examples/workloads/aws*: python3 is not installed\n");
  let env: Readonly<Record<string, string>>;
  beforeAll(async () => {
    const { awsIdentity } = identityDefinition.specSchema.parse(parse(read("aws-identity.yaml")).spec);
    const identity = await platform.createIdentity("aws-builds", { awsIdentity });
    env = { ...environment(identity), MUSTER_IDENTITY: identity, ...awsCredentials, PYTHONDONTWRITEBYTECODE: "1" };
  });
  const as = (role: string) => {
    const Arn = `arn:aws:sts::123456789012:assumed-role/${role}/i-0123456789abcdef0`;
    sts.principal = { Account: "123456789012", Arn, UserId: "AROAEXAMPLEEXAMPLE123:i-0123456789abcdef0" };
  };

  it.skipIf(missing)("aws-exchange.sh prints a token of the platform, with curl and Python", async () => {
    as("shop-builder");
    const { code, stdout, stderr } = await run(sh, join(examples, "aws-exchange.sh"), env);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(await platform.repos(stdout.trim())).toEqual([platform.repo]);
  });

  it.skipIf(missing)("aws-exchange.sh fails with the reason of the platform as another role", async () => {
    as("other");
    const ran = await run(sh, join(examples, "aws-exchange.sh"), env);
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining("the token may not assume this identity") });
  });

  it.skipIf(missing)("aws_lambda.py lists the repos, in a function", async () => {
    as("shop-builder");
    const call = `cd '${examples}' && python3 -c 'import aws_lambda; print(aws_lambda.handler({}, None))'`;
    expect(await run(sh, call, env)).toEqual({ code: 0, stdout: `['${platform.repo}']\n`, stderr: "" });
  });
});

describe("reading the file of the token", () => {
  const file = () => join(platform.folder, "token");
  beforeAll(async () => {
    const sub = "system:serviceaccount:shop:checkout";
    const subject = await platform.subjectToken({ iss: otherCluster, sub, aud: audience });
    const query = new URLSearchParams({ aud: platform.url, identity: identities.get("checkout-west") ?? "" });
    const headers = { authorization: `Bearer ${subject}` };
    const response = await fetch(`${platform.url}/sts/exchange?${query.toString()}`, { headers });
    const { token } = (await response.json()) as { readonly token: string };
    writeFileSync(file(), token);
  });

  const { key, certificate } = selfSignedCertificate();
  const authorities = () => join(platform.folder, "authorities.pem");
  const renewed = () => join(platform.folder, "renewed");
  /** A platform with a certificate of an authority of its own. When it refuses the token `ended`, the file gets another one. */
  const withTls = createTlsServer({ key, cert: certificate }, ({ headers }, response) => {
    if (headers.authorization === "Bearer ended") {
      writeFileSync(renewed(), "renewed");
      response.writeHead(401).end();
      return;
    }
    response.writeHead(headers.authorization === "Bearer renewed" ? 200 : 403);
    response.end(JSON.stringify({ repos: [{ name: platform.repo }] }));
  });
  beforeAll(async () => {
    writeFileSync(authorities(), certificate);
    await listenOnLoopback(withTls);
  });
  afterAll(() => {
    withTls.close();
  });

  const languages = [
    { tool: "curl", version: ["--version"], command: ["sh", "list-repos.sh"], required: true, repeats: false },
    { tool: process.execPath, version: ["--version"], command: [process.execPath, "list-repos.mjs"], required: true },
    { tool: "python3", version: ["--version"], command: ["python3", "list_repos.py"] },
    { tool: "go", version: ["version"], command: ["go", "run", "list_repos.go"] },
    { tool: "java", version: ["--version"], command: ["java", "ListRepos.java"] },
  ];
  for (const { tool, version, command, required = false, repeats = true } of languages) {
    const [program = "", ...args] = command;
    const name = args.at(-1) ?? "";
    const missing = !(required && process.env["CI"] === "true") && spawnSync(tool, version).status !== 0;
    if (missing) process.stderr.write(`SKIPPED examples/workloads/${name}: ${tool} is not installed\n`);
    /** @returns the names of the repos that the program lists */
    const list = async (variables: Readonly<Record<string, string>>): Promise<readonly string[]> => {
      // Go compiles its standard library once, which takes a minute: into the cache that is kept between runs.
      const go = { GOCACHE: join(cacheFolder(), "go-build"), CGO_ENABLED: "0" };
      const env = { ...process.env, ...go, ...variables };
      const { stdout } = await promisify(execFile)(program, args, { cwd: examples, env });
      // Two of the examples print the response, the others names.
      if (!stdout.startsWith("{")) return [stdout.trim()];
      return JSON.parse(stdout).repos.map((repo: { readonly name: string }) => repo.name);
    };

    it.skipIf(missing)(`${name} lists the repos`, async () => {
      const listed = await list({ MUSTER_TOKEN_FILE: file(), MUSTER_PLATFORM_URL: platform.url });
      expect(listed).toEqual([platform.repo]);
    });

    it.skipIf(missing)(
      `${name} trusts MUSTER_PLATFORM_CA${repeats ? ", and repeats once after 401" : ""}`,
      async () => {
        writeFileSync(renewed(), repeats ? "ended" : "renewed");
        const listed = await list({
          MUSTER_TOKEN_FILE: renewed(),
          MUSTER_PLATFORM_URL: `https://127.0.0.1:${portOf(withTls)}`,
          MUSTER_PLATFORM_CA: authorities(),
          // As the guide says for Node.js.
          NODE_EXTRA_CA_CERTS: authorities(),
        });
        expect(listed).toEqual([platform.repo]);
      },
    );
  }
});

describe("the guides", () => {
  const guide = (name: string) =>
    readFileSync(fileURLToPath(new URL(`../../docs/how-to/${name}`, import.meta.url)), "utf8");

  it.each([
    ["ci-identities.md", ["github-actions.yaml", "gitlab-ci.yaml"]],
    ["aws-identities.md", ["aws-identity.yaml"]],
    ["use-the-token.md", ["list-repos.sh", "list-repos.mjs", "list_repos.py", "list_repos.go", "ListRepos.java"]],
  ])("%s shows the files as they are tested", (name, files) => {
    for (const file of files) expect(guide(name)).toContain(`\n${read(file)}\`\`\`\n`);
  });

  it.each([
    ["ci-identities.md", ["other-cluster.yaml"]],
    ["aws-identities.md", ["aws_subject_token.py", "aws-exchange.sh", "aws_lambda.py"]],
  ])("%s leads to the other files that are tested", (name, files) => {
    for (const file of files) expect(guide(name)).toContain(`](../../examples/workloads/${file})`);
  });

  it("ci-identities.md shows each Identity", () => {
    const manifests = read("identities.yaml").split("---\n").slice(1);
    expect(manifests).toHaveLength(identities.size);
    for (const manifest of manifests) expect(guide("ci-identities.md")).toContain(`\n${manifest}\`\`\`\n`);
  });
});
