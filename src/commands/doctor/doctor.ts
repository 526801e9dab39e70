import { type CommandContext, CommandFailure, defineCommand } from "#src/commands/command.ts";
import { type AnswerText, formatAnswer } from "#src/commands/output/answer-format.ts";
import { type Note, noteAfter, noteText } from "#src/commands/output/note.ts";
import { clusterConnection } from "#src/commands/reader/cluster-connection.ts";
import { ClusterReads } from "#src/commands/reader/cluster-reads.ts";
import { type OperatorPlace, operatorPlaces } from "#src/commands/reader/operator-place.ts";
import { type PodIdentity, podIdentityOf } from "#src/commands/reader/pod-identity.ts";
import { type Link, linkValue } from "#src/commands/why/link.ts";
import { kinds } from "#src/kinds/kinds.ts";
import { KubeClient } from "#src/kube/client.ts";
import type { KubeConnection } from "#src/kube/config.ts";
import { oneLine } from "#src/telemetry/one-line.ts";
import { systemClock as clock } from "#src/time/clock.ts";
import { bundleText, writeBundle } from "./bundle.ts";
import { clusterLinks } from "./cluster-links.ts";
import { operatorLinks } from "./operator-links.ts";
import { platformLinks } from "./platform-links.ts";
import { doctorInPod } from "./doctor-in-pod.ts";
import { doctorSettings, type DoctorValues } from "./settings.ts";

const hasProblems = 3;

export default defineCommand({
  summary: "check an installation, and print how to fix what is wrong",
  description: `Checks the configuration, the token and its exchange, capabilities, RBAC, CRDs and policies, clocks, the owner id, the Lease, proxies and certificate authorities. It changes nothing: it reads, and tries the policies with requests that the API server only checks (dryRun). It sees most in the operator's pod, where it uses the operator's settings and identity:
  ${doctorInPod({ namespace: "muster-system", name: "muster-operator" })}
Elsewhere, it uses your kubeconfig and your login:
  muster doctor --identity UID --root-group UID
  muster doctor --bundle muster.json
What you may not read is unknown. The exit code is 0 if nothing is wrong with what could be checked, 3 if something is, and 1 after a failure. To ask only whether the operator is ready and can get a token, for example in a probe, use muster operator check.`,
  settings: doctorSettings,
  run: async (values, context) => {
    const { connection, cluster, kube, close, problem } = await openCluster(values, context);
    try {
      const inPod = podIdentityOf(values, context);
      const operator = operatorPlaces(values, inPod, connection?.namespace)(values.class ?? "");
      const links = [
        ...(await allLinks(values, context, { cluster, kube, inPod, operator })),
        ...(problem === undefined ? [] : [problem]),
      ];
      if (values.bundle !== undefined)
        writeBundle(values.bundle, await bundleText({ links, cluster, kinds, now: clock.now() }));
      const isWrong = links.some(({ state }) => state === "problem");
      const healthy = !isWrong && links.some(({ state }) => state === "ok");
      const answer = { healthy, checks: links.map(linkValue) };
      const elsewhere = inPod === undefined ? operator : undefined;
      context.stdout.write(
        await formatAnswer(values.output, answer, textOf(links, elsewhere), context.terminal.tableColumns),
      );
      if (values.bundle !== undefined)
        context.stderr.write(`muster: wrote ${values.bundle}. Read it before you send it to somebody.\n`);
      if (isWrong) throw new CommandFailure(headingOf(links), hasProblems);
    } finally {
      await close();
    }
  },
});

interface OpenedCluster {
  readonly connection: KubeConnection | undefined;
  readonly cluster: ClusterReads | undefined;
  readonly kube: KubeClient | undefined;
  readonly close: () => Promise<void>;
  /** Why there is no cluster. */
  readonly problem?: Link;
}

async function openCluster(values: DoctorValues, { env, signal }: CommandContext): Promise<OpenedCluster> {
  try {
    const connection = await clusterConnection(values, env);
    const kube = new KubeClient({ connection, clock, connections: 4, deadlineMs: values.timeout });
    return { connection, kube, cluster: new ClusterReads(kube, signal), close: () => kube.close() };
  } catch (error) {
    signal.throwIfAborted();
    const message = oneLine(error instanceof Error ? error.message : String(error));
    const base = { link: "Kubernetes", subject: "the cluster" };
    const problem: Link = { ...base, state: "problem", message, fix: "Correct --kubeconfig or --context." };
    return { connection: undefined, kube: undefined, cluster: undefined, close: async () => undefined, problem };
  }
}

interface Checked extends Pick<OpenedCluster, "cluster" | "kube"> {
  readonly inPod: PodIdentity | undefined;
  readonly operator: OperatorPlace;
}

async function allLinks(
  values: DoctorValues,
  context: CommandContext,
  { cluster, kube, inPod, operator }: Checked,
): Promise<readonly Link[]> {
  const own = inPod === undefined ? [] : await operatorLinks(inPod, values, context);
  const platform = await platformLinks(values, context, { kinds, operator, cluster });
  if (cluster === undefined || kube === undefined) return [...own, ...platform];
  const isOperator = inPod !== undefined;
  const now = clock.now();
  return [
    ...own,
    ...platform,
    ...(await clusterLinks({
      cluster,
      kube,
      signal: context.signal,
      kinds,
      operator,
      class: values.class ?? "",
      isOperator,
      now,
    })),
  ];
}

const marks = { ok: "pass", problem: "FAIL", unknown: "unknown" } as const;

/** @param operator where to ask for the rest; undefined in its own pod */
function textOf(links: readonly Link[], operator: OperatorPlace | undefined): AnswerText {
  return {
    heading: headingOf(links),
    table: {
      titles: ["", "CHECK", "SUBJECT", "RESULT"],
      rows: links.map(({ link, message, state, subject }) => [marks[state], link, subject, message]),
    },
    notes: [
      ...fixesOf(links),
      ...(operator === undefined
        ? []
        : [
            {
              text: "The operator's configuration, its token and the exchange are checked in its pod:",
              command: doctorInPod(operator),
            },
          ]),
    ],
  };
}

/** What to do, once for all lines of which it is true. */
function fixesOf(links: readonly Link[]): readonly Note[] {
  const lines = new Map<string, { readonly fix: Note; readonly named: readonly string[] }>();
  for (const { fix, link, state, subject } of links)
    if (state !== "ok" && fix !== undefined) {
      const key = noteText(fix);
      lines.set(key, { fix, named: [...(lines.get(key)?.named ?? []), `${link} (${subject})`] });
    }
  return [...lines.values()].map(({ fix, named }) => noteAfter(`Fix of ${named.join(", ")}:`, fix));
}

function headingOf(links: readonly Link[]): string {
  const count = (state: Link["state"]) => links.filter((link) => link.state === state).length;
  return `${count("ok")} passed, ${count("problem")} failed, ${count("unknown")} unknown.`;
}
