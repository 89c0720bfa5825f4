/**
 * At 200 % zoom, a window of 1440 x 900 has half as many CSS pixels in each direction (WCAG 1.4.4 and 1.4.10). No page
 * may scroll sideways, no text may be cut off unless it can be read elsewhere, and every focused element can be
 * scrolled into the window.
 */
import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { barePages, pages } from '#web/console/pages.ts'
import { openPages, shown, type PageWorld } from '../../support/start-page-tests.ts'
import { portalPaths } from '../../pages/portal-page-helpers.ts'

const zoomed: BrowserContextOptions = { viewport: { width: 720, height: 450 }, deviceScaleFactor: 2 }
let world: PageWorld
let request = ''

beforeAll(async () => {
  world = await openPages({ sampleDays: 3, callsPerDay: 6 })
  const headers = { 'x-svc-app': world.app, 'x-svc-mode': 'test' }
  const { body } = await world.call('GET', '/v1/requests?limit=1&endUserId=ada', undefined, headers)
  request = body.data[0].id
})
afterAll(() => world.close())

async function faultsOf(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const faults: string[] = []
    const named = (one: Element): string =>
      `<${one.tagName.toLowerCase()} class="${one.getAttribute('class') ?? ''}"> ${one.textContent.trim().slice(0, 60)}`
    const beyond = document.documentElement.scrollWidth - window.innerWidth
    if (beyond > 0) faults.push(`it is ${beyond} pixels wider than its window`)
    const isSeen = (one: Element): boolean =>
      one.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
      one.closest('[aria-hidden=true], .sr-only, svg, [inert], [data-base-ui-inert]') === null
    const all = [...document.querySelectorAll('body *')].filter(isSeen)

    // If an element hides a part of its content, a title must contain the full text. The title may be on the element,
    // around it or inside it.
    for (const one of all) {
      const { overflowX, overflowY } = getComputedStyle(one)
      const isCutX = /hidden|clip/.test(overflowX) && one.scrollWidth > one.clientWidth + 1
      const isCutY = /hidden|clip/.test(overflowY) && one.scrollHeight > one.clientHeight + 1
      if ((!isCutX && !isCutY) || one.matches('html, body, input, textarea, select')) continue
      const box = one.getBoundingClientRect()
      if (box.width <= 1 || box.height <= 1) continue
      if (one.closest('[title]') === null && one.querySelector('[title]') === null)
        faults.push(`cut off: ${named(one)}`)
    }

    // After scrolling, the focused element must be inside the window, and not be covered.
    const dialog = [...document.querySelectorAll('[role=dialog], [role=alertdialog]')].findLast(isSeen)
    const focusable = 'a[href], button:not(:disabled), input:not(:disabled), select, textarea, [tabindex="0"]'
    const place = dialog ?? document.body
    for (const one of [...place.querySelectorAll(focusable)].filter(isSeen)) {
      one.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' })
      const { bottom, height, left, right, top, width } = one.getBoundingClientRect()
      const isInside = left >= -1 && right <= window.innerWidth + 1 && bottom > 0 && top < window.innerHeight
      // A region that scrolls on its own may be larger than the window.
      const isRegion = height > window.innerHeight || width > window.innerWidth
      if (!isInside && !isRegion) faults.push(`out of the window: ${named(one)}`)
      if (!isInside || isRegion || width <= 1 || height <= 1) continue
      const x = Math.min(Math.max(left + width / 2, 0), window.innerWidth - 1)
      const y = Math.min(Math.max(top + height / 2, 0), window.innerHeight - 1)
      const found = document.elementFromPoint(x, y)
      const isOver = found !== null && !one.contains(found) && !found.contains(one)
      if (isOver && found.closest('label')?.contains(one) !== true)
        faults.push(`under another: ${named(one)} / ${named(found)}`)
    }
    return [...new Set(faults)]
  })
}

async function expectWhole(page: Page, addresses: readonly string[]): Promise<void> {
  const wrong: string[] = []
  for (const address of addresses) {
    // oxlint-disable-next-line no-await-in-loop -- one browser
    await page.goto(address)
    // oxlint-disable-next-line no-await-in-loop -- as above
    await shown(page)
    // oxlint-disable-next-line no-await-in-loop -- as above
    for (const fault of await faultsOf(page))
      wrong.push(`${new URL(address).pathname}${new URL(address).search}: ${fault}`)
  }
  expect(wrong).toEqual([])
}

it('the check finds parts that are cut off, too wide, out of the window or covered', async () => {
  const context = await world.newContext(zoomed)
  const page = await context.newPage()
  await page.setContent(`<body style="margin:0;font:16px monospace">
    <button>fine</button>
    <p style="width:60px;overflow:hidden;white-space:nowrap">a text that nobody can read</p>
    <p style="width:60px;overflow:hidden;white-space:nowrap" title="all of it">a text with a title</p>
    <p style="height:20px;overflow:hidden">two<br>lines</p>
    <div style="width:900px">wide</div>
    <div style="position:relative"><a href="#one">covered</a><i style="position:absolute;inset:0"></i></div>
    <a href="#two" style="position:absolute;left:-500px">left</a>
  </body>`)
  const faults = await faultsOf(page)
  expect(faults.map((fault) => fault.replace(/<.*?> ?/gu, ''))).toEqual([
    'it is 180 pixels wider than its window',
    'cut off: a text that nobody can read',
    'cut off: twolines',
    expect.stringMatching(/^under another: covered/),
    'out of the window: left',
  ])
})

it('at 200 %, every part of each console page can be seen', async () => {
  const { page } = await world.openConsole('/sign-in', zoomed)
  const addresses = pages.map(({ path }) => {
    const id = path.startsWith('/requests') ? request : 'ada'
    return `${world.console}${path.replace('$id', id)}?app=${world.app}&mode=test`
  })
  await expectWhole(page, addresses)
}, 180_000)

it('at 200 %, every part of each console form can be seen', async () => {
  const { page } = await world.openConsole('/sign-in', zoomed)
  const acts = [
    '/apps?act=new',
    '/models?act=new',
    '/routers?act=new',
    '/bundles?act=new',
    '/providers?act=new',
    '/users?act=new',
    '/keys?act=new',
    '/grants?act=new',
    '/outcomes?act=new',
    '/emitters?act=new',
    '/team?act=new',
    '/tokens?act=new',
    '/explore?act=export',
    `/requests?open=${request}`,
    `/apps?open=${world.app}`,
    '/models?open=sample%2Ffast',
    '/models?open=sample%2Ffast&act=sources',
  ]
  await expectWhole(
    page,
    acts.map((act) => `${world.console}${act}&app=${world.app}&mode=test`),
  )
}, 180_000)

it('at 200 %, every part of each page before the sign-in can be seen', async () => {
  const { page } = await world.openConsole('/healthz', { ...zoomed, isSignedIn: false })
  const open = barePages.filter(({ isBehindSignIn }) => !isBehindSignIn)
  expect(open.length).toBeGreaterThan(1)
  await expectWhole(
    page,
    open.map(({ path }) => world.console + path),
  )
}, 60_000)

it('at 200 %, every part of each portal page can be seen', async () => {
  const { page } = await world.openPortal('/', zoomed)
  await expectWhole(
    page,
    [...portalPaths, `/activity/${request}`].map((path) => world.portal + path),
  )
}, 180_000)
