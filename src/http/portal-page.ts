import { createHash } from 'node:crypto'
import { privateHeaders } from '#domain/answer-headers.ts'

/** Whose portal it is. */
export interface PortalPage {
  /** For people; any text. */
  readonly productName: string
  /** `#rrggbb`. */
  readonly primaryColor: string
  /** What is read best on that colour, `#rrggbb`. */
  readonly textColor: string
  /** Path of the logo; null: none. */
  readonly logo: string | null
}

/**
 * The page at the root of a portal's host, in HTML without a script. A name is text, whatever it holds: it is
 * escaped, and kept in its own direction, so that an override in it does not turn the words around it
 * (docs/reference/threats.md "Names are text").
 */
export function portalPage({ logo, primaryColor, productName, textColor }: PortalPage): Response {
  const name = escaped(productName)
  const style = `body{margin:0;font:1rem/1.5 system-ui,sans-serif;color-scheme:light dark}header{background:${primaryColor};color:${textColor};padding:1rem}img{max-height:3rem;max-width:12rem;vertical-align:middle}h1{font-size:1.25rem;margin:0}main{max-width:40rem;margin:2rem auto;padding:0 1rem}`
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${name}</title>
<style>${style}</style>
</head>
<body>
<header><h1>${logo === null ? '' : `<img src="${logo}" alt=""> `}<bdi>${name}</bdi></h1></header>
<main><p>This is the portal of <bdi>${name}</bdi>: usage, spending and keys of the people who use it.</p>
<p>One comes here by a link. Open the portal from <bdi>${name}</bdi> itself.</p></main>
</body>
</html>
`
  return new Response(html, {
    headers: {
      ...privateHeaders,
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': [
        "default-src 'none'",
        `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
        "img-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
      ].join('; '),
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
    },
  })
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
