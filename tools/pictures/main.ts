/**
 * `npm run pictures`: takes a screenshot of every page and writes it to `pictures/`, for people to look at. A server
 * with its own data folder and a month of sample traffic serves the pages.
 *
 *   npm run pictures -- --surface portal --only home
 *   npm run pictures -- --state empty without any data
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { endBrowser } from '../../tests/support/open-browser.ts'
import { openPages, shown, type PageWorld } from '../../tests/support/start-page-tests.ts'
import { allPictures, type Picture } from './pages-to-picture.ts'

const folder = fileURLToPath(new URL('../../pictures', import.meta.url))
const sizes = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
]
const themes = ['light', 'dark'] as const

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    surface: { type: 'string' },
    state: { type: 'string', default: 'month' },
    full: { type: 'boolean', default: false },
  },
})
const isEmpty = values.state === 'empty'
if (!isEmpty && values.state !== 'month') throw new Error('--state is month or empty')
const wanted = (await allPictures()).filter(
  ({ page, surface }) =>
    page.includes(values.only) &&
    (values.surface === undefined || surface === values.surface) &&
    // A portal belongs to an application, and an empty server has none.
    (!isEmpty || surface === 'console'),
)
if (wanted.length === 0) throw new Error('no page is called that')

mkdirSync(folder, { recursive: true })
const world = await openPages(isEmpty ? { sampleDays: 0 } : {})
try {
  const request = isEmpty ? 'req_none' : await newestRequest(world)
  for (const picture of wanted) {
    for (const viewport of sizes) {
      // oxlint-disable-next-line no-await-in-loop -- one browser, a page after the other
      for (const theme of themes) await take(world, picture, { request, theme, viewport })
    }
  }
} finally {
  await world.close()
  await endBrowser()
}

interface Shot {
  readonly request: string
  readonly theme: (typeof themes)[number]
  readonly viewport: (typeof sizes)[number]
}

async function take(
  { openConsole, openPortal }: PageWorld,
  { isSignedOut, page: name, path, surface }: Picture,
  { request, theme, viewport }: Shot,
): Promise<void> {
  const open = surface === 'console' ? openConsole : openPortal
  const { faults, page } = await open(
    path.replace('$request', request).replace('$app', isEmpty ? 'none' : world.app),
    {
      viewport,
      colorScheme: theme,
      isSignedIn: !isSignedOut,
      reducedMotion: 'reduce',
    },
  )
  await shown(page)
  // The first load did not wait for the fonts.
  await page.reload()
  await shown(page)
  const state = isEmpty ? '-empty' : ''
  const file = join(folder, `${surface}-${name}${state}-${viewport.width}-${theme}.png`)
  await page.screenshot({ path: file, fullPage: values.full })
  await page.context().close()
  console.log(file, ...faults)
}

/** The console and the portal show the same request: the newest of the end user who is signed in at the portal. */
async function newestRequest({ app, call }: PageWorld): Promise<string> {
  const { body } = await call('GET', '/v1/requests?limit=1&endUserId=ada', undefined, {
    'x-svc-app': app,
    'x-svc-mode': 'test',
  })
  return body.data[0].id
}
