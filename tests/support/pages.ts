/**
 * What tests of pages begin with: the product with its pages built, a month of traffic made as `tollgate demo` makes
 * it, and browsers that are signed in as the owner or as an end user.
 *
 *   const world = await openPages()
 *   const { page, ...seen } = await world.openConsole('/requests?app=demo-month')
 *   await page.getByRole('heading', { name: 'Requests' }).waitFor()
 *   await expectAccessible(page)
 *   await expectQuiet(page, seen)
 *   await world.close()
 */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type axe from 'axe-core'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { pagesOf } from '../../tools/web/build.ts'
import { openBrowser, watched, type SeenPage } from './browser.ts'
import { commandLine } from './command-line.ts'
import {
  answerOf,
  control,
  startServer,
  type Answer,
  type LocalServer,
  type StartOptions,
} from './harness.ts'

/** Of the owner who took the link of the first start. */
export const owner = { name: 'Ada Lovelace', email: 'ada@example.com', password: 'correct horse battery' }

interface OpenOptions extends BrowserContextOptions {
  /** False: nobody is signed in. */
  readonly isSignedIn?: boolean
}

interface PortalOptions extends OpenOptions {
  /** Who of the end users: `ada` of the demo's when left out. */
  readonly endUserId?: string
}

export interface PageWorld {
  readonly server: LocalServer
  readonly browser: Browser
  /** The address of the console, as it is printed. */
  readonly console: string
  /** Slug of the application with a month of traffic in test mode. */
  readonly app: string
  /** The address of its portal. */
  readonly portal: string
  /** A call of the control plane with the first token. */
  readonly call: (
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<Answer>
  /** A page of the console in a browser of its own, where the owner is signed in. */
  readonly openConsole: (path: string, options?: OpenOptions) => Promise<SeenPage>
  /** A page of the demo's portal in a browser of its own, where an end user is signed in, in test mode. */
  readonly openPortal: (path: string, options?: PortalOptions) => Promise<SeenPage>
  /** A link that signs an end user in. @param slug the demo's when left out */
  readonly handOff: (endUserId: string, slug?: string) => Promise<string>
  close(): Promise<void>
}

interface WorldOptions extends StartOptions {
  /** 30 as the command has it; 0: without traffic, and without an application. */
  readonly demoDays?: number
  readonly callsPerDay?: number
  /** False: nobody has taken the link of the first start, and nobody is signed in. */
  readonly hasOwner?: boolean
}

export async function openPages(options: WorldOptions = {}): Promise<PageWorld> {
  const { callsPerDay = 12, demoDays = 30, hasOwner = true, ...start } = options
  const folder = start.folder ?? mkdtempSync(join(tmpdir(), 'tollgate-pages-'))
  const pagesFolder = pathToFileURL(`${await pagesOf('test')}/`)
  const server = await startServer({ pagesFolder, ...start, folder })
  const browser = await openBrowser()
  const address = `http://localhost:${server.port}`
  const app = 'demo-month'
  const portal = `http://${app}.portal.localhost:${server.port}`
  const call: PageWorld['call'] = (...asked) => control(server, ...asked)
  if (demoDays > 0) await makeDemo(server, demoDays, callsPerDay)
  const ownerState = hasOwner ? await signedInOwner(browser, server, address) : null

  const handOff: PageWorld['handOff'] = async (endUserId, slug = app) => {
    const headers = { 'x-svc-app': slug, 'x-svc-mode': 'test' }
    const answer = await call('POST', '/v1/portal-sessions', { endUserId }, headers)
    assert.equal(answer.status, 200, answer.text)
    return answer.body.url
  }
  const open = async (url: string, context: BrowserContext): Promise<SeenPage> => {
    const seen = await watched(await context.newPage(), new URL(url).origin)
    await seen.page.goto(url)
    return seen
  }
  return {
    server,
    browser,
    console: address,
    app,
    portal,
    call,
    handOff,
    async openConsole(path, { isSignedIn = true, ...own } = {}) {
      const state = isSignedIn && ownerState !== null ? { storageState: ownerState } : {}
      return open(address + path, await browser.newContext({ ...viewport, ...state, ...own }))
    },
    async openPortal(path, { endUserId = 'ada', isSignedIn = true, ...own } = {}) {
      const context = await browser.newContext({ ...viewport, ...own })
      if (isSignedIn) {
        const token = new URL(await handOff(endUserId)).hash.slice('#handoff='.length)
        await postInPage(context, portal, '/v1/portal-sessions/redeem', { token })
      }
      return open(portal + path, context)
    },
    async close() {
      await browser.close()
      await server.close()
      if (start.folder === undefined) rmSync(folder, { recursive: true })
    },
  }
}

const viewport = { viewport: { width: 1440, height: 900 } } as const

async function makeDemo(server: LocalServer, days: number, callsPerDay: number): Promise<void> {
  const cli = commandLine({
    fetch,
    env: { TOLLGATE_BASE_URL: server.baseUrl, TOLLGATE_TOKEN: server.token },
  })
  const words = ['demo', '--days', String(days), '--calls', String(callsPerDay), '--json']
  const { err, exitCode } = await cli.run(words)
  cli.close()
  assert.equal(exitCode, 0, err)
}

/** The first owner joins in a browser, which keeps the cookie as browsers do. */
async function signedInOwner(
  browser: Browser,
  { setupUrl }: LocalServer,
  address: string,
): Promise<Awaited<ReturnType<BrowserContext['storageState']>>> {
  const context = await browser.newContext()
  const token = new URL(setupUrl).hash.slice(1)
  await postInPage(context, address, '/v1/invitations/accept', { token, ...owner })
  const state = await context.storageState()
  await context.close()
  return state
}

/** A request that a page of that host makes: what it sets as a cookie stays in the browser. */
export async function postInPage(
  context: BrowserContext,
  origin: string,
  path: string,
  body: object,
): Promise<Answer> {
  const page = await context.newPage()
  // A document of the host that asks for nothing.
  await page.goto(`${origin}/healthz`)
  const told = await page.evaluate(
    async ([to, text]) => {
      const answer = await fetch(to, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: text,
      })
      return { status: answer.status, text: await answer.text() }
    },
    [path, JSON.stringify(body)] as const,
  )
  await page.close()
  assert(told.status < 300, `${path}: ${told.status} ${told.text}`)
  return answerOf(new Response(told.text, { status: told.status }))
}

/**
 * Waits until a page has what it shows: what it has asked for, its fonts, and nothing that is `aria-busy`. Live pages
 * never end to ask, so that wait has an end. Not by waitForFunction, which evaluates text in the page: its policy
 * refuses that.
 */
export async function shown(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle', { timeout: 3_000 }).catch(() => {})
  const end = performance.now() + 30_000
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- until it is there
    const state = await page.evaluate(
      // The page of components shows what is busy for good.
      `[document.fonts.status, document.querySelector('#root')?.childElementCount ?? 1, location.pathname === '/ui' ? 0 : document.querySelectorAll('[aria-busy=true]').length].join()`,
    )
    if (/^loaded,[^0].*,0$/.test(String(state))) return
    assert(
      performance.now() < end,
      `${page.url()} is not shown after 30 s: fonts, elements, busy: ${String(state)}`,
    )
    // oxlint-disable-next-line no-await-in-loop -- as above
    await page.waitForTimeout(25)
  }
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/**
 * No finding of any weight, of all rules for WCAG 2.2 A and AA and of good practice.
 * @param only that rule: of a page in its other theme nothing but its colours is another
 */
export async function expectAccessible(page: Page, only?: string): Promise<void> {
  // By the debugger, which no policy of the page binds.
  await page.evaluate(`${axeSource};undefined`)
  const { violations } = await page.evaluate(
    (rule) =>
      (globalThis as unknown as { readonly axe: typeof axe }).axe.run({
        // Of WCAG 2.2, and off by itself.
        rules: { 'target-size': { enabled: true } },
        ...(rule !== undefined && { runOnly: { type: 'rule', values: [rule] } }),
      }),
    only,
  )
  const findings = violations.flatMap(({ help, id, nodes }) =>
    nodes.map(({ failureSummary = '', html }) => `${id} (${help}): ${html}\n  ${failureSummary}`),
  )
  assert.deepEqual(findings, [], `${page.url()} is accessible`)
}

/** Nothing went wrong that a person would not be told of: no fault, no request to another host, no shift of layout. */
export async function expectQuiet(page: Page, seen: Omit<SeenPage, 'page'>): Promise<void> {
  assert.deepEqual(seen.faults, [], `${page.url()} has no faults`)
  assert.deepEqual(seen.foreignRequests, [], `${page.url()} asks its own host alone`)
  const { layoutShift } = await seen.measured()
  assert(layoutShift <= 0.05, `the layout of ${page.url()} shifts by ${layoutShift}`)
}
