/** The page of all error codes at `/reference/errors`. The field `docsUrl` of an error links to its anchor. */
import { errors, type ErrorCode } from '#domain/errors.ts'

export const errorPagePath = '/reference/errors'

export function docsUrlOf(code: ErrorCode, baseUrl: string): string {
  return new URL(`${errorPagePath}#${code}`, baseUrl).href
}

export function errorPageHtml(): string {
  const codes = (Object.keys(errors) as ErrorCode[]).toSorted()
  const rows = codes.map((code) => {
    const { isRetryable, message, status } = errors[code]
    const retry = isRetryable
      ? 'The same request may succeed later.'
      : 'Retrying the same request does not help.'
    return `<section id="${code}">
      <h2><a href="#${code}">${code}</a></h2>
      <p>Status ${status}. ${retry}</p>
      <p>${escaped(message)}</p>
    </section>`
  })
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Tollgate API errors</title>
    <link rel="icon" href="/favicon.ico">
    <style>
      :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
      body { margin: 0 auto; max-width: 44rem; padding: 1rem }
      h2 { font: 600 1rem/1.5 ui-monospace, monospace; margin-bottom: 0; overflow-wrap: anywhere }
      p { margin: 0.25rem 0; overflow-wrap: anywhere }
      a { color: inherit }
      section:target { outline: 2px solid; outline-offset: 0.5rem }
    </style>
  </head>
  <body>
    <main>
    <h1>Errors</h1>
    <p>Every error has a <code>code</code>. Names in braces are placeholders for details of the error. The <a href="/reference">reference</a> lists the codes of each operation.</p>
    ${rows.join('\n    ')}
    </main>
  </body>
</html>
`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
