// Search, theme, navigation on small screens, and buttons that copy code. The pages can be read without it.
const root = document.documentElement.dataset.root ?? "";

const theme = document.querySelector("#theme");
theme.addEventListener("click", () => {
  const { dataset } = document.documentElement;
  const shown = dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  dataset.theme = shown === "dark" ? "light" : "dark";
  try {
    localStorage.setItem("muster-theme", dataset.theme);
  } catch {
    // As in theme.js.
  }
});

const menu = document.querySelector("#menu");
menu.addEventListener("click", () => {
  const isOpen = document.body.classList.toggle("menu-open");
  menu.setAttribute("aria-expanded", String(isOpen));
});

for (const block of document.querySelectorAll("div.code")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  button.addEventListener("click", () => void copy(block, button));
  block.append(button);
}

async function copy(block, button) {
  try {
    await navigator.clipboard.writeText(block.querySelector("code").textContent);
    button.textContent = "Copied";
  } catch {
    // Where the clipboard is not available, as on http: select the text for Ctrl-C.
    getSelection().selectAllChildren(block.querySelector("code"));
    button.textContent = "Selected";
  }
  setTimeout(() => (button.textContent = "Copy"), 2_000);
}

const input = document.querySelector("#search");
const list = document.querySelector("#results");
let loading;
let selected = -1;

input.addEventListener("focus", () => void load());
input.addEventListener("input", () => void search());
input.addEventListener("keydown", (event) => {
  const links = list.querySelectorAll("a");
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    select((selected + (event.key === "ArrowDown" ? 1 : links.length - 1) + links.length) % (links.length || 1));
  } else if (event.key === "Enter") {
    (links[selected] ?? links[0])?.click();
  } else if (event.key === "Escape") {
    input.value = "";
    close();
  }
});
document.addEventListener("keydown", (event) => {
  const isTyping = /^(?:INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
  if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  input.focus();
});
document.addEventListener("click", (event) => {
  if (!event.target.closest(".search")) close();
});
// `#search=WORDS` opens the page with results, for links to a search.
const asked = /^#search=(.+)$/.exec(location.hash)?.[1];
if (asked !== undefined) {
  input.value = decodeURIComponent(asked);
  void search();
}

/** Loads the index once, when somebody is about to search: it is larger than any page. */
function load() {
  loading ??= (async () => {
    await Promise.all(["minisearch.js", "search-index.js", "search.js"].map(loadScript));
    return globalThis.loadSearch();
  })();
  return loading;
}

function loadScript(name) {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = `${root}assets/${name}`;
    script.addEventListener("load", resolve);
    script.addEventListener("error", () => reject(new Error(`${script.src} cannot be loaded`)));
    document.head.append(script);
  });
}

async function search() {
  const words = input.value.trim();
  if (words === "") return close();
  const find = await load();
  if (input.value.trim() !== words) return;
  const found = find(words);
  list.replaceChildren(...(found.length === 0 ? [nothing(words)] : found.slice(0, 12).map(result)));
  list.hidden = false;
  input.setAttribute("aria-expanded", "true");
  selected = -1;
}

function result({ url, title, heading, excerpt }, place) {
  const item = document.createElement("li");
  item.id = `result-${place}`;
  item.role = "option";
  const link = document.createElement("a");
  link.href = root + url;
  link.tabIndex = -1;
  const name = document.createElement("strong");
  name.textContent = heading === title ? title : `${title} › ${heading}`;
  const text = document.createElement("span");
  text.textContent = excerpt;
  link.append(name, text);
  link.addEventListener("click", close);
  item.append(link);
  return item;
}

function nothing(words) {
  const item = document.createElement("li");
  item.className = "nothing";
  item.textContent = `Nothing found for “${words}”`;
  return item;
}

function select(place) {
  selected = place;
  list.querySelectorAll("li").forEach((item, number) => {
    item.setAttribute("aria-selected", String(number === place));
    if (number === place) item.scrollIntoView({ block: "nearest" });
  });
  input.setAttribute("aria-activedescendant", `result-${place}`);
}

function close() {
  list.hidden = true;
  selected = -1;
  input.setAttribute("aria-expanded", "false");
  input.removeAttribute("aria-activedescendant");
}

// Paper shows every section of the navigation's page, and no closed details.
addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll("main details")) details.open = true;
});

// Scrolls the navigation to the current page.
document.querySelector('#navigation [aria-current="page"]')?.scrollIntoView({ block: "nearest" });
