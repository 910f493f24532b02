/** The one document of the dashboard. It holds no fact: the script asks for those with the token. */
export function pageHtml(language: string): string {
  return `<!doctype html>
<html lang="${language}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>monoco</title>
<link rel="stylesheet" href="/page/style.css">
<link rel="icon" href="data:,">
<body><div id="app"></div><script type="module" src="/page/main.js"></script></body>
</html>
`;
}
