// How the sections of all pages are searched: for site.js, and for the test that searches without a browser. It needs
// minisearch.js and search-index.js.

/** Loads the index. Returns the function that finds the sections for words, the best first. */
globalThis.loadSearch = () => {
  const { options, index } = globalThis.musterSearch;
  const sections = globalThis.MiniSearch.loadJSON(index, options);
  return (words) =>
    sections.search(words, {
      prefix: true,
      fuzzy: (term) => (term.length > 4 ? 0.15 : 0),
      combineWith: "AND",
      boost: { keywords: 8, heading: 4, title: 2 },
      boostDocument: (_id, _term, { weight }) => weight,
    });
};
