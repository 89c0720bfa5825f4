/** Opens one Chromium (from npm, under Playwright) for all test files of a process. */
import { existsSync } from 'node:fs'
import { mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as passed } from 'node:timers/promises'
import chromium from '@sparticuz/chromium'
import packages from '#package.json' with { type: 'json' }
import { chromium as playwright, type Browser, type Page, type Request } from 'playwright-core'
import { hasMemoryForFiles } from './data-folder.ts'

export interface SeenPage {
  readonly page: Page
  readonly foreignRequests: readonly string[]
  /** Error messages in the browser's console, and uncaught errors. */
  readonly faults: readonly string[]
  measured(): Promise<Measured>
}

export interface Measured {
  /** The largest sum of consecutive layout shifts (Layout Instability API), without shifts that a user caused. */
  readonly layoutShift: number
  readonly shifted: readonly string[]
  /** The duration of each task of at least 50 milliseconds. */
  readonly longTasksMs: readonly number[]
  /** In milliseconds since the navigation. Null before the largest contentful paint. */
  readonly largestPaintMs: number | null
}

/**
 * Time limit of actions and waits. A long time limit detects a hang as reliably as a short one, and does not fail on a
 * slow machine.
 */
export const patienceMs = 90_000

/** Each version of the package unpacks to its own folder. */
const browserVersion = packages.devDependencies['@sparticuz/chromium']

let shared: Promise<Browser> | null = null

export function sharedBrowser(): Promise<Browser> {
  shared ??= openBrowser().then(
    (browser) => {
      // The next test files start another browser, because they cannot use a crashed one.
      browser.on('disconnected', () => (shared = null))
      return browser
    },
    (error: unknown) => {
      shared = null
      throw error
    },
  )
  return shared
}

/**
 * Closes the browser of a program, because the program would not end while the browser runs. Test workers need not call
 * `endBrowser`, because the end of the run ends the workers.
 */
export async function endBrowser(): Promise<void> {
  const ending = shared
  shared = null
  await (await ending)?.close()
}

export async function openBrowser(): Promise<Browser> {
  return playwright.launch({
    executablePath: await unpackedBrowser(),
    // The package's own flags are made for cloud functions. They would run all pages in one process, and would disable
    // the rules between origins that the tests check.
    args: [
      '--no-sandbox',
      '--no-proxy-server',
      '--font-render-hinting=none',
      // Emulating a graphics card would take a fifth of the time of all tests.
      '--disable-gpu',
    ],
    // By default, Playwright puts the shared memory of the browser's processes on disk, because some containers are
    // small.
    ...(hasMemoryForFiles && { ignoreDefaultArgs: ['--disable-dev-shm-usage'] }),
    headless: true,
  })
}

/**
 * Returns the path of the browser, which is unpacked once for all checkouts on this machine. The package writes
 * directly to its final path, so another process could find an incomplete file. `unpackedBrowser` gives the complete
 * folder its final name in one step.
 */
export async function unpackedBrowser(parent = tmpdir()): Promise<string> {
  const folder = join(
    parent,
    `tollgate-chromium-${process.arch}-${process.getuid?.() ?? 0}-${browserVersion}`,
  )
  if (!existsSync(folder)) {
    const unpacking = await mkdtemp(`${folder}-`)
    try {
      await unpackTo(unpacking)
      await rename(unpacking, folder)
    } catch (error) {
      await rm(unpacking, { recursive: true, force: true })
      // If another process has created the folder first, the rename fails, but the folder is complete.
      if (!existsSync(folder)) throw error
    }
  }
  return join(folder, 'chromium')
}

/** The package unpacks to the temporary folder, whose name it reads before its first asynchronous step. */
function unpackTo(folder: string): Promise<string> {
  const before = process.env['TMPDIR']
  process.env['TMPDIR'] = folder
  try {
    return chromium.executablePath()
  } finally {
    if (before === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = before
  }
}

export async function openPage(browser: Browser, ownOrigin: string): Promise<SeenPage> {
  return watched(await browser.newPage(), ownOrigin)
}

interface Traffic {
  readonly pending: Set<Request>
  made: number
}

const trafficOf = new WeakMap<Page, Traffic>()

/** @param lateMs the delay of each request to the API */
export async function watched(page: Page, ownOrigin: string, lateMs?: () => number): Promise<SeenPage> {
  const foreignRequests: string[] = []
  const faults: string[] = []
  const traffic: Traffic = { pending: new Set(), made: 0 }
  trafficOf.set(page, traffic)
  page.setDefaultTimeout(patienceMs)
  page.on('request', (request) => {
    traffic.made++
    traffic.pending.add(request)
    const url = request.url()
    if (!url.startsWith(ownOrigin) && !url.startsWith('data:') && !url.startsWith('blob:'))
      foreignRequests.push(url)
  })
  page.on('response', (response) => {
    // A stream of events does not end, so the test does not wait for the stream.
    const type = response.headers()['content-type'] ?? ''
    if (type.startsWith('text/event-stream')) traffic.pending.delete(response.request())
  })
  page.on('requestfinished', (request) => traffic.pending.delete(request))
  page.on('requestfailed', (request) => traffic.pending.delete(request))
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text())
  })
  page.on('pageerror', (error) => faults.push(error.message))
  await page.addInitScript(measureInPage)
  if (lateMs) {
    await page.route(
      ({ pathname }) => pathname.startsWith('/v1/'),
      async (route) => {
        await passed(lateMs())
        // The browser may have left the page during the delay.
        await route.continue().catch(() => {})
      },
    )
  }
  return {
    page,
    foreignRequests,
    faults,
    measured: () => page.evaluate(() => (globalThis as unknown as { measured(): Measured }).measured()),
  }
}

const stillMs = 100

/**
 * A page is complete when its requests have ended, its fonts are loaded, no part is busy, animations have ended, and
 * nothing changes anymore.
 */
export async function shown(page: Page): Promise<void> {
  const traffic = trafficOf.get(page)
  if (!traffic) throw new Error('the page is not watched')
  const endMs = performance.now() + patienceMs
  for (;;) {
    const { made } = traffic
    // The test detects the page's requests before the response of `evaluate` arrives.
    // oxlint-disable-next-line no-await-in-loop -- until it is there
    const restless = await page.evaluate(restlessness, stillMs).catch((error: unknown) => {
      // The document was replaced, so the test waits for the new document.
      if (String(error).includes('context was destroyed')) return 'another document comes'
      throw error
    })
    if (restless === null && traffic.pending.size === 0 && traffic.made === made) return
    if (performance.now() > endMs) {
      const asked = [...traffic.pending].map((request) => request.url()).join(', ')
      throw new Error(
        `${page.url()} is not at rest after ${patienceMs} ms: ${restless ?? 'it asks'}; asked for: ${asked}`,
      )
    }
  }
}

/**
 * The browser globals that this file uses. The globals are declared here, because the project has only the types of
 * Node.
 */
interface PageScope {
  readonly document: {
    readonly fonts: { readonly ready: Promise<unknown> }
    querySelector(selector: string): { readonly childElementCount: number } | null
    querySelectorAll(selector: string): Iterable<{
      readonly outerHTML: string
      readonly textContent: string
      matches(selector: string): boolean
    }>
    getAnimations(): readonly {
      readonly effect: { getComputedTiming(): { readonly endTime: number } } | null
      readonly finished: Promise<unknown>
    }[]
  }
  readonly location: { readonly pathname: string }
  readonly MutationObserver: new (seen: (records: readonly unknown[]) => void) => {
    observe(target: unknown, what: object): void
    takeRecords(): readonly unknown[]
    disconnect(): void
  }
  requestAnimationFrame(callback: (value: unknown) => void): number
}

/** @returns the changes within `forMs`, or the parts that still wait; null if the page is stable */
async function restlessness(forMs: number): Promise<string | null> {
  const scope = globalThis as unknown as PageScope
  const { document } = scope
  const frame = () => new Promise((resolve) => scope.requestAnimationFrame(resolve))
  let changes = 0
  const observer = new scope.MutationObserver((records) => void (changes += records.length))
  observer.observe(document, { attributes: true, characterData: true, childList: true, subtree: true })
  await document.fonts.ready
  // Endless animations are excluded, because only parts that wait for data have endless animations.
  const moving = document
    .getAnimations()
    .filter(({ effect }) => Number.isFinite(effect?.getComputedTiming().endTime ?? 0))
  await Promise.all(moving.map(({ finished }) => finished.catch(() => {})))
  await new Promise((resolve) => setTimeout(resolve, forMs))
  // Charts read their width in one frame, and draw in the next frame.
  await frame()
  await frame()
  changes += observer.takeRecords().length
  observer.disconnect()
  if (document.querySelector('#root')?.childElementCount === 0) return 'it is empty'
  // The portal shows a busy state in words, and the component page always contains a busy part.
  const busy = [...document.querySelectorAll('[aria-busy=true], [role=status]')].find(
    (one) => one.matches('[aria-busy=true]') || one.textContent === 'Loading',
  )
  if (busy && scope.location.pathname !== '/ui') return `busy: ${busy.outerHTML.slice(0, 120)}`
  if (moving.length > 0) return `${moving.length} animations`
  return changes > 0 ? `${changes} changes` : null
}

/** Runs in the page, before the page's own scripts. */
function measureInPage(): void {
  interface Box {
    readonly x: number
    readonly y: number
    readonly width: number
    readonly height: number
  }
  interface Shift extends PerformanceEntry {
    readonly value: number
    readonly hadRecentInput: boolean
    readonly sources: readonly {
      readonly node: { readonly outerHTML?: string; readonly textContent: string | null } | null
      readonly previousRect: Box
      readonly currentRect: Box
    }[]
  }
  const longTasksMs: number[] = []
  let largestPaintMs: number | null = null
  let layoutShift = 0
  let shiftedMost: readonly string[] = []
  let row = { sum: 0, beganMs: 0, lastMs: 0, shifted: [] as readonly string[] }
  const watch = (type: string, seen: (entry: PerformanceEntry) => void): PerformanceObserver => {
    const observer = new PerformanceObserver((list) => list.getEntries().forEach(seen))
    // Node's types replace the browser's types here, and allow other kinds of entries.
    observer.observe({ type: type as 'measure', buffered: true })
    return observer
  }
  let inputMs = -Infinity
  const page = globalThis as unknown as EventTarget
  // Resizing the window also moves the page's content.
  for (const type of ['pointerdown', 'keydown', 'resize']) {
    page.addEventListener(type, ({ timeStamp }) => void (inputMs = timeStamp), {
      capture: true,
      passive: true,
    })
  }
  const boxText = ({ height, width, x, y }: Box): string => [x, y, width, height].map(Math.round).join(' ')
  const shifted = (entry: PerformanceEntry): void => {
    const { hadRecentInput, sources, startTime, value } = entry as Shift
    // Browsers ignore shifts within half a second after an input. A busy machine takes longer than half a second to
    // show the requested data.
    if (hadRecentInput || startTime - inputMs < 60_000) return
    // A group of shifts ends after a second without shifts, and at the latest after five seconds.
    const isNew = startTime - row.lastMs > 1000 || startTime - row.beganMs > 5000
    const moved = sources.map(({ currentRect, node, previousRect }) => {
      const what = node?.outerHTML ?? node?.textContent ?? ''
      return `${value.toFixed(4)}: ${what.slice(0, 120)} from ${boxText(previousRect)} to ${boxText(currentRect)}`
    })
    row = {
      sum: isNew ? value : row.sum + value,
      beganMs: isNew ? startTime : row.beganMs,
      lastMs: startTime,
      shifted: isNew ? moved : [...row.shifted, ...moved],
    }
    if (row.sum <= layoutShift) return
    layoutShift = row.sum
    shiftedMost = row.shifted
  }
  const ran = ({ duration }: PerformanceEntry): void => void longTasksMs.push(duration)
  const painted = ({ startTime }: PerformanceEntry): void => void (largestPaintMs = startTime)
  const observers = [
    { seen: shifted, observer: watch('layout-shift', shifted) },
    { seen: ran, observer: watch('longtask', ran) },
    { seen: painted, observer: watch('largest-contentful-paint', painted) },
  ]
  Object.assign(globalThis, {
    measured() {
      for (const { observer, seen } of observers) observer.takeRecords().forEach(seen)
      return { layoutShift, shifted: shiftedMost, longTasksMs, largestPaintMs }
    },
  })
}
