// Runs before the page is shown, so that a chosen theme does not flash. Without a choice, the system decides.
(() => {
  let theme = null;
  try {
    theme = localStorage.getItem("muster-theme");
  } catch {
    // Storage can be forbidden: then the choice lasts for one page.
  }
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
})();
