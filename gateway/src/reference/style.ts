/** The style of the reference page, for light and dark screens, wide and narrow. */
export const STYLE = `
:root{color-scheme:light dark;--text:#1c2430;--soft:#5b6675;--line:#dfe4ea;--page:#fff;--side:#f6f8fa;--code:#eef2f6;--link:#0b62c4;
--get:#0b7a4b;--post:#0b62c4;--put:#9a6100;--delete:#b3261e}
@media(prefers-color-scheme:dark){:root{--text:#e3e8ee;--soft:#9aa6b5;--line:#2c3540;--page:#12171d;--side:#171d24;--code:#1f2730;--link:#7ab5ff;
--get:#57c793;--post:#7ab5ff;--put:#e6b25a;--delete:#ff8f86}}
*{box-sizing:border-box}html{scroll-behavior:smooth;scroll-padding-top:1rem}
body{margin:0;color:var(--text);background:var(--page);font:16px/1.55 system-ui,sans-serif;display:grid;grid-template-columns:18rem 1fr}
nav{position:sticky;top:0;height:100vh;overflow:auto;padding:1.5rem 1rem;background:var(--side);border-right:1px solid var(--line);font-size:.875rem}
nav .home{display:block;font-weight:700;color:var(--text);margin-bottom:1rem}nav ul{list-style:none;margin:.25rem 0 .75rem;padding:0}
nav li a{display:block;padding:.125rem 0;color:var(--soft)}nav summary{cursor:pointer;font-weight:600}
nav b{display:inline-block;width:3.25rem;font-size:.6875rem}
main{max-width:60rem;padding:2rem 3rem 6rem;min-width:0}a{color:var(--link);text-decoration:none}a:hover,a:focus-visible{text-decoration:underline}
h1{font-size:2rem;line-height:1.2;margin:0 0 1rem}h2{font-size:1.5rem;margin:3rem 0 .5rem;padding-top:1rem;border-top:1px solid var(--line)}
h3{font-size:1.0625rem;margin:0 0 .5rem;overflow-wrap:anywhere}h4{font-size:.875rem;margin:1.25rem 0 .375rem;color:var(--soft)}
article{margin:1.5rem 0;padding:1.25rem 1.5rem;border:1px solid var(--line);border-radius:.5rem}article p{margin:.5rem 0}
b.get,b.post,b.put,b.delete{text-transform:uppercase;letter-spacing:.03em}
.get{color:var(--get)}.post{color:var(--post)}.put{color:var(--put)}.delete{color:var(--delete)}
code,pre{font:.875em/1.5 ui-monospace,monospace}p code,td code{background:var(--code);padding:.1em .3em;border-radius:.25rem}
pre{background:var(--code);padding:.875rem 1rem;border-radius:.375rem;overflow:auto;margin:.25rem 0}var{color:var(--put);font-style:normal}
.table{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:.9375rem}
th{text-align:left;color:var(--soft);font-weight:600;font-size:.8125rem}td,th{padding:.375rem .75rem .375rem 0;border-bottom:1px solid var(--line);vertical-align:top}
.optional{color:var(--soft);font-size:.8125rem}.permission{color:var(--soft)}article>details{margin-top:1.25rem}article summary{cursor:pointer;color:var(--soft);font-size:.875rem}
@media(max-width:56rem){body{display:block}nav{position:static;height:auto;max-height:40vh}main{padding:1.5rem 1rem}}
`;
