/**
 * What the page of a report does in a browser: the tree, which the keyboard can use as the ARIA practices describe, and the
 * filter. It reads the page and makes no HTML. Without it, the page shows everything.
 */
export const reportPageScript = `
"use strict";
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const byId = (id) => document.getElementById(id);
const tree = byId("tree");
const items = all("li", tree);
const parentOf = (item) => item.parentElement.closest("#tree li");
const groupOf = (item) => item.querySelector(".group");
const listIn = (item) => item.querySelector("ul");
const rows = all("tbody tr").map((row) => ({
  row,
  text: row.textContent.toLowerCase(),
  group: items[Number(row.dataset.group)],
  capabilities: new Set((byId(row.dataset.role).dataset.capabilities || "").split(" ")),
  declared: row.dataset.declared,
}));
const isAbove = (upper, lower) => {
  for (let item = lower; item; item = parentOf(item)) if (item === upper) return true;
  return false;
};

// The style lays the table out as a grid, so that a browser can leave out rows that are not on the screen.
const roles = { table: "table", thead: "rowgroup", tbody: "rowgroup", tr: "row", th: "columnheader", td: "cell" };
for (const [name, role] of Object.entries(roles)) for (const one of all(name)) one.setAttribute("role", role);
tree.setAttribute("role", "tree");
for (const list of all("ul", tree)) list.setAttribute("role", "group");
for (const item of items) {
  item.setAttribute("role", "treeitem");
  item.setAttribute("aria-labelledby", groupOf(item).id);
  item.tabIndex = -1;
  if (listIn(item)) expand(item, items.length <= 100 || item.dataset.reach === "above" || item.dataset.reach === "here");
}
const start = items.find((item) => item.dataset.reach === "here");
let chosen = start;
start.tabIndex = 0;

function expand(item, open) {
  item.setAttribute("aria-expanded", String(open));
  listIn(item).hidden = !open;
}

function focusOn(item) {
  if (!item) return;
  for (const other of items) other.tabIndex = -1;
  item.tabIndex = 0;
  item.focus();
}

function choose(item) {
  chosen = item;
  filter();
}

tree.addEventListener("click", (event) => {
  const item = event.target.closest("li");
  if (!item) return;
  focusOn(item);
  if (listIn(item) && (item === chosen || event.offsetX < 24)) expand(item, item.getAttribute("aria-expanded") !== "true");
  choose(item);
});
tree.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const item = event.target.closest("li");
  const shown = items.filter((one) => one.offsetParent !== null);
  const at = shown.indexOf(item);
  const isOpen = item.getAttribute("aria-expanded");
  const actions = {
    ArrowDown: () => focusOn(shown[at + 1]),
    ArrowUp: () => focusOn(shown[at - 1]),
    Home: () => focusOn(shown[0]),
    End: () => focusOn(shown.at(-1)),
    ArrowRight: () => (isOpen === "false" ? expand(item, true) : isOpen === "true" && focusOn(shown[at + 1])),
    ArrowLeft: () => (isOpen === "true" ? expand(item, false) : focusOn(parentOf(item))),
    Enter: () => choose(item),
    " ": () => choose(item),
  };
  const action = actions[event.key];
  if (!action) return;
  event.preventDefault();
  action();
});

function filter() {
  const words = byId("find").value.toLowerCase().split(/\\s+/).filter(Boolean);
  const capability = byId("capability").value;
  const reach = byId("reach").value;
  const undeclared = byId("undeclared").value === "undeclared";
  const applies = (group) =>
    group === chosen || (reach !== "here" && isAbove(group, chosen)) || (reach === "all" && isAbove(chosen, group));
  const groups = new Set(items.filter(applies));
  let count = 0;
  for (const one of rows) {
    const isShown =
      groups.has(one.group) &&
      // What is unknown may be what the filter asks for.
      (!undeclared || one.declared !== "declared") &&
      (capability === "" || one.capabilities.has(capability) || one.capabilities.has("unknown")) &&
      words.every((word) => one.text.includes(word));
    one.row.hidden = !isShown;
    count += Number(isShown);
  }
  for (const item of items) item.setAttribute("aria-selected", String(item === chosen));
  const path = groupOf(chosen).dataset.path;
  byId("shown").textContent =
    (count === rows.length ? "All " + count : count + " of " + rows.length) + " role bindings" +
    (chosen === start ? "" : ", for " + path);
  byId("nothing").hidden = count > 0;
}

byId("filter").hidden = false;
for (const control of all("#filter input, #filter select")) control.addEventListener("input", filter);
byId("clear").addEventListener("click", () => {
  for (const control of all("#filter input, #filter select")) control.value = control.defaultValue || "";
  byId("reach").value = "all";
  focusOn(start);
  choose(start);
  byId("find").focus();
});
filter();
`;
