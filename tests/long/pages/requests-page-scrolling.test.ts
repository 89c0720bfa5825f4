/**
 * Thousands of rows arrive page by page, and no task of the page may take more than 100 ms. A hundred thousand calls
 * are enough, because each request returns two hundred rows, however many calls exist. SCROLL_CALLS sets another number
 * of calls. tests/long/read-times.test.ts measures the responses of a store with ten million calls.
 *
 * The elapsed time of a task depends on other work of the machine. For the same scroll, the longest task took 56 ms in
 * one run and 430 ms in another. The test therefore measures processor time, from the browser's trace. The same thread
 * runs a fixed piece of work during the same scroll, for comparison. On an idle machine, this work takes 20 ms.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { mintToken } from '#app/create-operator-token.ts'
import { foldCallHours } from '#store/call-sums-by-hour.ts'
import { openSqlite } from '#store/sqlite/open-sqlite-store.ts'
import { foldUsageDays } from '#store/usage-sums-by-day.ts'
import { seedSqlite } from '../../../tools/seed/seed-store.ts'
import { pagesOf } from '../../../tools/web/build.ts'
import { openBrowser, watched } from '../../support/open-browser.ts'
import { control, spawnServer } from '../../support/start-product.ts'
import { sizeOf } from '../../support/start-several-processes.ts'
import { owner, postInPage, shown } from '../../support/start-page-tests.ts'

const rowsWanted = 3_000
const taskMaxMs = 100
/** Duration of the fixed piece of work on an idle machine. */
const workMs = 20
const stepsPerWork = 8
/** Long enough for a machine with twenty times the usual load. */
const patienceMs = 120_000
/** A slow page is slow in each attempt, but a busy machine only in some attempts. */
const triesMax = 3

test('a user scrolls through thousands of rows without a task of more than 100 ms', async () => {
  const size = sizeOf('SCROLL_CALLS', 100_000)
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-scroll-'))
  const seededMs = performance.now()
  await seedSqlite(folder, { calls: size, people: 10_000, days: 90, nowMs: Date.now() })
  const store = await openSqlite({
    folder,
    nowMs: Date.now,
    onFatal(error) {
      throw error
    },
  })
  await foldUsageDays(store.database, Date.now())
  await foldCallHours(store.database, Date.now())
  await store.close()
  console.log(`scroll: ${size} calls seeded in ${Math.round((performance.now() - seededMs) / 1000)} s`)
  const location = { engine: 'sqlite', folder, masterKey: null } as const
  const { token } = await mintToken({
    location,
    label: 'scroll',
    organization: null,
    keyFolder: folder,
    masterKey: null,
  })

  await pagesOf('production')
  // A separate process responds in time while the test works.
  const server = await spawnServer(folder, { token })
  const browser = await openBrowser()
  try {
    const invited = await control(server, 'PUT', `/v1/team/${owner.email}`, { role: 'owner' })
    expect(invited.status, invited.text).toBe(200)
    const origin = `http://localhost:${server.port}`
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
    const invitation = new URL(invited.body.inviteUrl).hash.slice(1)
    await postInPage(context, origin, '/v1/invitations/accept', { token: invitation, ...owner })
    const longest: number[] = []
    while (longest.length < triesMax && Math.min(...longest) > taskMaxMs) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      longest.push(await longestTaskMs(browser, context, origin))
    }
    expect(Math.min(...longest)).toBeLessThanOrEqual(taskMaxMs)
  } finally {
    await browser.close()
    server.child.kill('SIGTERM')
    await server.ended
    rmSync(folder, { recursive: true })
  }
})

/** @returns the duration of the longest task, converted to milliseconds on an idle machine */
async function longestTaskMs(browser: Browser, context: BrowserContext, origin: string): Promise<number> {
  const seen = await watched(await context.newPage(), origin)
  const { page } = seen
  page.setDefaultTimeout(patienceMs)
  const answersMs: number[] = []
  page.on('requestfinished', (request) => {
    if (!/\/v1\/requests\?.*\bcursor=/.test(request.url())) return
    const { requestStart, responseEnd } = request.timing()
    answersMs.push(responseEnd - requestStart)
  })
  await page.goto(`${origin}/requests?app=seed&mode=live&range=90d`)
  await shown(page)
  const before = (await seen.measured()).longTasksMs.length
  const stopTrace = await traced(browser)
  await page.mouse.move(700, 600)
  await work(page)
  let rows = 0
  let grewAtMs = performance.now()
  for (let steps = 1; rows < rowsWanted; steps++) {
    expect(performance.now() - grewAtMs, `rows go on coming behind row ${rows}`).toBeLessThan(patienceMs)
    // oxlint-disable-next-line no-await-in-loop -- as a person does
    await page.mouse.wheel(0, 900)
    // oxlint-disable-next-line no-await-in-loop -- as above
    await page.waitForTimeout(30)
    // oxlint-disable-next-line no-await-in-loop -- as above
    if (steps % stepsPerWork === 0) await work(page)
    // oxlint-disable-next-line no-await-in-loop -- as above
    const last = Number(await page.locator('tbody tr[aria-rowindex]').last().getAttribute('aria-rowindex'))
    if (last > rows) grewAtMs = performance.now()
    rows = last
  }
  const { tasksMs, worksMs } = tasksOf(await stopTrace())
  const longTasks = (await seen.measured()).longTasksMs.slice(before)
  const head = await page.getByRole('columnheader', { name: 'Time' }).boundingBox()
  expect(head?.y, 'the head stays in sight').toBeGreaterThanOrEqual(0)
  expect(head?.y, 'the head stays on top').toBeLessThan(200)
  expect(seen.faults).toEqual([])
  await page.close()

  const slowdown = median(worksMs) / workMs
  const longestMs = Math.max(...tasksMs) / slowdown
  const perRowMs = tasksMs.reduce((sum, ms) => sum + ms, 0) / rows / slowdown
  console.log(
    [
      `scroll: ${rows} rows, slowed down by ${slowdown.toFixed(2)} (${worksMs.length} pieces of work)`,
      `longest task ${longestMs.toFixed(1)} ms of ${Math.max(...tasksMs).toFixed(1)} ms of processor time`,
      `${perRowMs.toFixed(2)} ms for each row`,
      `by the clock, work included: ${longTasks.length} tasks over 50 ms, longest ${Math.max(0, ...longTasks)} ms`,
      `${answersMs.length} pages of rows: slowest ${Math.max(...answersMs).toFixed(0)} ms, first three ${median(answersMs.slice(0, 3)).toFixed(0)} ms, last three ${median(answersMs.slice(-3)).toFixed(0)} ms`,
    ].join('; '),
  )
  return longestMs
}

const workMark = 'a piece of work'

async function work(page: Page): Promise<void> {
  await page.evaluate((mark) => {
    performance.mark(mark)
    let state = 1
    for (let rounds = 0; rounds < 12_000_000; rounds++) {
      state ^= state << 13
      state ^= state >>> 17
      state ^= state << 5
    }
    // The mark contains the sum, so that a compiler cannot remove the work.
    performance.mark(`${mark}: ${state}`)
  }, workMark)
}

interface TraceEvent {
  readonly name: string
  readonly ph: string
  readonly pid: number
  readonly tid: number
  /** In microseconds. */
  readonly ts: number
  readonly dur?: number
  /** Processor time, in microseconds. Absent for a task that was running when the trace ended. */
  readonly tdur?: number
}

/** Records the tasks of all threads. @returns a function that stops the recording and returns the tasks */
async function traced(browser: Browser): Promise<() => Promise<readonly TraceEvent[]>> {
  const session = await browser.newBrowserCDPSession()
  const events: TraceEvent[] = []
  session.on('Tracing.dataCollected', ({ value }) => void events.push(...(value as unknown as TraceEvent[])))
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['toplevel', 'blink.user_timing'] },
  })
  return async () => {
    const complete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve))
    await session.send('Tracing.end')
    await complete
    await session.detach()
    return events
  }
}

/**
 * Returns the processor time of the tasks in the page's main thread, in milliseconds. The fixed pieces of work are in a
 * separate list.
 */
function tasksOf(events: readonly TraceEvent[]): {
  readonly tasksMs: readonly number[]
  readonly worksMs: readonly number[]
} {
  const marks = events.filter(({ name }) => name === workMark)
  const [first] = marks
  assert(first, 'the trace has the marks')
  const tasksMs: number[] = []
  const worksMs: number[] = []
  for (const { dur = 0, name, ph, pid, tdur, tid, ts } of events) {
    if (!name.endsWith('RunTask') || ph !== 'X' || pid !== first.pid || tid !== first.tid) continue
    const isWork = marks.some((mark) => mark.ts >= ts && mark.ts <= ts + dur)
    ;(isWork ? worksMs : tasksMs).push((tdur ?? dur) / 1000)
  }
  assert(worksMs.length >= marks.length, 'each piece of work is in a task')
  return { tasksMs, worksMs }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}
