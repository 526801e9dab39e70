/** The style of the page of a report: light or dark, wide or narrow, on a screen or on paper. */
export const reportPageStyle = `
:root{color-scheme:light dark;--text:#1b1f24;--quiet:#4b5563;--back:#f3f4f6;--card:#fff;--line:#d0d5dd;--strong:#6b7280;--main:#1d4ed8;--chosen:#e0e9ff;--bad:#b42318;--bad-back:#fef1f0;--warn:#7a4a00;--warn-back:#fff6e0}
@media(prefers-color-scheme:dark){:root{--text:#f3f4f6;--quiet:#b8c0cc;--back:#111418;--card:#1a1f26;--line:#343b46;--strong:#8b949e;--main:#9ec1ff;--chosen:#24344f;--bad:#ffb0a8;--bad-back:#3b1a18;--warn:#f5ce83;--warn-back:#33270f}}
*{box-sizing:border-box}
body{margin:0;background:var(--back);color:var(--text);font:.9375rem/1.45 system-ui,sans-serif;overflow-wrap:anywhere}
a{color:var(--main)}
:focus-visible{outline:3px solid var(--main);outline-offset:2px}
[hidden]{display:none!important}
.skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:1rem;padding:.5rem 1rem;background:var(--card);z-index:1}
header,main{max-width:100rem;margin:0 auto;padding:0 1.5rem}
h1{margin:1.5rem 0 .25rem;font-size:1.5rem;line-height:1.25}
h2{margin:0 0 .5rem;font-size:1rem}
p,ul{margin:.25rem 0}
.quiet,small{color:var(--quiet)}small{font-size:.8125rem}
.note{margin:1rem 0;padding:.75rem 1rem;border-left:4px solid var(--warn);background:var(--warn-back);color:var(--warn)}
.facts{display:flex;flex-wrap:wrap;gap:.75rem;margin:1rem 0;padding:0;list-style:none}
.facts li{padding:.5rem 1rem;background:var(--card);border:1px solid var(--line);border-radius:.5rem}
.facts b{display:block;font-size:1.35rem;line-height:1.2}.facts b small{font-weight:400}
.facts .bad{background:var(--bad-back);color:var(--bad);border-color:var(--bad)}
.filter{display:flex;flex-wrap:wrap;gap:.75rem 1rem;align-items:end;margin:1rem 0}
.filter label{display:block;font-weight:600;font-size:.8125rem}
.filter .find{flex:1 1 16rem}
input,select,button{font:inherit;min-height:2.5rem;width:100%;max-width:100%;margin-top:.25rem;padding:.35rem .6rem;color:inherit;background:var(--card);border:1px solid var(--strong);border-radius:.375rem}
select{max-width:18rem}
button{width:auto;cursor:pointer;color:var(--main);font-weight:600}
.columns{display:grid;grid-template-columns:minmax(14rem,20rem) minmax(0,1fr);gap:1.5rem;align-items:start}
nav,.bindings,.roles{padding:1rem;background:var(--card);border:1px solid var(--line);border-radius:.5rem}
nav{position:sticky;top:1rem;max-height:calc(100vh - 2rem);overflow:auto}
nav ul{margin:0;padding:0 0 0 1rem;list-style:none}nav>ul{padding:0}
nav li{outline:none}
.group{display:flex;gap:.5rem;align-items:baseline;justify-content:space-between;padding:.2rem .5rem;border-radius:.375rem;cursor:pointer}
.name::before{display:inline-block;width:.4rem;height:.4rem;margin-right:.6rem;vertical-align:.15rem;content:""}
[aria-expanded]>.group .name::before{border:solid var(--strong);border-width:0 2px 2px 0;transform:rotate(45deg)}
[aria-expanded=false]>.group .name::before{vertical-align:.1rem;transform:rotate(-45deg)}
[aria-selected=true]>.group{background:var(--chosen);font-weight:600}
li:focus-visible>.group{outline:3px solid var(--main);outline-offset:-1px}
table,thead,tbody{display:block}
tr{display:grid;grid-template-columns:31fr 25fr 18fr 26fr;gap:0 .75rem;padding:.6rem .75rem;border-bottom:1px solid var(--line);border-left:4px solid transparent}
thead tr{padding:.25rem .75rem .5rem;border-bottom-color:var(--strong)}
tbody tr{content-visibility:auto;contain-intrinsic-size:auto 5.5rem}
th,td{min-width:0;padding:0}
th{text-align:left;font-size:.8125rem;color:var(--quiet)}
tr.undeclared{border-left-color:var(--bad)}
td b{font-weight:600}td small{display:block}
.tag{display:inline-block;padding:0 .45rem;border:1px solid var(--strong);border-radius:1rem;font-size:.8125rem;color:var(--quiet)}
.tag.bad{color:var(--bad);background:var(--bad-back);border-color:var(--bad)}
.roles{margin:1.5rem 0}.roles dt{margin-top:.75rem;font-weight:600}.roles dd{margin:0;color:var(--quiet)}
.roles dt:target{background:var(--chosen)}
footer{margin:1.5rem 0;color:var(--quiet);font-size:.8125rem}
@media(max-width:60rem){
header,main{padding:0 1rem}
.columns{grid-template-columns:minmax(0,1fr)}
nav{position:static;max-height:18rem}
select{max-width:none}.filter>div{flex:1 1 12rem}
thead{position:absolute;left:-99rem}
tr{grid-template-columns:minmax(0,1fr);padding-right:0}
td{display:grid;grid-template-columns:4.5rem minmax(0,1fr);padding:.15rem 0}
td::before{content:attr(data-title);color:var(--quiet);font-size:.8125rem}
}
@media print{
.filter,nav,.skip{display:none!important}.columns{display:block}body{background:none}.bindings,.roles{border:0;padding:0}tbody tr{break-inside:avoid;content-visibility:visible}
}
`;
