/** A real browser for tests of pages: Chromium from npm under Playwright. */
import chromium from '@sparticuz/chromium'
import { chromium as playwright, type Browser, type Page } from 'playwright-core'

export interface SeenPage {
  readonly page: Page
  /** Addresses that the page asked of other hosts than its own. */
  readonly foreignRequests: readonly string[]
  /** What the console said at the level of an error, and what was thrown. */
  readonly faults: readonly string[]
  /** Of the document that is open now, since it was opened. */
  measured(): Promise<Measured>
}

export interface Measured {
  /** Largest sum of shifts in a row of them (Layout Instability API), without those that a person caused. */
  readonly layoutShift: number
  /** Milliseconds of each task of 50 and more. */
  readonly longTasksMs: readonly number[]
  /** When the largest content was painted, in milliseconds since the navigation; null: not yet. */
  readonly largestPaintMs: number | null
}

export async function openBrowser(): Promise<Browser> {
  return playwright.launch({
    executablePath: await chromium.executablePath(),
    // Not those of the package, which are for a function in a cloud: they put all pages in one process, and turn off
    // the rules between origins that tests are about.
    args: [
      '--no-sandbox',
      '--no-proxy-server',
      '--disable-dev-shm-usage',
      '--font-render-hinting=none',
      '--use-gl=angle',
      '--use-angle=swiftshader',
    ],
    headless: true,
  })
}

/** A page that notes what it asks of other hosts, and its faults. */
export async function openPage(browser: Browser, ownOrigin: string): Promise<SeenPage> {
  return watched(await browser.newPage(), ownOrigin)
}

/** Notes what a page does, from its next navigation on. */
export async function watched(page: Page, ownOrigin: string): Promise<SeenPage> {
  const foreignRequests: string[] = []
  const faults: string[] = []
  page.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(ownOrigin) && !url.startsWith('data:') && !url.startsWith('blob:'))
      foreignRequests.push(url)
  })
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text())
  })
  page.on('pageerror', (error) => faults.push(error.message))
  await page.addInitScript(measureInPage)
  return {
    page,
    foreignRequests,
    faults,
    measured: () => page.evaluate(() => (globalThis as unknown as { measured(): Measured }).measured()),
  }
}

/** Runs in the page before its own scripts. */
function measureInPage(): void {
  interface Shift extends PerformanceEntry {
    readonly value: number
    readonly hadRecentInput: boolean
  }
  const longTasksMs: number[] = []
  let largestPaintMs: number | null = null
  let layoutShift = 0
  let row = { sum: 0, beganMs: 0, lastMs: 0 }
  const watch = (type: string, seen: (entry: PerformanceEntry) => void): PerformanceObserver => {
    const observer = new PerformanceObserver((list) => list.getEntries().forEach(seen))
    // Node's types, which stand in here for the browser's, know other kinds.
    observer.observe({ type: type as 'measure', buffered: true })
    return observer
  }
  let inputMs = -Infinity
  const page = globalThis as unknown as EventTarget
  for (const type of ['pointerdown', 'keydown']) {
    page.addEventListener(type, ({ timeStamp }) => void (inputMs = timeStamp), {
      capture: true,
      passive: true,
    })
  }
  const shifted = (entry: PerformanceEntry): void => {
    const { hadRecentInput, startTime, value } = entry as Shift
    // Browsers give a page half a second to show what was asked for; a busy machine takes longer.
    if (hadRecentInput || startTime - inputMs < 10_000) return
    // A row of shifts ends after a second of quiet, and after five seconds.
    const isNew = startTime - row.lastMs > 1000 || startTime - row.beganMs > 5000
    row = {
      sum: isNew ? value : row.sum + value,
      beganMs: isNew ? startTime : row.beganMs,
      lastMs: startTime,
    }
    layoutShift = Math.max(layoutShift, row.sum)
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
      return { layoutShift, longTasksMs, largestPaintMs }
    },
  })
}
