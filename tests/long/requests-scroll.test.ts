/**
 * Requests scroll smoothly over a store of a million calls: thousands of rows come page by page while one scrolls, and
 * no task of the page is longer than 100 ms. Ten million are a matter of the store, which `reads.test.ts` has: the page
 * asks for two hundred rows behind an id whatever else there is. One million are seeded in well under three minutes, so
 * that is the size here; SCROLL_CALLS sets another.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { mintToken } from '#app/mint-token.ts'
import { foldCallHours } from '#store/call-fold.ts'
import { openSqlite } from '#store/sqlite/engine.ts'
import { foldUsageDays } from '#store/usage-fold.ts'
import { seedSqlite } from '../../tools/seed/seed.ts'
import { pagesOf } from '../../tools/web/build.ts'
import { openBrowser, watched } from '../support/browser.ts'
import { control, startServer } from '../support/harness.ts'
import { owner, postInPage, shown } from '../support/pages.ts'
import { sizeOf } from '../support/processes.ts'

const rowsWanted = 3_000
const taskMaxMs = 100
/** A page that is slow by itself is slow each time, a busy machine is not. */
const triesMax = 4

test('thousands of rows are scrolled through without a task of more than 100 ms', async () => {
  const size = sizeOf('SCROLL_CALLS', 1_000_000)
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-scroll-'))
  const seededMs = performance.now()
  await seedSqlite(folder, { calls: size, people: 10_000, days: 90, nowMs: Date.now() })
  const seedSeconds = Math.round((performance.now() - seededMs) / 1000)
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
  const location = { engine: 'sqlite', folder, masterKey: null } as const
  const minted = await mintToken({
    location,
    label: 'scroll',
    organization: null,
    keyFolder: folder,
    masterKey: null,
  })

  const server = await startServer({
    folder,
    token: minted.token,
    pagesFolder: pathToFileURL(`${await pagesOf('test')}/`),
  })
  const browser = await openBrowser()
  try {
    const invited = await control(server, 'PUT', `/v1/team/${owner.email}`, { role: 'owner' })
    expect(invited.status, invited.text).toBe(200)
    const origin = `http://localhost:${server.port}`
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
    const token = new URL(invited.body.inviteUrl).hash.slice(1)
    await postInPage(context, origin, '/v1/invitations/accept', { token, ...owner })
    const longest: number[] = []
    for (let tries = 0; tries < triesMax; tries++) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const tasks = await longTasksOfScroll()
      longest.push(Math.max(0, ...tasks))
      console.log(
        `scroll: ${size} calls seeded in ${seedSeconds} s, ${rowsWanted} rows, ${tasks.length} tasks over 50 ms, longest ${longest.at(-1)} ms`,
      )
      if (Math.min(...longest) <= taskMaxMs) break
    }
    expect(Math.min(...longest)).toBeLessThanOrEqual(taskMaxMs)

    async function longTasksOfScroll(): Promise<readonly number[]> {
      const seen = await watched(await context.newPage(), origin)
      const { page } = seen
      await page.goto(`${origin}/requests?app=seed&mode=live&range=90d`)
      await shown(page)
      const before = (await seen.measured()).longTasksMs.length
      await page.mouse.move(700, 600)
      const last = (): Promise<number> =>
        page
          .locator('tbody tr[aria-rowindex]')
          .last()
          .getAttribute('aria-rowindex')
          .then((index) => Number(index))
      for (let steps = 0; (await last()) < rowsWanted; steps++) {
        expect(steps, 'rows go on coming').toBeLessThan(1_500)
        await page.mouse.wheel(0, 900)
        await page.waitForTimeout(30)
      }
      const { longTasksMs } = await seen.measured()
      expect(seen.faults).toEqual([])
      await page.close()
      return longTasksMs.slice(before)
    }
  } finally {
    await browser.close()
    await server.close()
    rmSync(folder, { recursive: true })
  }
})
