import { getPriority, setPriority } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Abuse } from "../abuse-kind.ts";
import { abuseKinds } from "../kinds.ts";
import { Abuser } from "./abuser.ts";
import { HostileIssuers } from "./hostile-issuers.ts";
import type { AbuserMessage, AbuserRequest } from "./protocol.ts";

/** How long the abuse may take to end (ms). */
const grace = 2_000;

// The bystander runs on the same core and comes first.
setPriority(getPriority() + 10);
// An abuser does not care about what happens to its connections.
process.on("uncaughtException", (error) =>
  abuser?.count(`abuser: ${(error as NodeJS.ErrnoException).code ?? error.message}`),
);
const send = (message: AbuserMessage) => process.send?.(message);
const issuers = await HostileIssuers.start(join(process.argv[2] ?? "", "hostile-issuers.pem"));
let abuser: Abuser | undefined;
let start: Abuse | undefined;
let running: Promise<void> = Promise.resolve();
/** Before the abuse. */
let cpuBefore: NodeJS.CpuUsage | undefined;
const ended = new AbortController();
process.on("message", (request: AbuserRequest) => void handle(request));
send({ type: "issuers", urls: issuers.urls, certificate: issuers.certificate });

async function handle(request: AbuserRequest): Promise<void> {
  switch (request.type) {
    case "prepare": {
      const kind = abuseKinds.find(({ name }) => name === request.kind);
      if (kind === undefined) throw new Error(`unknown kind ${request.kind}`);
      try {
        abuser = await Abuser.start(request.origin, request.tenants, issuers);
        start = await kind.prepare(abuser);
      } catch (error) {
        process.stderr.write(`preparing ${kind.name}: ${(error as Error).stack}\n`);
        process.exit(1);
      }
      return void send({ type: "prepared" });
    }
    case "abuse":
      cpuBefore = process.cpuUsage();
      running = (start as Abuse)(ended.signal).catch((error: Error) => {
        if (!ended.signal.aborted) process.stderr.write(`the abuse failed: ${error.stack}\n`);
      });
      return;
    case "end": {
      const { user, system } = process.cpuUsage(cpuBefore);
      ended.abort();
      await Promise.race([running, sleep(grace)]);
      send({ type: "tally", counts: abuser?.counts ?? {}, cpuMilliseconds: (user + system) / 1_000 });
    }
  }
}
