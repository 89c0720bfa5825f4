import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPage, sharedBrowser } from '../../support/open-browser.ts'
import { startServer, type LocalServer } from '../../support/start-product.ts'

let server: LocalServer
let browser: Browser

beforeAll(async () => {
  server = await startServer()
  browser = await sharedBrowser()
})
afterAll(async () => {
  await server.close()
})

describe('/reference', () => {
  it('/reference draws the operations, requests no other host and violates no content security policy', async () => {
    const { faults, foreignRequests, page } = await openPage(browser, server.baseUrl)
    await page.goto(`${server.baseUrl}/reference#tag/keys`)
    for (const text of ['Tollgate control plane', 'Create a key', 'Creates an ak_ key for an end user']) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await page.getByText(text).first().waitFor({ state: 'attached', timeout: 120_000 })
    }
    expect(foreignRequests).toEqual([])
    expect(faults).toEqual([])
    await page.close()
  })

  it('a request for a missing file of /reference returns 404', async () => {
    const answer = await fetch(`${server.baseUrl}/reference/none.js`)
    expect(answer.status).toBe(404)
  })

  it('the files of /reference are compressed, and browsers may cache them permanently', async () => {
    const html = await (await fetch(`${server.baseUrl}/reference`)).text()
    const scripts = [...html.matchAll(/src="([^"]+)"/g)].map(([, path = '']) => path)
    expect(scripts).toHaveLength(2)
    for (const path of scripts) {
      const plain = await fetch(server.baseUrl + path, { headers: { 'accept-encoding': 'identity' } })
      const packed = await fetch(server.baseUrl + path, { headers: { 'accept-encoding': 'br' } })
      expect(plain.headers.get('cache-control')).toContain('immutable')
      expect(plain.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
      expect(packed.headers.get('content-encoding')).toBe('br')
      expect(await packed.text()).toBe(await plain.text())
    }
  })
})

describe('vendor/scalar', () => {
  it('the vendored file in vendor/scalar is the file that its README names', () => {
    const folder = new URL('../../../vendor/scalar/', import.meta.url)
    const hash = createHash('sha256')
      .update(readFileSync(new URL('standalone.js', folder)))
      .digest('hex')
    expect(readFileSync(new URL('README.md', folder), 'utf8')).toContain(hash)
  })
})
