import type { DescMessage, DescService } from "@bufbuild/protobuf";
import type { DescriptorProto, EnumDescriptorProto, FileDescriptorProto } from "@bufbuild/protobuf/wkt";
import { SecurityTokenService } from "#src/platform/gen/muster/platform/oidc/security_token_service_pb.ts";
import { collections } from "../../client/collections.ts";
import type { Reflection } from "../../client/reflection.ts";
import { equal, has, holds, Mismatch } from "../../expect.ts";
import { decidedSection, overGrpc, requirement } from "../../requirement.ts";

const services: readonly DescService[] = [
  ...Object.values(collections).map(({ service }) => service),
  SecurityTokenService,
];

/** Fields from this number on are additions of this project's platform. */
const firstOwnField = 101;

/** The files that describe a service, including the vendor's files that they import. */
async function filesOf(reflection: Reflection, service: string): Promise<readonly FileDescriptorProto[]> {
  const vendor = service.slice(0, service.indexOf("."));
  const files = new Map<string, FileDescriptorProto>();
  const wanted: string[] = [];
  const keep = (found: readonly FileDescriptorProto[]) => {
    for (const file of found) {
      if (!files.has(file.name) && file.package.startsWith(`${vendor}.`)) wanted.push(...file.dependency);
      files.set(file.name, file);
    }
  };
  keep(await reflection.filesOf(service));
  for (let name = wanted.pop(); name !== undefined; name = wanted.pop())
    if (!files.has(name)) keep(await reflection.file(name));
  return [...files.values()];
}

/** Messages by their full names, including nested ones. */
function messagesOf(files: readonly FileDescriptorProto[]): ReadonlyMap<string, DescriptorProto> {
  const messages = new Map<string, DescriptorProto>();
  const add = (message: DescriptorProto, scope: string) => {
    const name = `${scope}.${message.name}`;
    messages.set(name, message);
    for (const nested of message.nestedType) add(nested, name);
  };
  for (const file of files) for (const message of file.messageType) add(message, file.package);
  return messages;
}

/** The numbers of an enum's values, by enum and value: `muster.capabilities.Capability.CAP_REPO_LIST`. */
function valuesOf(files: readonly FileDescriptorProto[]): ReadonlyMap<string, number> {
  const values = new Map<string, number>();
  const add = (enums: readonly EnumDescriptorProto[], scope: string) => {
    for (const { name, value } of enums)
      for (const one of value) values.set(`${scope}.${name}.${one.name}`, one.number);
  };
  for (const file of files) add(file.enumType, file.package);
  for (const [name, { enumType }] of messagesOf(files)) add(enumType, name);
  return values;
}

/** The messages of a service's Lists, or of all methods of the token service, including those of their fields. */
function messagesUsedBy(service: DescService): ReadonlySet<DescMessage> {
  const used = new Set<DescMessage>();
  const add = (message: DescMessage) => {
    if (used.has(message) || !message.typeName.startsWith("muster.")) return;
    used.add(message);
    for (const field of message.fields) if (field.message !== undefined) add(field.message);
  };
  for (const method of service.methods)
    if (service === SecurityTokenService || method.name.startsWith("List")) {
      add(method.input);
      add(method.output);
    }
  return used;
}

/** Server reflection, and the names and numbers on the wire that it describes. */
export const reflection = decidedSection("Server reflection", [
  requirement(
    "reflection.services",
    "Server reflection, `v1` and `v1alpha`, is available without a token and lists every service.",
    overGrpc("every service", async ({ grpc, target }) => {
      const wanted = services.map(({ typeName }) => typeName.replace(/^muster\./, `${target.vendor}.`));
      for (const version of ["v1", "v1alpha"] as const) {
        const names = await grpc.as(undefined).reflection(version).services();
        equal(
          wanted.filter((name) => !names.includes(name)),
          [],
          `the services that ${version} does not list`,
        );
      }
    }),
    overGrpc("reflection and health", async ({ grpc }) => {
      const names = await grpc.reflection("v1").services();
      for (const name of ["grpc.health.v1.Health", "grpc.reflection.v1.ServerReflection"])
        holds(names.includes(name), "the services", `${name} among them`, names);
    }),
  ),
  requirement(
    "reflection.files",
    "It describes the methods of every service.",
    overGrpc(async ({ grpc, target }) => {
      const { typeName } = collections.groups.service;
      const name = typeName.replace(/^muster\./, `${target.vendor}.`);
      for (const version of ["v1", "v1alpha"] as const) {
        const files = await filesOf(grpc.reflection(version), name);
        const service = files.flatMap((file) =>
          file.service.filter((descriptor) => `${file.package}.${descriptor.name}` === name),
        )[0];
        const methods = service?.method.map((method) => method.name) ?? [];
        for (const verb of ["ListGroups", "GetGroup", "CreateGroup", "UpdateGroup", "DeleteGroup"])
          holds(methods.includes(verb), `the methods of ${name}`, `${verb} among them`, methods);
      }
    }),
  ),
  requirement(
    "reflection.wire",
    "Messages have the fields, numbers, types and enums that clients of this family of APIs use.",
    ...(services.map((service) =>
      overGrpc(service.name, async ({ grpc, target }) => {
        const renamed = (name: string) => name.replace(/^(\.?)muster\./, `$1${target.vendor}.`);
        const files = await filesOf(grpc.reflection("v1"), renamed(service.typeName));
        const [messages, values] = [messagesOf(files), valuesOf(files)];
        for (const { typeName, fields } of messagesUsedBy(service)) {
          const message = messages.get(renamed(typeName));
          if (message === undefined) throw new Mismatch("the messages", `${renamed(typeName)} among them`, "not");
          for (const { name, proto, enum: desc } of fields) {
            if (proto.number >= firstOwnField) continue;
            const { number, type, label } = proto;
            const found = message.field.find((field) => field.name === name);
            has(found, { number, type, label, typeName: renamed(proto.typeName) }, `${typeName}.${name}`);
            for (const value of desc?.values ?? [])
              equal(
                values.get(`${renamed(desc?.typeName ?? "")}.${value.name}`),
                value.number,
                `the number of ${value.name}`,
              );
          }
        }
      }),
    ) as [ReturnType<typeof overGrpc>, ...ReturnType<typeof overGrpc>[]]),
  ),
]);
