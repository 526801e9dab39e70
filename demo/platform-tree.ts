import { withoutMarker } from "#test/support/harness/comparison.ts";
import type { PlatformAdmin, PlatformResource } from "#test/support/harness/platform-admin.ts";
import type { Screen } from "./screen.ts";

/** The platform's groups below a group with their role bindings and identities, as lines of a tree. */
export async function platformTree(platform: PlatformAdmin, root: string, screen: Screen): Promise<string[]> {
  const [groups, identities, bindings] = await Promise.all(
    (["groups", "identities", "roleBindings"] as const).map((collection) => platform.list(collection, root)),
  );
  const childrenOf = (resources: readonly PlatformResource[] | undefined, parent: string) =>
    (resources ?? [])
      .filter(({ uid }) => uid.slice(0, uid.lastIndexOf("/")) === parent)
      .toSorted((a, b) => a.name.localeCompare(b.name));
  const dim = (text: string) => (text === "" ? "" : screen.paint("dim", text));

  const linesOf = (group: PlatformResource): string[] => {
    const children = [
      ...childrenOf(bindings, group.uid).map((binding) => [
        `${screen.paint("magenta", "role")} ${binding["role"]?.name} ${dim("for")} ${binding["identity"]?.name}`,
      ]),
      ...childrenOf(identities, group.uid).map((identity) => [
        `${screen.paint("yellow", "identity")} ${identity.name}  ${dim((identity["claimMatch"] ?? identity["staticKeys"])?.subject ?? "")}`,
      ]),
      ...childrenOf(groups, group.uid).map(linesOf),
    ];
    const branches = children.flatMap((lines, index) => {
      const isLast = index === children.length - 1;
      return lines.map((line, number) => `${number === 0 ? (isLast ? "└─ " : "├─ ") : isLast ? "   " : "│  "}${line}`);
    });
    const title = `${screen.paint("bold", group.name)}  ${dim(withoutMarker(group.description))}`;
    return [title.trimEnd(), ...branches];
  };
  return linesOf(await platform.get("groups", root));
}
