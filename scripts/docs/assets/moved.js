// Leads from an address that moved to the link of its section, or to the first one.
const links = [...document.querySelectorAll("a[data-from]")];
const link = links.find(({ dataset }) => dataset.from === location.hash) ?? links[0];
location.replace(link.hash === "" ? link.href + location.hash : link.href);
