/**
 * Runs the product with built pages, and a month of traffic from `tollgate sample`. The browsers of these tests are
 * signed in as the owner or as an end user.
 *
 *   const world = await openPages()
 *   const { page, ...seen } = await world.openConsole('/requests?app=sample-month')
 *   await page.getByRole('heading', { name: 'Requests' }).waitFor()
 *   await expectAccessible(page)
 *   await expectQuiet(page, seen)
 *   await world.close()
 */
import assert from 'node:assert/strict'
import { readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import type axe from 'axe-core'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { onTestFinished, TestRunner } from 'vitest'
import { pagesOf } from '../../tools/web/build.ts'
import { patienceMs, sharedBrowser, shown, watched, type SeenPage } from './open-browser.ts'
import { commandLine } from './run-command-line-in-process.ts'
import { newDataFolder } from './data-folder.ts'
import { copyOfFolder } from './cached-folders.ts'
import {
  answerOf,
  control,
  startServer,
  type Answer,
  type LocalServer,
  type StartOptions,
} from './start-product.ts'

export { shown } from './open-browser.ts'

export const sampleApp = 'sample-month'

/** The owner who joined through the link of the first start. */
export const owner = { name: 'Ada Lovelace', email: 'ada@example.com', password: 'correct horse battery' }

interface OpenOptions extends BrowserContextOptions {
  readonly isSignedIn?: boolean
  /** If omitted, API requests have no delay. */
  readonly lateMs?: () => number
}

interface PortalOptions extends OpenOptions {
  /** Defaults to `ada` of the sample application. */
  readonly endUserId?: string
}

export interface PageWorld {
  readonly server: LocalServer
  /** Already used if an owner exists. */
  readonly setupUrl: string
  /** The browser is closed after the test that opened it. */
  readonly newContext: (options?: BrowserContextOptions) => Promise<BrowserContext>
  readonly console: string
  readonly app: string
  readonly portal: string
  readonly call: (
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<Answer>
  /** Uses a separate browser context, with the owner signed in. The context is closed after the test that opened it. */
  readonly openConsole: (path: string, options?: OpenOptions) => Promise<SeenPage>
  /** Uses a separate browser context, with the end user signed in, in test mode. */
  readonly openPortal: (path: string, options?: PortalOptions) => Promise<SeenPage>
  /** The link signs the end user in. @param slug defaults to the sample application */
  readonly handOff: (endUserId: string, slug?: string) => Promise<string>
  close(): Promise<void>
}

interface WorldOptions extends StartOptions {
  /** Defaults to 30 days, like `tollgate sample`. With 0, the server has no traffic and no application. */
  readonly sampleDays?: number
  readonly callsPerDay?: number
  /** False if no one has used the link of the first start, and no user is signed in. */
  readonly hasOwner?: boolean
}

type StorageState = Awaited<ReturnType<BrowserContext['storageState']>>

interface Known {
  readonly token: string
  /** Contains the host that the server had at its first start. */
  readonly setupUrl: string
  readonly ownerState: StorageState | null
}

export async function openPages(options: WorldOptions = {}): Promise<PageWorld> {
  const { callsPerDay = 12, sampleDays = 30, hasOwner = true, ...start } = options
  const folder = start.folder ?? newDataFolder('pages')
  const pagesFolder = pathToFileURL(`${await pagesOf('test')}/`)
  const browser = await sharedBrowser()
  // A server without traffic is not copied, because a new server starts just as quickly. A given folder is used without
  // a copy, and the caller deletes it.
  const copied =
    hasOwner && sampleDays > 0 && start.folder === undefined
      ? await copyOfFolder(folder, `sample-${sampleDays}-${callsPerDay}`, (made) =>
          makeSampleFolder(browser, made, sampleDays, callsPerDay),
        )
      : null
  const server = await startServer({ pagesFolder, ...start, folder, ...(copied && { token: copied.token }) })
  const address = `http://localhost:${server.port}`
  const app = sampleApp
  const portal = `http://${app}.portal.localhost:${server.port}`
  const call: PageWorld['call'] = (...asked) => control(server, ...asked)
  if (!copied && sampleDays > 0) await makeSample(server, sampleDays, callsPerDay)
  const ownerState = copied?.ownerState ?? (hasOwner ? await signedInOwner(browser, server, address) : null)
  const setupUrl = copied ? address + pathOf(copied.setupUrl) : server.setupUrl

  const handOff: PageWorld['handOff'] = async (endUserId, slug = app) => {
    const headers = { 'x-svc-app': slug, 'x-svc-mode': 'test' }
    const answer = await call('POST', '/v1/portal-sessions', { endUserId }, headers)
    assert.equal(answer.status, 200, answer.text)
    return answer.body.url
  }
  const newContext: PageWorld['newContext'] = async (own = {}) => {
    const context = await browser.newContext({ viewport: desktop, ...own })
    context.setDefaultTimeout(patienceMs)
    // A page that a test leaves open would continue to send requests, and slow down the following tests.
    if (TestRunner.getCurrentTest() !== undefined) onTestFinished(() => context.close())
    return context
  }
  const open = async (url: string, context: BrowserContext, lateMs?: () => number): Promise<SeenPage> => {
    const seen = await watched(await context.newPage(), new URL(url).origin, lateMs)
    await seen.page.goto(url)
    return seen
  }
  return {
    server,
    setupUrl,
    newContext,
    console: address,
    app,
    portal,
    call,
    handOff,
    async openConsole(path, { isSignedIn = true, lateMs, ...own } = {}) {
      const state = isSignedIn && ownerState !== null ? { storageState: ownerState } : {}
      return open(address + path, await newContext({ ...state, ...own }), lateMs)
    },
    async openPortal(path, { endUserId = 'ada', isSignedIn = true, lateMs, ...own } = {}) {
      const context = await newContext(own)
      if (isSignedIn) {
        const token = new URL(await handOff(endUserId)).hash.slice('#handoff='.length)
        await postInPage(context, portal, '/v1/portal-sessions/redeem', { token })
      }
      return open(portal + path, context, lateMs)
    },
    async close() {
      // The test files of a process run one after another, so all open pages belong to this file.
      await Promise.all(browser.contexts().map((context) => context.close()))
      await server.close()
      if (start.folder === undefined) rmSync(folder, { recursive: true })
    },
  }
}

export const desktop = { width: 1440, height: 900 }
export const phone = { width: 390, height: 844 }

const pathOf = (url: string): string => url.slice(new URL(url).origin.length)

async function makeSampleFolder(
  browser: Browser,
  folder: string,
  days: number,
  callsPerDay: number,
): Promise<Known> {
  const server = await startServer({ folder })
  await makeSample(server, days, callsPerDay)
  const ownerState = await signedInOwner(browser, server, `http://localhost:${server.port}`)
  await server.close()
  return { token: server.token, setupUrl: server.setupUrl, ownerState }
}

async function makeSample(server: LocalServer, days: number, callsPerDay: number): Promise<void> {
  const cli = commandLine({
    fetch,
    env: { TOLLGATE_BASE_URL: server.baseUrl, TOLLGATE_TOKEN: server.token },
  })
  const words = ['sample', '--days', String(days), '--calls', String(callsPerDay), '--json']
  const { err, exitCode } = await cli.run(words)
  cli.close()
  assert.equal(exitCode, 0, err)
}

/** The first owner joins in a browser, which keeps the session cookie. */
async function signedInOwner(
  browser: Browser,
  { setupUrl }: LocalServer,
  address: string,
): Promise<StorageState> {
  const context = await browser.newContext()
  const token = new URL(setupUrl).hash.slice(1)
  await postInPage(context, address, '/v1/invitations/accept', { token, ...owner })
  const state = await context.storageState()
  await context.close()
  return state
}

/** The browser stores the cookies of the response. */
export async function postInPage(
  context: BrowserContext,
  origin: string,
  path: string,
  body: object,
): Promise<Answer> {
  const page = await context.newPage()
  // The opened document belongs to the host and sends no requests.
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

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/**
 * Checks a page against the rules for WCAG 2.2 A and AA and for good practice. A finding of any severity fails the
 * test.
 *
 * @param only the only rule to check. Another theme, for example, changes only the colors.
 */
export async function expectAccessible(page: Page, only?: string): Promise<void> {
  // A part that fades in has other colors until its animation has ended.
  await shown(page)
  await expectAccessibleNow(page, only)
}

/** Like `expectAccessible`, but does not wait, because some pages never stop changing. */
export async function expectAccessibleNow(page: Page, only?: string): Promise<void> {
  const hasAxe = await page.evaluate(() => 'axe' in globalThis)
  // The debugger loads the script, because the page's content security policy does not restrict the debugger.
  if (!hasAxe) await page.evaluate(`${axeSource};undefined`)
  const { violations } = await page.evaluate(
    (rule) =>
      (globalThis as unknown as { readonly axe: typeof axe }).axe.run({
        // The rule `target-size` is from WCAG 2.2, and off by default.
        rules: { 'target-size': { enabled: true } },
        ...(rule !== undefined && { runOnly: { type: 'rule', values: [rule] } }),
        // Reporting the position of every correct element would take half of the time.
        resultTypes: ['violations'],
        // No rule of this run uses the data that this option would load.
        preload: false,
      }),
    only,
  )
  const findings = violations.flatMap(({ help, id, nodes }) =>
    nodes.map(({ failureSummary = '', html }) => `${id} (${help}): ${html}\n  ${failureSummary}`),
  )
  assert.deepEqual(findings, [], `${page.url()} is accessible`)
}

export async function expectReadable(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme })
  await expectAccessible(page, 'color-contrast')
}

export async function expectQuiet(page: Page, seen: Omit<SeenPage, 'page'>): Promise<void> {
  assert.deepEqual(seen.faults, [], `${page.url()} has no faults`)
  assert.deepEqual(seen.foreignRequests, [], `${page.url()} asks its own host alone`)
  const { layoutShift, shifted } = await seen.measured()
  assert(layoutShift <= 0.05, `the layout of ${page.url()} shifts by ${layoutShift}:\n${shifted.join('\n')}`)
}
