/** A real browser for tests of pages: Chromium from npm under Playwright. */
import chromium from '@sparticuz/chromium'
import { chromium as playwright, type Browser, type Page } from 'playwright-core'

export interface SeenPage {
  readonly page: Page
  /** Addresses that the page asked of other hosts than its own. */
  readonly foreignRequests: readonly string[]
  /** What the console said at the level of an error, and what was thrown. */
  readonly faults: readonly string[]
}

export async function openBrowser(): Promise<Browser> {
  return playwright.launch({
    executablePath: await chromium.executablePath(),
    args: [...chromium.args.filter((word) => !word.startsWith('--headless')), '--no-proxy-server'],
    headless: true,
  })
}

/** A page that notes what it asks of other hosts, and its faults. */
export async function openPage(browser: Browser, ownOrigin: string): Promise<SeenPage> {
  const foreignRequests: string[] = []
  const faults: string[] = []
  const page = await browser.newPage()
  page.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(ownOrigin) && !url.startsWith('data:') && !url.startsWith('blob:'))
      foreignRequests.push(url)
  })
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text())
  })
  page.on('pageerror', (error) => faults.push(error.message))
  return { page, foreignRequests, faults }
}
