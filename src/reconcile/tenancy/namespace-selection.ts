import type { TenantSpec } from "#src/api/tenant.ts";
import { matchesLabels } from "./label-selector.ts";

/** How a Tenant selects namespaces. */
export type NamespaceSelector = Pick<TenantSpec, "namespaces" | "namespaceSelector">;

type Labels = Readonly<Record<string, string>>;

/**
 * Which Tenants select which namespaces, kept up to date with every change of either.
 *
 * A selector needs the labels of a namespace, so that it matches no namespace that is not known. A list of names matches
 * also those.
 */
export class NamespaceSelection {
  readonly #selectors = new Map<string, NamespaceSelector>();
  readonly #labels = new Map<string, Labels>();
  /** The names of the Tenants that select a namespace, sorted; of the namespaces that are known, or were asked for. */
  readonly #selected = new Map<string, readonly string[]>();

  /** The names of the Tenants that select the namespace, sorted. */
  tenantsOf(namespace: string): readonly string[] {
    const known = this.#selected.get(namespace);
    if (known !== undefined) return known;
    const names = this.#select(namespace);
    this.#selected.set(namespace, names);
    return names;
  }

  /** The known namespaces that the Tenant selects. */
  namespacesOf(tenant: string): string[] {
    return [...this.#selected].flatMap(([namespace, names]) =>
      names.includes(tenant) && this.#labels.has(namespace) ? [namespace] : [],
    );
  }

  /**
   * Records a Tenant; undefined: it selects nothing any longer.
   * @returns the namespaces that it now selects and did not, or selected and no longer does.
   */
  setTenant(name: string, selector: NamespaceSelector | undefined): string[] {
    if (selector === undefined) this.#selectors.delete(name);
    else this.#selectors.set(name, selector);
    const changed: string[] = [];
    for (const [namespace, names] of this.#selected) {
      const selects = selector !== undefined && isSelected(selector, namespace, this.#labels.get(namespace));
      if (names.includes(name) === selects) continue;
      changed.push(namespace);
      const others = names.filter((one) => one !== name);
      this.#selected.set(namespace, selects ? [...others, name].toSorted() : others);
    }
    return changed;
  }

  /** Records the labels of a namespace; undefined: it does not exist any longer. @returns whether other Tenants select it. */
  setNamespace(namespace: string, labels: Labels | undefined): boolean {
    const before = this.tenantsOf(namespace);
    if (labels === undefined) this.#labels.delete(namespace);
    else this.#labels.set(namespace, labels);
    const after = this.#select(namespace);
    if (labels === undefined) this.#selected.delete(namespace);
    else this.#selected.set(namespace, after);
    return before.join() !== after.join();
  }

  #select(namespace: string): readonly string[] {
    const labels = this.#labels.get(namespace);
    return [...this.#selectors]
      .flatMap(([name, selector]) => (isSelected(selector, namespace, labels) ? [name] : []))
      .toSorted();
  }
}

/** @param labels undefined if they are not known. */
export function isSelected(
  { namespaces, namespaceSelector }: NamespaceSelector,
  namespace: string,
  labels: Labels | undefined,
): boolean {
  if (namespaces !== undefined) return namespaces.includes(namespace);
  return namespaceSelector !== undefined && labels !== undefined && matchesLabels(namespaceSelector, labels);
}
