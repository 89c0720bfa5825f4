import { privateHeaders } from '#domain/cache-charge-and-retry-headers.ts'

const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Tollgate</title>
</head>
<body>
<h1>The pages are not built yet</h1>
<p>The API works without them. <code>npm start</code> builds the pages while the server starts. Reload this page in
30 seconds. If you started the server another way, run <code>node tools/web/main.ts</code>.</p>
</body>
</html>
`

/** Shows the build command. Pages can be missing only in a checkout of the sources. */
export function missingPages(): Response {
  return new Response(html, {
    status: 503,
    headers: {
      ...privateHeaders,
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy':
        "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
    },
  })
}
