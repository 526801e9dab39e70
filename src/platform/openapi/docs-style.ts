/** The look of the page: the reader's own fonts, light or dark as the reader has it. */
export const docsStyle = `
:root{--ground:#fff;--raised:#f5f6f8;--line:#d9dce1;--text:#1b1f24;--quiet:#59636e;--link:#0a58ca}
@media(prefers-color-scheme:dark){:root{--ground:#14171b;--raised:#1d2126;--line:#343a42;--text:#e3e6ea;--quiet:#9aa4af;--link:#7db4ff}}
*{box-sizing:border-box}
body{margin:0;display:grid;grid-template-columns:15rem minmax(0,1fr);background:var(--ground);color:var(--text);font:16px/1.55 system-ui,sans-serif}
nav{position:sticky;top:0;height:100vh;overflow:auto;padding:1.5rem;border-right:1px solid var(--line);background:var(--raised)}
nav ul{list-style:none;margin:1rem 0 0;padding:0}nav li{margin:.35rem 0}
main{max-width:64rem;padding:1.5rem 2.5rem 6rem}
h1{margin-top:0}h1 small{color:var(--quiet);font-weight:400}h2{margin:2.5rem 0 .75rem}
a{color:var(--link);text-decoration:none}a:hover{text-decoration:underline}
code{font:.875em ui-monospace,monospace;overflow-wrap:anywhere}
details{border:1px solid var(--line);border-radius:.5rem;margin:.5rem 0;padding:0 1rem}
details:target{border-color:var(--link)}
summary{cursor:pointer;padding:.6rem 0}summary span{color:var(--quiet);float:right}
details.values{border:0;margin:0;padding:0}details.values summary{padding:0}
.method{display:inline-block;min-width:4.5rem;margin-right:.5rem;padding:.1rem .5rem;border-radius:.35rem;text-align:center;font-size:.75rem;color:#fff;background:#5a6472}
.method.get{background:#1c6b45}.method.post{background:#1858a8}.method.patch,.method.put{background:#8a5a00}.method.delete{background:#a82a2a}
.scroll{overflow-x:auto}table{border-collapse:collapse;width:100%;margin:.25rem 0 .75rem}
th,td{border-top:1px solid var(--line);padding:.4rem .75rem .4rem 0;text-align:left;vertical-align:top}th{font-weight:400}
td i{color:var(--quiet);margin-right:.35rem}
@media(max-width:48rem){body{display:block}nav{position:static;height:auto;border:0;border-bottom:1px solid var(--line)}main{padding:1.5rem 1rem 4rem}summary span{float:none;display:block}}
`;
