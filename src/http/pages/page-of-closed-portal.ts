import type { Brand } from '#domain/portal-brand.ts'
import type { Application } from '#domain/application-record.ts'
import { publicBrand } from '#operations/brand/shared/brand-view.ts'
import { brandHead, escaped } from './portal-document.ts'

export const closedStylePath = '/closed.css'

/**
 * The page that end users see if the portal's application is archived. It works without scripts, because an archived
 * application has no API.
 */
export function closedPortal(application: Application, brand: Brand): string {
  const shown = publicBrand(brand, application)
  const { logo, productName, supportEmail, supportUrl } = shown
  const help = supportUrl ?? (supportEmail === null ? null : `mailto:${supportEmail}`)
  const name = `<bdi>${escaped(productName)}</bdi>`
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    ${brandHead(shown, brand).join('\n    ')}
    <link rel="stylesheet" href="${closedStylePath}" />
  </head>
  <body>
    <main>
      <p class="whose">${logo ? `<img src="${logo.path}" alt="" height="32" />` : '<span class="mark" aria-hidden="true"></span>'}${name}</p>
      <h1>This portal is closed</h1>
      <p>${name} no longer accepts requests, and its API keys no longer work. Past usage and charges remain on record.</p>
      ${help === null ? '' : `<p>Do you have questions? <a href="${escaped(help)}" rel="noreferrer">Ask for help</a>.</p>`}
    </main>
  </body>
</html>
`
}

/** Uses the colors of `brandStyle`, and the sizes and grays of web/ui/tokens.css. */
export const closedStyle = `:root{color-scheme:light dark}
body{margin:0;background:light-dark(#ffffff,#0f1012);color:light-dark(#16171a,#f1f1ef);font:16px/1.5 system-ui,sans-serif}
main{box-sizing:border-box;max-width:35rem;margin:0 auto;padding:2rem 1rem;overflow-wrap:anywhere}
.whose{display:flex;align-items:center;gap:.75rem;margin:0 0 2rem;font-weight:600}
.whose img{max-width:8rem;object-fit:contain}
.mark{flex:none;width:2rem;height:2rem;border-radius:.375rem;background:var(--brand)}
h1{margin:0 0 1rem;font-size:28px;line-height:1.2;letter-spacing:-.02em;font-weight:600}
a{color:var(--brand-text)}
`
